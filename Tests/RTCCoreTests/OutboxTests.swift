import RTCWire
import Testing

@testable import RTCCore

@Suite struct OutboxTests {
    private let outbox = Outbox(capacity: 256)

    private func add(_ byte: UInt8, count: Int = 5, _ urgency: DatagramOutbox.Urgency = .control) {
        let target = outbox.reserve(count)
        for index in 0..<count { target[index] = byte }
        outbox.commit(count, to: .testA, urgency: urgency)
    }

    private var contents: [[UInt8]] { outbox.datagrams.map { Array(outbox.bytes(of: $0)) } }

    /// The arena grows under what stands in it.
    @Test func datagramsKeepTheirBytes() {
        for byte in 0..<100 as Range<UInt8> { add(byte, count: 1 + Int(byte)) }
        #expect(contents == (0..<100).map { [UInt8](repeating: UInt8($0), count: 1 + $0) })
        outbox.removeAll()
        #expect(outbox.isEmpty && contents.isEmpty)
    }

    @Test func thereIsRoomForATag() {
        #expect(outbox.reserve(1000).count >= 1000 + DatagramOutbox.slack)
    }

    @Test func eventsAreContentsToo() {
        outbox.events.append(.closed)
        #expect(!outbox.isEmpty)
        outbox.removeDatagrams()
        #expect(outbox.events.count == 1)
        outbox.removeAll()
        #expect(outbox.isEmpty)
    }

    /// What is more urgent leaves first; within an urgency the order stays.
    @Test func urgencyOrders() {
        for (byte, urgency) in [(1, .repetition), (2, .media), (3, .control), (4, .media), (5, .control)]
            as [(UInt8, DatagramOutbox.Urgency)]
        { add(byte, urgency) }
        outbox.putInOrder()
        #expect(contents.map { $0[0] } == [3, 5, 2, 4, 1])
        add(6, .control)
        outbox.setUrgency(.repetition, from: 0)
        outbox.putInOrder()
        #expect(contents.map { $0[0] } == [3, 5, 2, 4, 1, 6])
    }

    /// A header of four bytes stands before the data, and the next datagram is untouched.
    @Test func framing() {
        add(7, count: 5)
        add(8, count: 3)
        outbox.frame(0, header: 0x4001_0005, isPadded: true, to: .testB, path: 2)
        #expect(contents == [[0x40, 0x01, 0, 5, 7, 7, 7, 7, 7, 0, 0, 0], [8, 8, 8]])
        #expect(outbox.datagrams[0].destination == .testB && outbox.datagrams[0].path == 2)
        outbox.frame(1, header: 0x4002_0003, isPadded: false, to: .testB, path: 0)
        #expect(contents[1] == [0x40, 0x02, 0, 3, 8, 8, 8])
    }

    @Test func droppingAndRouting() {
        for byte in 1...3 as ClosedRange<UInt8> { add(byte) }
        outbox.drop(1)
        outbox.removeDropped()
        outbox.route(from: 1, path: 9)
        #expect(contents.map { $0[0] } == [1, 3] && outbox.datagrams.map(\.path) == [0, 9])
        outbox.route(from: 5, path: 1)
        #expect(outbox.datagrams.map(\.path) == [0, 9])
    }
}
