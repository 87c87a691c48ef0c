import RTCWire
import Testing

@testable import RTCCore

/// What a feedback says of what was sent, draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1.
@Suite struct SentPacketsTests {
    private var sent = SentPackets()

    private mutating func send(_ count: Int, size: Int = 100, from milliseconds: Int = 0) {
        for index in 0..<count { sent.add(size: size, now: .at(milliseconds + index)) }
    }

    private func feedback(
        _ base: UInt16, reference: Int32 = 10, _ statuses: [TransportFeedback.Status]
    ) -> TransportFeedback {
        TransportFeedback(
            senderSSRC: 1, mediaSSRC: 2, baseSequenceNumber: base, referenceTime: reference, feedbackCount: 0,
            statuses: statuses)
    }

    @Test mutating func numbersAscend() {
        #expect(sent.nextNumber == 0)
        send(65_537)
        #expect(sent.nextNumber == 1 && sent.next == 65_537)
    }

    /// Deltas of 250 µs add up from the reference time of 64 ms.
    @Test mutating func arrivalsAreCountedFromTheReference() {
        send(4)
        let results = sent.settle(
            feedback(0, [.received(delta: 4), .received(delta: 8), .lost, .received(delta: -4)]))
        #expect(results.map(\.sequence) == [0, 1, 2, 3] && results.map(\.size) == [100, 100, 100, 100])
        #expect(results.map(\.sent) == [.at(0), .at(1), .at(2), .at(3)])
        #expect(results.map(\.received) == [.at(641), .at(643), nil, .at(642)])
    }

    @Test mutating func aPacketIsToldOnce() {
        send(3)
        #expect(sent.settle(feedback(0, [.received(delta: 0), .received(delta: 0)])).count == 2)
        #expect(sent.settle(feedback(0, [.received(delta: 0), .lost, .received(delta: 0)])).map(\.sequence) == [2])
    }

    /// A packet that was called lost may come after all; then it is told so.
    @Test mutating func whatWasLostMayBeFound() {
        send(2)
        #expect(sent.settle(feedback(0, [.lost, .received(delta: 0)])).map(\.wasLost) == [false, false])
        let found = sent.settle(feedback(0, [.received(delta: 40)]))
        #expect(found.map(\.wasLost) == [true] && found.map(\.received) == [.at(650)])
        #expect(sent.settle(feedback(0, [.lost])).isEmpty)
    }

    @Test mutating func whatIsInFlightIsCounted() {
        send(5, size: 200)
        #expect(sent.bytesInFlight == 1000)
        _ = sent.settle(feedback(0, [.received(delta: 0), .lost]))
        #expect(sent.bytesInFlight == 600)
        // What lies before is settled with it: nothing will be heard of it any more.
        _ = sent.settle(feedback(4, [.received(delta: 0)]))
        #expect(sent.bytesInFlight == 0)
    }

    /// The ring forgets what is older than it holds, and its bytes.
    @Test mutating func theRingForgets() {
        for _ in 0..<8192 + 100 { sent.add(size: 10, now: .zero) }
        #expect(sent.bytesInFlight == 81_920)
        #expect(sent.settle(feedback(50, [.received(delta: 0)])).isEmpty)
        #expect(sent.settle(feedback(100, [.received(delta: 0)])).map(\.sequence) == [100])
    }

    /// Feedback on what was sent within ten seconds is understood; a slow stream holds no more than that.
    @Test(arguments: [1, 20, 400]) mutating func theRingFitsTheRate(perSecond: Int) {
        let count = 30 * perSecond
        for index in 0..<count { sent.add(size: 10, now: .at(1000 * index / perSecond)) }
        let oldest = count - 10 * perSecond
        let results = sent.settle(feedback(UInt16(oldest), [.received(delta: 0)]))
        #expect(results.map(\.sequence) == [Int64(oldest)])
        #expect(sent.bytesInFlight == 10 * (count - oldest - 1))
        #expect(sent.settle(feedback(UInt16(count - 1), [.received(delta: 0)])).count == 1)
        #expect(sent.bytesInFlight == 0)
        #expect(sent.heldPackets <= max(128, 20 * perSecond))
    }

    /// Where feedback tells what came, that makes place; what is missing is waited for.
    @Test(arguments: [(lost: false, held: 64), (true, 256)]) mutating func whatCameMakesPlace(lost: Bool, held: Int) {
        for number in 0..<1100 {
            sent.add(size: 10, now: .at(number * 10))
            guard number % 11 == 10 else { continue }
            let last = TransportFeedback.Status.received(delta: 0)
            let statuses = Array(repeating: last, count: 9) + [lost ? .lost : last, last]
            #expect(sent.settle(feedback(UInt16(number - 10), statuses)).count == 11)
        }
        #expect(sent.bytesInFlight == 0 && sent.heldPackets == held)
    }

