import RTCWire

/// Sends random datagrams from addresses that nobody knows. Touched on its event loop only.
final class DatagramFlood {
    private let sockets: [RelaySocket]
    private var random: SeededChoice
    private var turn = 0

    private static let longest = 1200

    /// Binds `count` sockets from which `remote` can be reached. Throws `UDPBindError`.
    init(on loop: DatagramLoop, reaching remote: TransportAddress, count: Int, seed: UInt64) throws(UDPBindError) {
        let host = RelaySocket.localHost(reaching: remote)
        var sockets: [RelaySocket] = []
        for _ in 0..<count { sockets.append(try RelaySocket(on: loop, host: host, bufferSize: 1 << 20)) }
        self.sockets = sockets
        random = SeededChoice(seed: seed)
    }

    /// Sends `count` datagrams and gives how many of them went out.
    func send(_ count: Int, to target: TransportAddress) -> Int {
        var sent = 0
        for _ in 0..<count {
            let socket = sockets[turn % sockets.count]
            turn &+= 1
            let bytes = random.bytes(1 + random.below(DatagramFlood.longest))
            if socket.send(bytes, to: socket.destination(target)) { sent += 1 }
        }
        return sent
    }

    func close() { for socket in sockets { socket.close() } }
}
