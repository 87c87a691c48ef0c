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
// Every member but `target` is touched on `eventLoop` only; other threads hold the reference and hop.
package final class UDPRelay: @unchecked Sendable {
    package let eventLoop: any EventLoop
    /// Where participants send to.
    package let address: TransportAddress
    /// Datagrams that came from nobody known: not from the server on a leg, or from more participants than are taken.
    package private(set) var strangers = 0
    package weak var tap: (any UDPRelayTap)?

    private let number: Int
    private var configuration: RelayConfiguration
    private let channel: any Channel
    private let server = Mutex<TransportAddress?>(nil)
    private let origin = MonotonicClock.now()
    private var legs: [RelayLeg] = []
    private var line: DelayLine
    private var unflushed: [RelayLeg] = []
    private var needsFlush = false
    private var batchNow: Instant?
    private var timer: Scheduled<Void>?
    private var timerDeadline = Instant.distantFuture
    private var isClosed = false

    private init(channel: any Channel, address: TransportAddress, number: Int, configuration: RelayConfiguration) {
        self.channel = channel
        self.address = address
        self.number = number
        self.configuration = configuration
        eventLoop = channel.eventLoop
        line = DelayLine(capacity: configuration.maximumHeld)
    }

    /// Binds the participants' port. Throws `UDPBindError`.
    ///
    /// - Parameter number: tells relays of one seed apart, so that each has weather of its own.
    package static func bind(
        on eventLoop: any EventLoop, host: String, number: Int = 0, configuration: RelayConfiguration = .init()
    ) -> EventLoopFuture<UDPRelay> {
        RelaySocket.bind(on: eventLoop, host: host, bufferSize: configuration.socketBufferSize).flatMapThrowing {
            channel in
            guard let bound = channel.localAddress, let address = TransportAddress(bound) else {
                throw UDPBindError(host: host, port: 0, reason: "not an IP address")
            }
            let relay = UDPRelay(channel: channel, address: address, number: number, configuration: configuration)
            try channel.pipeline.syncOperations.addHandler(RelayHandler(relay: relay, leg: nil))
            return relay
        }
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

    func received(_ bytes: ByteBuffer, fromParticipant source: TransportAddress) {
        guard let leg = leg(of: source) else {
            strangers += 1
            return
        }
        enter(bytes, leg, .up)
    }

    func received(_ bytes: ByteBuffer, fromServer source: TransportAddress, on leg: RelayLeg) {
        guard source == leg.target else {
            strangers += 1
            return
        }
        enter(bytes, leg, .down)
    }

    func readCompleted() {
        let now = batchNow ?? self.now
        batchNow = nil
        deliver(at: now)
    }

    private func leg(of client: TransportAddress) -> RelayLeg? {
        if let known = legs.first(where: { $0.client == client }) { return known }
        guard !isClosed, legs.count < configuration.maximumPeers, let target else { return nil }
        let leg = RelayLeg(
            index: legs.count, client: client, target: target, configuration: configuration, relay: number)
        legs.append(leg)
        open(leg)
        return leg
    }

    private func enter(_ bytes: ByteBuffer, _ leg: RelayLeg, _ direction: RelayDirection) {
        let now = batchNow ?? self.now
        batchNow = now
        bytes.withUnsafeReadableBytes { tap?.passed($0, relay: self, leg: leg.index, direction) }
        let delivery = leg.offer(length: bytes.readableBytes, direction, at: now)
        guard let first = delivery.first else { return }
        // A copy of its own: the slice would keep the whole read buffer of a batch alive for as long as it waits.
        var copy = channel.allocator.buffer(capacity: bytes.readableBytes)
        copy.writeImmutableBuffer(bytes)
        for due in [first, delivery.duplicate] {
            guard let due else { continue }
            let isHeld = line.add(DelayLine.Parcel(due: due, leg: leg.index, direction: direction, bytes: copy))
            if !isHeld { leg.count(direction) { $0.overflowed += 1 } }
        }
    }

    // MARK: Sending

    /// Sends a datagram on a participant's own addresses, beside its traffic and past the simulated network: as if the
    /// participant (`up`) or the server (`down`) had sent it. `flush` sends what was injected.
    package func inject(_ bytes: [UInt8], leg index: Int, _ direction: RelayDirection) {
        guard legs.indices.contains(index), legs[index].channel != nil else { return }
        guard send(channel.allocator.buffer(bytes: bytes), legs[index], direction) else { return }
        legs[index].count(direction) { $0.injected += 1 }
    }

    /// Hands over to the kernel what was written.
    package func flush() {
        if needsFlush { channel.flush() }
        needsFlush = false
        for leg in unflushed {
            leg.channel?.flush()
            leg.needsFlush = false
        }
        unflushed.removeAll(keepingCapacity: true)
    }

    private func deliver(at now: Instant) {
        while let parcel = line.pop(by: now) {
            let leg = legs[parcel.leg]
            let isSent = send(parcel.bytes, leg, parcel.direction)
            leg.count(parcel.direction) { if isSent { $0.forwarded += 1 } else { $0.overflowed += 1 } }
        }
        flush()
        if let next = line.next, next < timerDeadline { schedule(next, now: now) }
    }

    private func send(_ bytes: ByteBuffer, _ leg: RelayLeg, _ direction: RelayDirection) -> Bool {
        if direction == .up {
            guard let channel = leg.channel else { return leg.hold(bytes) }
            guard channel.isWritable else { return false }
            channel.write(AddressedEnvelope(remoteAddress: leg.targetSocketAddress, data: bytes), promise: nil)
            if !leg.needsFlush { unflushed.append(leg) }
            leg.needsFlush = true
        } else {
            guard channel.isWritable else { return false }
            channel.write(AddressedEnvelope(remoteAddress: leg.clientSocketAddress, data: bytes), promise: nil)
            needsFlush = true
        }
        return true
    }

    private func open(_ leg: RelayLeg) {
        let host = RelaySocket.localHost(reaching: leg.target)
        let handler = NIOLoopBound(RelayHandler(relay: self, leg: leg), eventLoop: eventLoop)
        let bound = NIOLoopBound(leg, eventLoop: eventLoop)
        RelaySocket.bind(on: eventLoop, host: host, bufferSize: configuration.socketBufferSize).whenSuccess { channel in
            guard !self.isClosed, (try? channel.pipeline.syncOperations.addHandler(handler.value)) != nil else {
                channel.close(promise: nil)
                return
            }
            for waiting in bound.value.bound(channel) { _ = self.send(waiting, bound.value, .up) }
            self.flush()
        }
    }

    // MARK: Time

    private var now: Instant { Instant(nanoseconds: (MonotonicClock.now() - origin).nanoseconds) }

    private func schedule(_ deadline: Instant, now: Instant) {
        timer?.cancel()
        timerDeadline = deadline
        let wait = TimeAmount.nanoseconds(max(100_000, (deadline - now).nanoseconds))
        timer = eventLoop.scheduleTask(in: wait) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        timerDeadline = .distantFuture
        deliver(at: now)
    }

    // MARK: End

    /// Datagrams that the kernel dropped because a socket of the relay was full: the relay's fault.
    package func receiveBufferDrops() -> EventLoopFuture<Int> {
        let channels = [channel] + legs.compactMap(\.channel)
        let counts = channels.compactMap { ($0 as? any SocketOptionProvider).map(SocketDrops.read) }
        return EventLoopFuture.whenAllSucceed(counts, on: eventLoop).map { $0.reduce(0, +) }
    }

    /// Closes all sockets; what is still on its way is lost.
    package func close() -> EventLoopFuture<Void> {
        eventLoop.flatSubmit { [self] in
            isClosed = true
            timer?.cancel()
            timer = nil
            let loop = eventLoop
            let channels = [channel] + legs.compactMap { $0.release() }
            return EventLoopFuture.andAllComplete(channels.map { $0.close() }, on: loop)
        }
    }
}