    /// What the ring held before it grew is in it afterwards.
    @Test mutating func growingLosesNothing() {
        for index in 0..<1000 { sent.add(size: index, now: .zero) }
        let results = sent.settle(feedback(0, Array(repeating: .received(delta: 1), count: 1000)))
        #expect(results.map(\.sequence) == Array(0..<1000) && results.map(\.size) == Array(0..<1000))
    }

    @Test mutating func whatWasNeverSentIsNothing() {
        #expect(sent.settle(feedback(0, [.received(delta: 0)])).isEmpty)
        send(3)
        #expect(sent.settle(feedback(3, [.received(delta: 0), .lost])).isEmpty)
        #expect(sent.settle(feedback(0xfff0, [.received(delta: 0)])).isEmpty)
        #expect(sent.bytesInFlight == 300)
    }

    @Test mutating func numbersOfTheWireWrap() {
        send(65_534)
        _ = sent.settle(feedback(65_533, [.received(delta: 0)]))
        send(4, from: 100_000)
        let results = sent.settle(feedback(65_534, [.received(delta: 0), .received(delta: 0), .lost, .lost]))
        #expect(results.map(\.sequence) == [65_534, 65_535, 65_536, 65_537])
    }

    /// 24 bits of 64 ms: after 12 days the reference begins anew.
    @Test mutating func theReferenceWraps() {
        send(2)
        let first = sent.settle(feedback(0, reference: 0x7f_ffff, [.received(delta: 0)]))
        let second = sent.settle(feedback(1, reference: -0x80_0000, [.received(delta: 0)]))
        let gap = (second.first?.received).flatMap { late in first.first?.received.map { late - $0 } }
        #expect(gap == .milliseconds(64))
    }

    /// A feedback that was overtaken has an earlier reference.
    @Test mutating func anEarlierReferenceIsEarlier() {
        send(2)
        let late = sent.settle(feedback(1, reference: 20, [.received(delta: 0)]))
        let early = sent.settle(feedback(0, reference: 18, [.received(delta: 0)]))
        #expect(late.first?.received == .at(1280) && early.first?.received == .at(1152))
    }

    @Test func feedbackBecomesResultsOnce() {
        var sent = SentPackets()
        for number in 0..<5 { sent.add(size: 100 + number, now: .zero + .milliseconds(number)) }
        #expect(sent.bytesInFlight == 510)
        let feedback = TransportFeedback(
            senderSSRC: 1, mediaSSRC: 2, baseSequenceNumber: 1, referenceTime: 10, feedbackCount: 0,
            statuses: [.received(delta: 4), .lost, .received(delta: -1)])
        let start = Instant.zero + .milliseconds(640)
        #expect(
            sent.settle(feedback) == [
                PacketResult(
                    sequence: 1, sent: .zero + .milliseconds(1), received: start + .milliseconds(1), size: 101),
                PacketResult(sequence: 2, sent: .zero + .milliseconds(2), received: nil, size: 102),
                PacketResult(
                    sequence: 3, sent: .zero + .milliseconds(3), received: start + .microseconds(750), size: 103),
            ])
        #expect(sent.bytesInFlight == 104)
        // Told once more, nothing is counted once more; what comes after all is no loss.
        #expect(sent.settle(feedback).isEmpty)
        let late = TransportFeedback(
            senderSSRC: 1, mediaSSRC: 2, baseSequenceNumber: 2, referenceTime: 10, feedbackCount: 1,
            statuses: [.received(delta: 8), .received(delta: 0)])
        #expect(
            sent.settle(late) == [
                PacketResult(
                    sequence: 2, sent: .zero + .milliseconds(2), received: start + .milliseconds(2), size: 102,
                    wasLost: true)
            ])
    }

    @Test func referenceTimeAndNumbersWrap() {
        var sent = SentPackets()
        for _ in 0..<70_000 { sent.add(size: 1, now: .zero) }
        func result(_ base: UInt16, _ reference: Int32) -> [PacketResult] {
            sent.settle(
                TransportFeedback(
                    senderSSRC: 1, mediaSSRC: 2, baseSequenceNumber: base, referenceTime: reference, feedbackCount: 0,
                    statuses: [.received(delta: 0)]))
        }
        let before = result(UInt16(truncatingIfNeeded: 69_990), 0x7f_ffff)
        let after = result(UInt16(truncatingIfNeeded: 69_991), -0x80_0000)
        #expect(before.map(\.sequence) == [69_990] && after.map(\.sequence) == [69_991])
        #expect(after[0].received! - before[0].received! == .milliseconds(64))
        #expect(result(UInt16(truncatingIfNeeded: 70_005), 0).isEmpty)
        #expect(result(UInt16(truncatingIfNeeded: 50_000), 0).isEmpty)
    }
}
