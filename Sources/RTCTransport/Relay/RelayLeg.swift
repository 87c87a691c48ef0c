import NIOCore
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
    let clientSocketAddress: SocketAddress
    let targetSocketAddress: SocketAddress
    /// Towards the server; nil until it is bound.
    private(set) var channel: (any Channel)?
    var needsFlush = false
    private var models: [NetworkModel]
    private var counters = [RelayStatistics](repeating: RelayStatistics(), count: RelayDirection.allCases.count)
    private var backlog: [ByteBuffer] = []

    /// What is kept until the socket is bound.
    private static let maximumBacklog = 64

    init(index: Int, client: TransportAddress, target: TransportAddress, configuration: RelayConfiguration, relay: Int)
    {
        self.index = index
        self.client = client
        self.target = target
        clientSocketAddress = client.socketAddress
        targetSocketAddress = target.socketAddress
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

    /// Keeps a datagram until the socket is bound; false where there is no room.
    func hold(_ bytes: ByteBuffer) -> Bool {
        guard backlog.count < RelayLeg.maximumBacklog else { return false }
        backlog.append(bytes)
        return true
    }

    /// Takes the socket and gives what has waited for it.
    func bound(_ channel: any Channel) -> [ByteBuffer] {
        self.channel = channel
        defer { backlog = [] }
        return backlog
    }

    /// Lets go of the socket.
    func release() -> (any Channel)? {
        defer { channel = nil }
        return channel
    }
}
