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
    private let origin = MonotonicClock.now()
    private var legs: [RelayLeg] = []
    private var line: DelayLine
    private var batchNow: Instant?
    private var timer: LoopTimer?
    private var isClosed = false

    private init(socket: RelaySocket, on loop: DatagramLoop, number: Int, configuration: RelayConfiguration) {
        self.socket = socket
        self.loop = loop
        self.number = number
        self.configuration = configuration
        address = socket.address
        line = DelayLine(capacity: configuration.maximumHeld)
    }

    /// Binds the participants' port. Throws `UDPBindError`.
    ///
    /// - Parameter number: tells relays of one seed apart, so that each has weather of its own.
    package static func bind(
        on loop: DatagramLoop, host: String, number: Int = 0, configuration: RelayConfiguration = .init()
    ) -> EventLoopFuture<UDPRelay> {
        loop.submit {
            let socket = try RelaySocket(on: loop, host: host, bufferSize: configuration.socketBufferSize)
            let relay = UDPRelay(socket: socket, on: loop, number: number, configuration: configuration)
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

    /// Changes what happens to datagrams from now on, for everybody. On the relay's event loop.
    package func setConditions(_ conditions: NetworkConditions) {
        configuration.up = conditions
        configuration.down = conditions
        for leg in legs { leg.setConditions(configuration) }
    }

    /// What happened in one direction, all participants together.
    package func statistics(_ direction: RelayDirection) -> RelayStatistics {
        legs.reduce(into: RelayStatistics()) { $0 += $1.statistics(direction) }
    }

    // MARK: Receiving

    private func received(_ bytes: UnsafeRawBufferPointer, fromParticipant source: TransportAddress) {
        guard let leg = leg(of: source) else {
            strangers += 1
            return
        }
        enter(bytes, leg, .up)
    }

    private func received(_ bytes: UnsafeRawBufferPointer, fromServer source: TransportAddress, on leg: RelayLeg) {
        guard source == leg.target else {
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
        if let known = legs.first(where: { $0.client == client }) { return known }
        guard !isClosed, legs.count < configuration.maximumPeers, let target else { return nil }
        let host = RelaySocket.localHost(reaching: target)
        guard let socket = try? RelaySocket(on: loop, host: host, bufferSize: configuration.socketBufferSize) else {
            return nil
        }
        let leg = RelayLeg(
            index: legs.count, client: client, target: target, socket: socket, configuration: configuration,
            relay: number)
        socket.received = { [self, unowned leg] bytes, source in received(bytes, fromServer: source, on: leg) }
        socket.readCompleted = { [self] in readCompleted() }
        legs.append(leg)
        return leg
    }

    private func enter(_ bytes: UnsafeRawBufferPointer, _ leg: RelayLeg, _ direction: RelayDirection) {
        let now = batchNow ?? self.now
        batchNow = now
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
            leg.count(parcel.direction) { if isSent { $0.forwarded += 1 } else { $0.overflowed += 1 } }
        }
        guard let next = line.next, !isClosed, let timer else { return }
        loop.set(timer, to: origin + Interval(nanoseconds: next.nanoseconds))
    }

    private func send(_ bytes: [UInt8], _ leg: RelayLeg, _ direction: RelayDirection) -> Bool {
        switch direction {
        case .up: leg.send(bytes)
        case .down: socket.send(bytes, to: socket.destination(leg.client))
        }
    }

    // MARK: Time

    private var now: Instant { Instant(nanoseconds: (MonotonicClock.now() - origin).nanoseconds) }

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
