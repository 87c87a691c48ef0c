import RTCWire
import Testing

@testable import RTCCore

/// Whose turn it is, how messages are cut, what expires: RFC 9260 sections 6.5 and 6.9, RFC 8260 section 1.1.
@Suite struct SendQueueTests {
    private var queue = SendQueue()
    private var low: [UInt16] = []

    private mutating func next(_ room: Int = 1000, at now: Instant = .at(0), canAbandon: Bool = true) -> DataChunk? {
        guard case .fragment(let fragment) = queue.next(room: room, now: now, canAbandon: canAbandon, low: &low) else {
            return nil
        }
        return fragment.chunk
    }

    /// What the queue calls expired, and nothing else.
    private mutating func expired(at now: Instant) -> SendQueue.Rest? {
        guard case .expired(let rest) = queue.next(room: 1000, now: now, canAbandon: true, low: &low) else {
            return nil
        }
        return rest
    }

    private mutating func streams(_ count: Int, room: Int = 1000) -> [UInt16] {
        (0..<count).compactMap { _ in next(room)?.stream }
    }

    @Test mutating func anEmptyQueueHasNothing() {
        #expect(next() == nil && queue.isEmpty && queue.nextLength == nil && queue.bytes == 0)
        #expect(queue.isDrained(3) && queue.bytes(of: 3) == 0)
    }

    @Test mutating func aMessageThatFitsIsOneFragment() throws {
        queue.add(.test(1, 100))
        #expect(queue.nextLength == 100 && !queue.isEmpty && !queue.isDrained(1))
        let chunk = try #require(next())
        #expect(chunk.isBeginning && chunk.isEnd && chunk.payload == (0..<100).map { UInt8($0) })
        #expect(chunk.stream == 1 && chunk.streamSequence == 0 && chunk.protocolID == 53 && !chunk.isUnordered)
        #expect(queue.isEmpty && queue.isDrained(1) && next() == nil)
    }

    @Test mutating func aLargerOneIsCut() {
        queue.add(.test(1, 250))
        var parts: [DataChunk] = []
        while let part = next(100) { parts.append(part) }
        #expect(parts.map(\.payload.count) == [100, 100, 50])
        #expect(parts.map(\.isBeginning) == [true, false, false] && parts.map(\.isEnd) == [false, false, true])
        #expect(Set(parts.map(\.streamSequence)) == [0])
        #expect(parts.flatMap(\.payload) == OutgoingMessage.test(1, 250).payload)
    }

    /// All fragments of a message carry one number of the queue's own, by which it can be given up.
    @Test mutating func fragmentsNameTheirMessage() {
        queue.add(.test(1, 20))
        queue.add(.test(2, 20))
        var numbers: [Int64] = []
        while case .fragment(let fragment) = queue.next(room: 10, now: .at(0), canAbandon: true, low: &low) {
            numbers.append(fragment.message)
        }
        #expect(numbers == [1, 1, 2, 2])
    }

    @Test mutating func streamsTakeTurns() {
        for stream: UInt16 in [1, 1, 1, 2, 2, 3] { queue.add(.test(stream, 10)) }
        #expect(streams(6) == [1, 2, 3, 1, 2, 1])
    }

    /// Without interleaving a message that has begun is finished first.
    @Test mutating func aBegunMessageIsFinished() {
        queue.add(.test(1, 30))
        queue.add(.test(2, 10))
        queue.add(.test(1, 10))
        #expect(streams(5, room: 10) == [1, 1, 1, 2, 1])
    }

    /// A stream whose message comes while it is the one being sent queues behind the others.
    @Test mutating func whoComesLaterWaits() {
        queue.add(.test(1, 20))
        #expect(next(10)?.stream == 1)
        queue.add(.test(2, 10))
        queue.add(.test(1, 10))
        #expect(streams(3, room: 10) == [1, 2, 1])
    }

    @Test mutating func orderedMessagesAreNumberedPerStream() {
        for stream: UInt16 in [1, 1, 2, 1] { queue.add(.test(stream, 10)) }
        var numbers: [UInt16: [UInt16]] = [:]
        while let chunk = next() { numbers[chunk.stream, default: []].append(chunk.streamSequence) }
        #expect(numbers == [1: [0, 1, 2], 2: [0]])
    }

    @Test mutating func unorderedMessagesUseNoNumber() {
        queue.add(.test(1, 10))
        queue.add(.test(1, 10, isUnordered: true))
        queue.add(.test(1, 10))
        let chunks = (0..<3).compactMap { _ in next() }
        #expect(chunks.map(\.isUnordered) == [false, true, false] && chunks.map(\.streamSequence) == [0, 0, 1])
    }

    @Test mutating func sequenceNumbersWrap() {
        var last: UInt16 = 0
        for _ in 0..<65_537 {
            queue.add(.test(1, 1))
            last = next()?.streamSequence ?? 9
        }
        #expect(last == 0)
    }

    // MARK: Buffered amount

    @Test mutating func bytesAreCountedPerStreamAndInAll() {
        queue.add(.test(1, 30))
        queue.add(.test(2, 50))
        #expect(queue.bytes == 80 && queue.bytes(of: 1) == 30 && queue.bytes(of: 2) == 50)
        _ = next(10)
        #expect(queue.bytes == 70 && queue.bytes(of: 1) == 20)
    }

    /// The protocol's own messages are not the application's.
    @Test mutating func controlMessagesAreNotTheApplications() {
        var message = OutgoingMessage.test(1, 30)
        message.isCounted = false
        queue.add(message)
        #expect(queue.bytes == 30 && queue.bytes(of: 1) == 0 && !queue.isEmpty)
        _ = next()
        #expect(queue.bytes == 0 && low.isEmpty)
    }

