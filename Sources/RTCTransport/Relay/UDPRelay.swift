import NIOCore
import RTCSim
import RTCWire
import Synchronization

/// Sees every datagram that comes to a relay, before the simulated network does. Called on the relay's event loop.
package protocol UDPRelayTap: AnyObject {
    func passed(_ bytes: UnsafeRawBufferPointer, relay: UDPRelay, leg: Int, _ direction: RelayDirection)
}

/// Stands between participants and one address of a server, as a bad network does.
///
/// Participants send to one port. Each gets a socket of its own towards the server, so that the server sees as many
/// addresses as there are participants. Loss, delay, jitter, reordering, duplication and rate follow a seeded
/// `NetworkModel` for each participant and direction. Memory is bounded by the configuration.
// Every member but `target` is touched on `loop` only; other threads hold the reference and hop.
package final class UDPRelay: @unchecked Sendable {
    package let loop: DatagramLoop
    /// Datagrams that came from nobody known: not from the server on a leg, or from more participants than are taken.
    package private(set) var strangers = 0
    package weak var tap: (any UDPRelayTap)?

    /// Where participants send to.
    package let address: TransportAddress
    private let number: Int
    private var configuration: RelayConfiguration
    private let socket: RelaySocket
    private let server = Mutex<TransportAddress?>(nil)
    private let clock: RelayClock
    private var legs: [RelayLeg] = []
    private var places: [TransportAddress: Int] = [:]
    /// Of participants who made room for others.
    private var retired = RelayDirection.allCases.map { _ in RelayStatistics() }
    private var line: DelayLine
    private var batchNow: Instant?
    private var timer: LoopTimer?
    private var isClosed = false

    private init(
        socket: RelaySocket, on loop: DatagramLoop, number: Int, configuration: RelayConfiguration, clock: RelayClock
    ) {
        self.socket = socket
        self.clock = clock
        self.loop = loop
        self.number = number
        self.configuration = configuration
        address = socket.address
        line = DelayLine(capacity: configuration.maximumHeld)
    }

    /// Binds the participants' port. Throws `UDPBindError`.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - number: tells relays of one seed apart, so that each has weather of its own.
    ///   - clock: relays of one participant have one.
    package static func bind(
        on loop: DatagramLoop, host: String, port: Int = 0, number: Int = 0,
        configuration: RelayConfiguration = .init(),
        clock: RelayClock = RelayClock()
    ) -> EventLoopFuture<UDPRelay> {
        loop.submit {
            let socket = try RelaySocket(on: loop, host: host, port: port, bufferSize: configuration.socketBufferSize)
            let relay = UDPRelay(socket: socket, on: loop, number: number, configuration: configuration, clock: clock)
            relay.begin()
            return relay
        }
    }

    private func begin() {
        // The sockets are the relay's, and both keep each other until it is closed.
        socket.received = { [self] bytes, source in received(bytes, fromParticipant: source) }
        socket.readCompleted = { [self] in readCompleted() }
        timer = LoopTimer { [weak self] in self?.timerFired() }
    }

    /// The server that participants are led to; nothing passes before it is set. Legs keep the server they began with.
    package var target: TransportAddress? {
        get { server.withLock { $0 } }
        set { server.withLock { $0 = newValue } }
    }

    /// How many participants have come.
    package var legCount: Int { legs.count }

    /// Changes what happens to datagrams from now on, in both directions and for everybody. On the relay's event loop.
    package func setConditions(_ conditions: NetworkConditions) { setConditions(up: conditions, down: conditions) }

    /// Changes what happens to datagrams from now on, each direction by itself. On the relay's event loop.
    package func setConditions(up: NetworkConditions, down: NetworkConditions) {
        configuration.up = up
        configuration.down = down
        for leg in legs { leg.weather.setConditions(configuration) }
    }

    /// Changes how often addresses change; nil for never. On the relay's event loop.
    package func setRebinding(_ interval: Interval?) { configuration.rebinding = interval }

    /// Gives everybody who has come another address now. On the relay's event loop.
    package func changeAddresses() {
        let now = self.now
        for leg in legs { changeAddress(of: leg, at: now) }
    }

    /// What happened in one direction, all participants together.
    package func statistics(_ direction: RelayDirection) -> RelayStatistics {
        legs.reduce(into: retired[direction.rawValue]) { $0 += $1.statistics(direction) }
    }

    /// How long a datagram that came now would wait at the bottleneck; the longest of all participants.
    package func queueDelay(_ direction: RelayDirection) -> Interval {
        legs.map { $0.weather.queueDelay(direction, at: now) }.max() ?? .zero
    }

    // MARK: Receiving

    private func received(_ bytes: UnsafeRawBufferPointer, fromParticipant source: TransportAddress) {
        guard let leg = leg(of: source) else {
            strangers += 1
            return
        }
        enter(bytes, leg, .up)
    }

    private func received(
        _ bytes: UnsafeRawBufferPointer, fromServer source: TransportAddress, on leg: RelayLeg, _ socket: RelaySocket
    ) {
        guard source == leg.target, leg.uses(socket) else {
            strangers += 1
            return
        }
        enter(bytes, leg, .down)
    }

    private func readCompleted() {
        let now = batchNow ?? self.now
        batchNow = nil
        deliver(at: now)
    }

    private func leg(of client: TransportAddress) -> RelayLeg? {
        if let known = places[client] { return legs[known] }
        guard !isClosed, let target else { return nil }
        let now = self.now
        let index = legs.count
        if index < configuration.maximumPeers {
            guard let leg = makeLeg(index, client, target, now) else { return nil }
            legs.append(leg)
            return leg
        }
        // Nothing of who has been silent for so long is still on its way.
        guard let silent = legs.min(by: { $0.lastUsed < $1.lastUsed }), now - silent.lastUsed > configuration.patience,
            let leg = makeLeg(silent.index, client, target, now)
        else { return nil }
        for direction in RelayDirection.allCases { retired[direction.rawValue] += silent.statistics(direction) }
        silent.close()
        places[silent.client] = nil
        legs[silent.index] = leg
        return leg
    }

    private func makeLeg(
        _ index: Int, _ client: TransportAddress, _ target: TransportAddress, _ now: Instant
    ) -> RelayLeg? {
        guard let socket = serverSocket(reaching: target) else { return nil }
        let leg = RelayLeg(
            index: index, client: client, target: target, socket: socket, weather: weather(of: index, now), now: now)
        listen(on: socket, leg)
        places[client] = index
        return leg
    }

    private func weather(of index: Int, _ now: Instant) -> RelayWeather {
        switch configuration.weather {
        case .own: return RelayWeather(configuration, origin: now, relay: number, place: index)
        case .same: return RelayWeather(configuration, origin: now)
        case .shared:
            let weather = clock.shared.weather ?? RelayWeather(configuration, origin: now)
            clock.shared.weather = weather
            return weather
        }
    }

    private func serverSocket(reaching target: TransportAddress) -> RelaySocket? {
        let host = RelaySocket.localHost(reaching: target)
        return try? RelaySocket(on: loop, host: host, bufferSize: configuration.socketBufferSize)
    }

    private func listen(on socket: RelaySocket, _ leg: RelayLeg) {
        socket.received = { [self, unowned leg, unowned socket] bytes, source in
            received(bytes, fromServer: source, on: leg, socket)
        }
        socket.readCompleted = { [self] in readCompleted() }
    }

    /// A NAT gives the participant another address, where it is time.
    private func rebind(_ leg: RelayLeg, at now: Instant) {
        guard let after = configuration.rebinding, now - leg.boundAt >= after else { return }
        changeAddress(of: leg, at: now)
    }

    private func changeAddress(of leg: RelayLeg, at now: Instant) {
        guard let socket = serverSocket(reaching: leg.target) else { return }
        listen(on: socket, leg)
        leg.rebind(to: socket, at: now)
    }

    private func enter(_ bytes: UnsafeRawBufferPointer, _ leg: RelayLeg, _ direction: RelayDirection) {
        let now = batchNow ?? self.now
        batchNow = now
        if direction == .up { rebind(leg, at: now) }
        tap?.passed(bytes, relay: self, leg: leg.index, direction)
        let delivery = leg.offer(length: bytes.count, direction, at: now)
        guard let first = delivery.first else { return }
        let copy = Array(bytes)
        for due in [first, delivery.duplicate] {
            guard let due else { continue }
            let isHeld = line.add(DelayLine.Parcel(due: due, leg: leg.index, direction: direction, bytes: copy))
            if !isHeld { leg.count(direction) { $0.overflowed += 1 } }
        }
    }

    // MARK: Sending

    /// Sends a datagram on a participant's own addresses, beside its traffic and past the simulated network: as if the
    /// participant (`up`) or the server (`down`) had sent it.
    package func inject(_ bytes: [UInt8], leg index: Int, _ direction: RelayDirection) {
        guard legs.indices.contains(index), send(bytes, legs[index], direction) else { return }
        legs[index].count(direction) { $0.injected += 1 }
    }

    private func deliver(at now: Instant) {
        while let parcel = line.pop(by: now) {
            let leg = legs[parcel.leg]
            let isSent = send(parcel.bytes, leg, parcel.direction)
            leg.count(parcel.direction) {
                guard isSent else { return $0.overflowed += 1 }
                $0.forwarded += 1
                $0.forwardedBytes += parcel.bytes.count
            }
        }
        guard let next = line.next, !isClosed, let timer else { return }
        loop.set(timer, to: clock.origin + Interval(nanoseconds: next.nanoseconds))
    }

    private func send(_ bytes: [UInt8], _ leg: RelayLeg, _ direction: RelayDirection) -> Bool {
        switch direction {
        case .up: leg.send(bytes)
        case .down: socket.send(bytes, to: socket.destination(leg.client))
        }
    }

    // MARK: Time

    private var now: Instant { Instant(nanoseconds: (MonotonicClock.now() - clock.origin).nanoseconds) }

    private func timerFired() { deliver(at: now) }

    // MARK: End

    /// Datagrams that the kernel dropped because a socket of the relay was full: the relay's fault.
    package var receiveBufferDrops: Int { legs.reduce(socket.receiveBufferDrops) { $0 + $1.receiveBufferDrops } }

    /// Closes all sockets; what is still on its way is lost.
    package func close() -> EventLoopFuture<Void> {
        loop.submit { [self] in
            isClosed = true
            if let timer { loop.remove(timer) }
            timer = nil
            socket.close()
            for leg in legs { leg.close() }
        }
    }
}
