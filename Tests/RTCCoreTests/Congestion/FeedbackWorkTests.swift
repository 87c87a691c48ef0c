import RTCWire
import Testing

@testable import RTCCore

@Suite struct FeedbackWorkTests {
    private func sent(_ count: Int) -> SentPackets {
        var packets = SentPackets()
        for number in 0..<count { packets.add(size: 100, now: .zero + .microseconds(10 * number)) }
        return packets
    }

    private func feedback(_ base: UInt16, _ statuses: [TransportFeedback.Status]) -> TransportFeedback {
        TransportFeedback(
            senderSSRC: 1, mediaSSRC: 2, baseSequenceNumber: base, referenceTime: 0, feedbackCount: 0,
            statuses: statuses)
    }

    @Test func eachVerdictIsToldOnce() {
        var packets = sent(10)
        let first = feedback(0, [.lost, .received(delta: 1), .lost])
        #expect(packets.settle(first).map(\.sequence) == [0, 1, 2])
        #expect(packets.settle(first).isEmpty)
        // Lost, and then it came after all.
        #expect(packets.settle(feedback(2, [.received(delta: 1)])).map(\.sequence) == [2])
        #expect(packets.settle(feedback(2, [.received(delta: 1)])).isEmpty)
        #expect(packets.bytesInFlight == 700)
    }

    /// Feedback that was overtaken is still believed, a liar's run of losses only in part.
    @Test func lossesThatWerePassed() {
        var packets = sent(1000)
        #expect(packets.settle(feedback(900, [.received(delta: 1)])).count == 1)
        #expect(packets.settle(feedback(890, Array(repeating: .lost, count: 10))).count == 10)
        #expect(packets.settle(feedback(0, Array(repeating: .lost, count: 890))).count <= 64)
    }

    /// 38 feedbacks of 65,528 losses each in every datagram: the work is that of their chunks.
    @Test func runsOfLossesAreBoundedByWhatWasSent() {
        var packets = sent(8000)
        let hostile = feedback(0, Array(repeating: .lost, count: 65_528))
        var results = packets.settle(hostile).count
        #expect(results == 8000)
        let before = packets.steps
        for _ in 0..<38 { results += packets.settle(hostile).count }
        #expect(results == 8000 && packets.steps - before <= 38 * 65)
    }

    @Test func nothingWasSent() {
        var packets = SentPackets()
        #expect(packets.settle(feedback(0, Array(repeating: .lost, count: 65_535))).isEmpty && packets.steps == 0)
    }

    /// Feedback about what lies behind the ring counts nothing of it.
    @Test func whatTheRingHasForgotten() {
        var packets = sent(30_000)
        #expect(packets.bytesInFlight == 8192 * 100)
        #expect(packets.settle(feedback(0, Array(repeating: .lost, count: 29_999))).count == 8191)
        #expect(packets.bytesInFlight == 100)
    }
}
