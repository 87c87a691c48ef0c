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
    let weather: RelayWeather
    /// When something came last, in either direction.
    private(set) var lastUsed: Instant
    /// When the present address was taken.
    private(set) var boundAt: Instant
    /// Towards the server.
    private var socket: RelaySocket
    private var targetSocketAddress: RawSocketAddress
    /// Addresses that a NAT has forgotten: kept, so that who sends to them gets no answer rather than a refusal.
    private var forgotten: [RelaySocket] = []
    private var counters = [RelayStatistics](repeating: RelayStatistics(), count: RelayDirection.allCases.count)

    private static let mostForgotten = 4

    init(
        index: Int, client: TransportAddress, target: TransportAddress, socket: RelaySocket, weather: RelayWeather,
        now: Instant
    ) {
        self.index = index
        self.client = client
        self.target = target
        self.socket = socket
        self.weather = weather
        lastUsed = now
        boundAt = now
        targetSocketAddress = socket.destination(target)
    }

    /// Decides when and whether a datagram goes on.
    func offer(length: Int, _ direction: RelayDirection, at now: Instant) -> NetworkModel.Delivery {
        lastUsed = now
        return weather.offer(length: length, direction, at: now, counting: &counters[direction.rawValue])
    }

    func count(_ direction: RelayDirection, _ body: (inout RelayStatistics) -> Void) {
        body(&counters[direction.rawValue])
    }

    func statistics(_ direction: RelayDirection) -> RelayStatistics { counters[direction.rawValue] }

    // MARK: The socket towards the server

    func uses(_ socket: RelaySocket) -> Bool { self.socket === socket }

    /// Goes on from another address.
    func rebind(to socket: RelaySocket, at now: Instant) {
        forgotten.append(self.socket)
        if forgotten.count > Self.mostForgotten { forgotten.removeFirst().close() }
        self.socket = socket
        targetSocketAddress = socket.destination(target)
        boundAt = now
        count(.up) { $0.rebindings += 1 }
    }

    /// Sends a datagram to the server; false where the kernel does not take it.
    func send(_ bytes: [UInt8]) -> Bool { socket.send(bytes, to: targetSocketAddress) }

    /// Datagrams that the kernel dropped because the socket's buffer was full.
    var receiveBufferDrops: Int { socket.receiveBufferDrops }

    func close() {
        socket.close()
        for socket in forgotten { socket.close() }
    }
}