    @Test mutating func fallingToTheThresholdIsToldOnce() {
        queue.setLowThreshold(20, of: 1)
        queue.add(.test(1, 50))
        _ = next(20)
        #expect(low.isEmpty && queue.bytes(of: 1) == 30)
        _ = next(10)
        #expect(low == [1])
        _ = next(10)
        _ = next(10)
        #expect(low == [1] && queue.isEmpty)
        // Above it again, and down once more.
        queue.add(.test(1, 21))
        _ = next()
        #expect(low == [1, 1])
    }

    @Test mutating func withoutAThresholdEmptinessIsTold() {
        queue.add(.test(4, 10))
        _ = next(9)
        #expect(low.isEmpty)
        _ = next(9)
        #expect(low == [4])
        // Below zero is no threshold.
        queue.setLowThreshold(-5, of: 4)
        queue.add(.test(4, 1))
        _ = next()
        #expect(low == [4, 4])
    }

    // MARK: Partial reliability

    @Test mutating func whatRanOutOfTimeIsNeverSent() {
        var message = OutgoingMessage.test(1, 10)
        message.expiry = .at(100)
        queue.add(message)
        queue.add(.test(1, 20))
        #expect(next(at: .at(100))?.payload.count == 20)
        #expect(queue.isEmpty)
    }

    /// A number that never was on the wire is not used up: the other side would wait for it.
    @Test mutating func anExpiredMessageUsesNoNumber() {
        var message = OutgoingMessage.test(1, 10)
        message.expiry = .at(100)
        queue.add(message)
        queue.add(.test(1, 20))
        #expect(next(at: .at(150))?.streamSequence == 0)
    }

    @Test mutating func expiryIsNothingToAPeerThatCannotSkip() {
        var message = OutgoingMessage.test(1, 10)
        message.expiry = .at(100)
        queue.add(message)
        #expect(next(at: .at(500), canAbandon: false)?.payload.count == 10)
    }

    @Test mutating func aBegunMessageThatExpiresIsNamed() {
        queue.add(.test(1, 10))
        _ = next()
        var message = OutgoingMessage.test(1, 30)
        message.expiry = .at(100)
        queue.add(message)
        queue.add(.test(1, 5))
        #expect(next(10, at: .at(0))?.isEnd == false)
        #expect(expired(at: .at(100)) == SendQueue.Rest(message: 2, stream: 1, sequence: 1, isUnordered: false))
        #expect(queue.bytes == 5 && low.filter { $0 == 1 }.count == 1)
        // Its number was on the wire.
        #expect(next(at: .at(100))?.streamSequence == 2)
    }

    @Test mutating func theRestOfAMessageIsDiscarded() {
        queue.add(.test(1, 30))
        queue.add(.test(2, 10))
        _ = next(10)
        #expect(queue.discard(message: 9, of: 1, low: &low) == nil && queue.bytes == 30)
        let rest = queue.discard(message: 1, of: 1, low: &low)
        #expect(rest == SendQueue.Rest(message: 1, stream: 1, sequence: 0, isUnordered: false))
        #expect(queue.bytes == 10 && streams(2) == [2])
        // A message that is all out has no rest.
        #expect(queue.discard(message: 2, of: 2, low: &low) == nil)
    }

    @Test mutating func anUnorderedRestHasNoNumber() {
        queue.add(.test(1, 10))
        _ = next()
        queue.add(.test(1, 30, isUnordered: true))
        _ = next(10)
        #expect(queue.discard(message: 2, of: 1, low: &low)?.isUnordered == true)
        queue.add(.test(1, 1))
        #expect(next()?.streamSequence == 1)
    }

    // MARK: Reset

    @Test mutating func aResetStreamIsNumberedFromZero() {
        queue.add(.test(1, 10))
        queue.add(.test(2, 10))
        _ = streams(2)
        queue.reset(1)
        queue.add(.test(1, 10))
        queue.add(.test(2, 10))
        let chunks = (0..<2).compactMap { _ in next() }
        #expect(chunks.map(\.stream) == [1, 2] && chunks.map(\.streamSequence) == [0, 1])
    }

    /// What came after the reset was asked for stays, with numbers from 0.
    @Test mutating func waitingMessagesOutliveTheReset() {
        queue.add(.test(1, 10))
        _ = next()
        queue.add(.test(1, 10))
        queue.reset(1)
        #expect(next()?.streamSequence == 0 && queue.isEmpty)
    }

    @Test mutating func everythingIsForgotten() {
        queue.setLowThreshold(5, of: 1)
        for stream: UInt16 in 1...3 { queue.add(.test(stream, 10)) }
        _ = next(5)
        queue.removeAll()
        #expect(queue.isEmpty && queue.bytes(of: 1) == 0 && next() == nil)
        // Messages are never confused with earlier ones.
        queue.add(.test(1, 10))
        guard case .fragment(let fragment) = queue.next(room: 100, now: .at(0), canAbandon: true, low: &low) else {
            Issue.record("nothing to send")
            return
        }
        #expect(fragment.message == 2 && fragment.chunk.streamSequence == 0)
    }

    /// Room for nothing still moves a byte, so that no loop stands still.
    @Test mutating func aFragmentHasAByteAtLeast() {
        queue.add(.test(1, 3))
        #expect((0..<3).compactMap { _ in next(0)?.payload.count } == [1, 1, 1])
    }
}
