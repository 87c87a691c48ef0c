import RTCWire
import Testing

@testable import RTCCore

struct ArrivalRecorderTests {
    private func take(_ recorder: inout ArrivalRecorder, at milliseconds: Int) -> [TransportFeedback] {
        recorder.takeFeedback(senderSSRC: 9, limit: 1180, now: .zero + .milliseconds(milliseconds))
    }

    @Test func tellsArrivalsAndLossesWithinAQuarterMillisecond() throws {
        var recorder = ArrivalRecorder()
        for (number, at) in [(65534, 1000), (65535, 1003), (1, 1010), (0, 1012), (3, 1090)] {
            recorder.record(UInt16(number), ssrc: 5, size: 1200, now: .zero + .milliseconds(at))
        }
        #expect(recorder.deadline == .zero + .milliseconds(1100))
        #expect(take(&recorder, at: 1099).isEmpty)
        let feedback = try #require(take(&recorder, at: 1100).first)
        #expect(feedback.senderSSRC == 9 && feedback.mediaSSRC == 5 && feedback.baseSequenceNumber == 65534)
        #expect(feedback.referenceTime == 1000 / 64 && feedback.feedbackCount == 0)
        // 1000 - 15 * 64 = 40 ms after the reference; 0 came after 1, 2 not at all.
        #expect(
            feedback.statuses == [
                .received(delta: 160), .received(delta: 12), .received(delta: 36), .received(delta: -8), .lost,
                .received(delta: 320),
            ])
        #expect(recorder.deadline == .distantFuture && take(&recorder, at: 9999).isEmpty)
    }

    @Test func arrivalsCountAndNotTheMomentOfReading() throws {
        var recorder = ArrivalRecorder()
        for (number, at) in [(7, 640), (8, 650), (9, 653)] {
            recorder.record(
                UInt16(number), ssrc: 5, size: 100, arrival: .zero + .milliseconds(at), now: .zero + .milliseconds(700))
        }
        let feedback = try #require(take(&recorder, at: 900).first)
        #expect(feedback.statuses == [.received(delta: 0), .received(delta: 40), .received(delta: 12)])
    }

    @Test func aLatePacketIsToldAfterItWasCalledLost() throws {
        var recorder = ArrivalRecorder()
        recorder.record(10, ssrc: 5, size: 100, now: .zero)
        recorder.record(12, ssrc: 5, size: 100, now: .zero + .milliseconds(1))
        #expect(take(&recorder, at: 200).first?.statuses.count == 3)
        recorder.record(11, ssrc: 5, size: 100, now: .zero + .milliseconds(210))
        let feedback = try #require(take(&recorder, at: 999).first)
        #expect(feedback.baseSequenceNumber == 11 && feedback.feedbackCount == 1)
        #expect(feedback.statuses.count == 2 && !feedback.statuses.contains(.lost))
    }

    @Test(arguments: [(20, 250), (1000, 136), (1250, 108), (10_000, 50)])
    func intervalFollowsTheRate(_ bytesPer100ms: Int, _ expected: Int) {
        var recorder = ArrivalRecorder()
        var told: [Int] = []
        for (number, at) in stride(from: 0, to: 10_000, by: 10).enumerated() {
            recorder.record(
                UInt16(truncatingIfNeeded: number), ssrc: 1, size: bytesPer100ms / 10, now: .zero + .milliseconds(at))
            if !take(&recorder, at: at).isEmpty { told.append(at) }
        }
        let gaps = zip(told.dropFirst(3), told.dropFirst(2)).map { $0 - $1 }
        #expect(!gaps.isEmpty && gaps.allSatisfy { abs($0 - expected) <= 25 }, "\(gaps)")
    }

    @Test func hostileJumpsStayBoundedAndWritable() {
        var recorder = ArrivalRecorder()
        var generator = SystemRandomNumberGenerator()
        var at = 0
        for _ in 0..<3000 {
            at += Int.random(in: 0...3, using: &generator)
            recorder.record(
                .random(in: 0 ... .max, using: &generator), ssrc: 1, size: 1, now: .zero + .milliseconds(at))
            for feedback in take(&recorder, at: at) {
                #expect(feedback.encodedLength > 0 && feedback.encodedLength <= 1180)
            }
        }
    }

    @Test func longSilenceSplitsWhatADeltaCannotSay() throws {
        var recorder = ArrivalRecorder()
        recorder.record(0, ssrc: 1, size: 1, now: .zero)
        recorder.record(1, ssrc: 1, size: 1, now: .zero + .seconds(20))
        let feedbacks = take(&recorder, at: 20_000)
        #expect(feedbacks.map(\.statuses) == [[.received(delta: 0)], [.received(delta: 128)]])
        #expect(feedbacks.map(\.referenceTime) == [0, 312] && feedbacks.map(\.feedbackCount) == [0, 1])
    }

    @Test func aBurstLargerThanADatagramIsToldInParts() {
        var recorder = ArrivalRecorder()
        for number in 0..<1500 {
            recorder.record(UInt16(number), ssrc: 1, size: 1, now: .zero + .microseconds(number * 70_000 / 1000))
        }
        let feedbacks = take(&recorder, at: 1000)
        #expect(feedbacks.count > 1 && feedbacks.reduce(0) { $0 + $1.statuses.count } == 1500)
        #expect(feedbacks.allSatisfy { $0.encodedLength <= 1180 })
    }
}
