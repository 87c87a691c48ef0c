import RTCCore
import Testing

@testable import RTCTransport

/// What waits for a stream that has no room.
@Suite struct StreamSendQueueTests {
    private static func add(
        _ queue: inout StreamSendQueue, _ first: UInt8, _ count: Int, _ urgency: Outbox.Urgency
    ) -> Bool {
        [UInt8](repeating: first, count: count).withUnsafeBytes { queue.add($0, urgency) }
    }

    /// What comes out where there is room for `total` bytes.
    private static func drain(_ queue: inout StreamSendQueue, total: Int = .max) -> (bytes: [UInt8], packets: Int) {
        var (bytes, rest): ([UInt8], Int) = ([], total)
        let packets = queue.drain { piece in
            let count = min(rest, piece.count)
            bytes += piece.prefix(count)
            rest -= count
            return count
        }
        return (bytes, packets)
    }

    /// What is urgent leaves first, but never in the middle of another packet.
    @Test func urgentPacketsOvertakeWholeOnes() {
        var queue = StreamSendQueue()
        let rest: [UInt8] = [1, 1]
        rest.withUnsafeBytes { queue.begin($0) }
        #expect(
            Self.add(&queue, 2, 3, .media) && Self.add(&queue, 3, 2, .control) && Self.add(&queue, 4, 1, .repetition))
        #expect(queue.size == 8)
        let out = Self.drain(&queue)
        #expect(out.bytes == [1, 1, 3, 3, 2, 2, 2, 4] && out.packets == 4 && queue.isEmpty)
    }

    /// A packet that has left in part goes on where it stopped, whatever comes meanwhile.
    @Test func aBegunPacketIsFinished() {
        var queue = StreamSendQueue()
        #expect(Self.add(&queue, 2, 4, .media))
        let part = Self.drain(&queue, total: 3)
        #expect(part.bytes == [2, 2, 2] && part.packets == 0 && queue.size == 1)
        #expect(Self.add(&queue, 3, 2, .control))
        let rest = Self.drain(&queue)
        #expect(rest.bytes == [2, 3, 3] && rest.packets == 2)
    }

    /// A reader that is too slow costs repetitions first, then pictures, and sound last; memory never.
    @Test func theBoundsHoldByUrgency() {
        var queue = StreamSendQueue()
        for (urgency, number) in [(Outbox.Urgency.repetition, UInt8(1)), (.media, 2), (.control, 3)] {
            while Self.add(&queue, number, 1000, urgency) {}
            #expect(queue.size <= StreamSendQueue.limit(urgency))
            #expect(queue.size > StreamSendQueue.limit(urgency) - 1000)
        }
        #expect(!Self.add(&queue, 1, 1000, .media) && !Self.add(&queue, 1, 1000, .repetition))
        #expect(queue.size <= 128 * 1024)
        let packets = queue.size / 1000
        #expect(queue.removeAll() == packets && queue.isEmpty)
        #expect(Self.add(&queue, 1, 1000, .repetition))
    }

    @Test func aBatchFramesItsPackets() {
        var batch = FrameBatch()
        [UInt8](repeating: 5, count: 300).withUnsafeBytes { batch.add($0, .media) }
        [UInt8]([9]).withUnsafeBytes { batch.add($0, .control) }
        // What no length can say is left out.
        [UInt8](repeating: 0, count: 0x1_0000).withUnsafeBytes { batch.add($0, .control) }
        [UInt8]().withUnsafeBytes { batch.add($0, .control) }
        #expect(
            batch.frames.map(\.range) == [0..<302, 302..<305] && batch.frames.map(\.urgency) == [.media, .control])
        #expect(batch.bytes[..<2] == [1, 44] && batch.bytes[302...] == [0, 1, 9])
        batch.removeAll()
        #expect(batch.isEmpty && batch.bytes.isEmpty)
    }
}
