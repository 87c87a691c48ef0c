import NIOCore
import RTCWire

/// Sends random datagrams from addresses that nobody knows. Touched on its event loop only.
final class DatagramFlood {
    private let channels: [any Channel]
    private var random: SeededChoice
    private var turn = 0

    private static let longest = 1200

    private init(channels: [any Channel], seed: UInt64) {
        self.channels = channels
        random = SeededChoice(seed: seed)
    }

    /// Binds `count` sockets from which `remote` can be reached. Throws `UDPBindError`.
    static func bind(
        on eventLoop: any EventLoop, reaching remote: TransportAddress, count: Int, seed: UInt64
    ) -> EventLoopFuture<NIOLoopBound<DatagramFlood>> {
        let host = RelaySocket.localHost(reaching: remote)
        let sockets = (0..<count).map { _ in RelaySocket.bind(on: eventLoop, host: host, bufferSize: 1 << 20) }
        return EventLoopFuture.whenAllSucceed(sockets, on: eventLoop).map {
            NIOLoopBound(DatagramFlood(channels: $0, seed: seed), eventLoop: eventLoop)
        }
    }

    /// Sends `count` datagrams and gives how many of them went out.
    func send(_ count: Int, to target: TransportAddress) -> Int {
        let address = target.socketAddress
        var sent = 0
        for _ in 0..<count {
            let channel = channels[turn % channels.count]
            turn &+= 1
            guard channel.isWritable else { continue }
            let bytes = random.bytes(1 + random.below(DatagramFlood.longest))
            channel.write(
                AddressedEnvelope(remoteAddress: address, data: channel.allocator.buffer(bytes: bytes)), promise: nil)
            sent += 1
        }
        for channel in channels { channel.flush() }
        return sent
    }

    func close() { for channel in channels { channel.close(promise: nil) } }
}
