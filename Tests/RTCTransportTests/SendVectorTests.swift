import Glibc
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// Many datagrams by few system calls.
@Suite struct SendVectorTests {
    private func receive(_ socket: DatagramSocket) -> [UInt8] {
        let reading = DatagramReceiver()
        var numbers: [UInt8] = []
        while true {
            let count = reading.read(socket.descriptor)
            guard count > 0 else { return numbers }
            reading.forEach(count) { bytes, _, _ in numbers.append(bytes[0]) }
        }
    }

    /// More than one call takes, to two destinations in turn and of several lengths; one of them is longer than
    /// any datagram may be, and concerns nobody else.
    @Test(arguments: [true, false]) func allArriveInOrder(isOffloading: Bool) throws {
        let socket = try DatagramSocket.bind(host: "127.0.0.1", port: 0, bufferSize: 1 << 20)
        let receivers = try (0..<2).map { _ in
            try DatagramSocket.bind(host: "127.0.0.1", port: 0, bufferSize: 1 << 20)
        }
        let outbox = Outbox()
        for number in 0..<120 {
            let length = number == 77 ? 70_000 : 100 + number % 7 * 50
            outbox.reserve(length).initializeMemory(as: UInt8.self, repeating: UInt8(number))
            outbox.commit(length, to: receivers[number % 2].address)
        }
        let bases = LocalBases(bound: socket.address, wanted: [])
        let sender = BatchSender(socket: socket, sources: bases, isOffloading: isOffloading)
        var counts = UDPMuxStatistics()
        sender.send(outbox, to: AddressTable(isIPv4: true), now: .zero, &counts)
        #expect(receive(receivers[0]) == (0..<120).filter { $0 % 2 == 0 })
        #expect(receive(receivers[1]) == (0..<120).filter { $0 % 2 == 1 && $0 != 77 })
        #expect((counts.datagramsSent, counts.sendFailures, counts.sendQueueDrops) == (119, 1, 0))
    }
}
