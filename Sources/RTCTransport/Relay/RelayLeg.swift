import RTCSim
import RTCWire

/// One participant's way through a relay: its address, a socket of its own towards the server, and the weather of both
/// directions. Touched on the relay's event loop only.
final class RelayLeg {
    let index: Int
    /// The participant.
    let client: TransportAddress
    /// The server.
    let target: TransportAddress
    /// Towards the server.
    private let socket: RelaySocket
    private let targetSocketAddress: RawSocketAddress
    private var models: [NetworkModel]
    private var counters = [RelayStatistics](repeating: RelayStatistics(), count: RelayDirection.allCases.count)

    init(
        index: Int, client: TransportAddress, target: TransportAddress, socket: RelaySocket,
        configuration: RelayConfiguration, relay: Int
    ) {
        self.index = index
        self.client = client
        self.target = target
        self.socket = socket
        targetSocketAddress = socket.destination(target)
        models = RelayDirection.allCases.map { direction in
            let path = UInt64(index * RelayDirection.allCases.count + direction.rawValue)
            let seed = SeededGenerator.hash(configuration.seed, UInt64(relay), path)
            return NetworkModel(configuration.conditions(direction), seed: seed)
        }
    }

    /// Decides when and whether a datagram goes on.
    func offer(length: Int, _ direction: RelayDirection, at now: Instant) -> NetworkModel.Delivery {
        models[direction.rawValue].transmit(length: length, at: now)
    }

    /// Changes the weather; its chances go on.
    func setConditions(_ configuration: RelayConfiguration) {
        for direction in RelayDirection.allCases {
            models[direction.rawValue].conditions = configuration.conditions(direction)
        }
    }

    func count(_ direction: RelayDirection, _ body: (inout RelayStatistics) -> Void) {
        body(&counters[direction.rawValue])
    }

    func statistics(_ direction: RelayDirection) -> RelayStatistics {
        let model = models[direction.rawValue].statistics
        var result = counters[direction.rawValue]
        result.received = model.offered
        result.dropped = model.lost + model.overflowed
        result.duplicated = model.duplicated
        result.reordered = model.reordered
        return result
    }

    // MARK: The socket towards the server

    /// Sends a datagram to the server; false where the kernel does not take it.
    func send(_ bytes: [UInt8]) -> Bool { socket.send(bytes, to: targetSocketAddress) }

    /// Datagrams that the kernel dropped because the socket's buffer was full.
    var receiveBufferDrops: Int { socket.receiveBufferDrops }

    func close() { socket.close() }
}
