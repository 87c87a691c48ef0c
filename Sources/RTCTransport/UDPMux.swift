import Glibc
import NIOCore
import NIOPosix
import RTCCore
import RTCWire

/// One UDP port on one event loop, and the peers that share it.
///
/// Incoming datagrams are copied once into a scratch buffer, where SRTP is opened in place; they find their peer by
/// remote address, or by the ICE user name fragment of a first STUN check (RFC 8445 section 7.3). Everything that the
/// peers send during a batch leaves at its end with one flush. One timer serves all peers.
// Every member is touched on `eventLoop` only (asserted at the entry points); other threads hold the reference and hop.
package final class UDPMux: @unchecked Sendable {
    /// Longer datagrams are no RTP, DTLS or STUN of anybody's; they are dropped and counted.
    static let maximumDatagram = 2048
    /// Readings that follow each other before other work of the loop gets its turn.
    private static let maximumReadings = 16
    /// A peer's own candidates and those learnt from its checks.
    private static let addressesPerFlow = 96

    package let eventLoop: any EventLoop
    package let localAddress: TransportAddress
    package private(set) var statistics = UDPMuxStatistics()

    let configuration: UDPMuxConfiguration
    /// The addresses of this machine that the socket serves.
    package let bases: LocalBases
    private let channel: any Channel
    private let receiver: DatagramReceiver
    private let sender: BatchSender<DatagramSocket>
    private var arrivalClock: ArrivalClock
    /// The descriptor belongs to the channel and must not be used after it.
    private var isClosed = false
    private let outbox = Outbox()
    private var eventScratch: [PeerEvent] = []
    private var flows: [PeerFlow] = []
    private var byAddress: AddressTable
    private var byUfrag: [String: PeerFlow] = [:]
    /// Addresses of one flow from which checks for another have come; see `received(claimed:)`.
    private var claims = AddressClaims()
    private var touched: [PeerFlow] = []
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: DatagramReceiver.slotSize, alignment: 16)
    private var batchNow: Instant?
    private var timer: Scheduled<Void>?
    private var timerDeadline = Instant.distantFuture
    /// The STUN and TURN servers of the one peer that the socket serves.
    private var servers: ServerPaths?
    private let ntpOffset = MonotonicClock.ntpOffset()
    /// Is told what holds the loop for long; nil where nobody asks.
    package var meter: StallMeter?
    private var datagramTimer = DatagramTimer()

    init(
        channel: any Channel, socket: DatagramSocket, receiver: DatagramReceiver, localAddress: TransportAddress,
        configuration: UDPMuxConfiguration
    ) {
        self.channel = channel
        self.receiver = receiver
        let bases = LocalBases(bound: localAddress, wanted: configuration.addresses)
        self.bases = bases
        sender = BatchSender(socket: socket, sources: bases, isOffloading: configuration.segmentationOffload)
        byAddress = AddressTable(isIPv4: socket.isIPv4)
        arrivalClock = ArrivalClock(now: MonotonicClock.now(), realNow: MonotonicClock.realTime())
        self.eventLoop = channel.eventLoop
        self.localAddress = localAddress
        self.configuration = configuration
    }

    deinit { scratch.deallocate() }

    // MARK: Flows

    package var flowCount: Int { flows.count }

    /// Adds a peer. `nil` where the mux is full or another peer has the same user name fragment.
    package func makeFlow(configuration peerConfiguration: PeerConfiguration, handler: (any PeerFlowHandler)?)
        -> PeerFlow?
    {
        eventLoop.preconditionInEventLoop()
        guard flows.count < configuration.maximumFlows else { return nil }
        var peer = Peer(configuration: peerConfiguration, now: MonotonicClock.now())
        peer.setClock(ntpOffset: ntpOffset)
        let ufrag = peer.localCredentials.ufrag
        guard byUfrag[ufrag] == nil else { return nil }
        let flow = PeerFlow(mux: self, peer: peer, handler: handler)
        byUfrag[ufrag] = flow
        flow.ufrags = [ufrag]
        flows.append(flow)
        return flow
    }

    /// Makes datagrams find `flow` by its peer's present user name fragment too (after an ICE restart); the one before
    /// stays, those before that are forgotten.
    package func registerCredentials(of flow: PeerFlow) {
        eventLoop.preconditionInEventLoop()
        let ufrag = flow.peer.localCredentials.ufrag
        guard byUfrag[ufrag] == nil else { return }
        byUfrag[ufrag] = flow
        flow.ufrags.append(ufrag)
        if flow.ufrags.count > 2 { byUfrag[flow.ufrags.removeFirst()] = nil }
    }

    func remove(_ flow: PeerFlow) {
        flows.removeAll { $0 === flow }
        byAddress.remove(flow)
        for ufrag in flow.ufrags { byUfrag[ufrag] = nil }
        claims.remove(flow)
        touched.removeAll { $0 === flow }
    }

    /// Closes the socket. Flows that are left are closed first.
    package func close() -> EventLoopFuture<Void> {
        eventLoop.flatSubmit { [self] in
            for flow in flows { flow.close() }
            closeServers()
            timer?.cancel()
            timer = nil
            isClosed = true
            let loop = eventLoop
            return channel.close().flatMapError { _ in loop.makeSucceededVoidFuture() }
        }
    }

    // MARK: Work

    func perform(_ flow: PeerFlow, _ body: (Outbox, Instant) -> Void) {
        eventLoop.preconditionInEventLoop()
        guard !flow.isClosed else { return }
        let now = batchNow ?? MonotonicClock.now()
        body(outbox, now)
        touch(flow)
        deliverEvents(of: flow, in: nil)
        if batchNow == nil { flush(now: now) }
    }

    /// Takes the datagram that NIO has read, and all others that wait.
    func received(_ envelope: AddressedEnvelope<ByteBuffer>) {
        readClocks()
        if meter != nil { datagramTimer.begin(arrivalClock.now) }
        guard let source = TransportAddress(envelope.remoteAddress) else { return }
        let isTooLong = envelope.data.readableBytes > scratch.count
        let length = isTooLong ? scratch.count : envelope.data.readableBytes
        envelope.data.withUnsafeReadableBytes {
            scratch.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<length]))
        }
        take(UnsafeMutableRawBufferPointer(rebasing: scratch[..<length]), arrival(source, receiver.takePeeked()))
        readOthers()
    }

    private func readOthers() {
        for _ in 0..<UDPMux.maximumReadings {
            guard !isClosed else { return }
            let readingBegan = arrivalClock.now
            let count = receiver.read()
            if count > 0 {
                readClocks()
                receiver.forEach(count) { bytes, source, received in
                    guard !isClosed else { return }
                    take(bytes, arrival(source, received))
                }
            }
            if count < receiver.capacity { return arrivalClock.drained(at: readingBegan) }
        }
    }

    private func take(_ bytes: UnsafeMutableRawBufferPointer, _ arrival: DatagramArrival) {
        receivedDatagram(bytes, arrival)
        if let meter, let hold = datagramTimer.next() { meter.note(hold, UnsafeRawBufferPointer(bytes)) }
    }

    private func readClocks() {
        arrivalClock.set(now: MonotonicClock.now(), realNow: MonotonicClock.realTime())
        batchNow = arrivalClock.now
    }

    private func arrival(_ source: TransportAddress, _ received: ControlMessages.Received) -> DatagramArrival {
        DatagramArrival(
            source: source, base: bases.base(of: received.destination), now: arrivalClock.now,
            time: arrivalClock.arrival(realTime: received.realTime))
    }

    private func receivedDatagram(_ bytes: UnsafeMutableRawBufferPointer, _ arrival: DatagramArrival) {
        statistics.datagramsReceived += 1
        statistics.bytesReceived += bytes.count
        guard bytes.count <= UDPMux.maximumDatagram else {
            statistics.oversized += 1
            return
        }
        let source = arrival.source
        if let servers, servers.isServer(source) { return received(bytes, from: servers, arrival) }
        switch route(UnsafeRawBufferPointer(bytes), from: source) {
        case .unknown: statistics.unknownSource += 1
        case .bound(let flow): deliver(bytes, to: flow, arrival)
        case .named(let flow):
            deliver(bytes, to: flow, arrival)
            // An address is remembered only once an authenticated check has come from it.
            if !flow.isClosed, flow.peer.trusts(source) { bind(source, to: flow) }
        case .claim(let flow, let owner): received(claim: bytes, to: flow, of: owner, arrival)
        case .claimed(let flow, let owner): received(claimed: bytes, flow, owner, arrival)
        }
    }

    private func received(_ bytes: UnsafeMutableRawBufferPointer, from servers: ServerPaths, _ arrival: DatagramArrival)
    {
        let raw = UnsafeRawBufferPointer(bytes)
        if let relayed = servers.receive(raw, from: arrival.source, now: arrival.now, into: outbox) {
            var arrival = arrival
            arrival.source = relayed.source
            arrival.base = relayed.base
            deliver(UnsafeMutableRawBufferPointer(rebasing: bytes[relayed.range]), to: servers.flow, arrival)
        } else {
            // What it has told may have set the peer in motion.
            touch(servers.flow)
            deliverEvents(of: servers.flow, in: nil)
        }
    }

    private func deliver(_ datagram: UnsafeMutableRawBufferPointer, to flow: PeerFlow, _ arrival: DatagramArrival) {
        guard !flow.isClosed else { return }
        flow.count(bytes: datagram.count)
        flow.peer.receive(
            datagram, from: arrival.source, localBase: arrival.base, now: arrival.now, arrival: arrival.time,
            into: outbox)
        touch(flow)
        deliverEvents(of: flow, in: UnsafeRawBufferPointer(datagram))
    }

    func readCompleted() {
        guard let now = batchNow else { return }
        for flow in touched { flow.handler?.batchEnded(on: flow) }
        batchNow = nil
        flush(now: now)
        if let meter, let hold = datagramTimer.end() { meter.note(hold) }
    }

    /// Which flow a datagram is for, by its source address and, for STUN, by the user name in it.
    private func route(_ bytes: UnsafeRawBufferPointer, from source: TransportAddress) -> DatagramRoute {
        if configuration.isExclusive { return flows.first.map { .bound($0) } ?? .unknown }
        let entry = byAddress.find(source)
        guard entry >= 0, let owner = byAddress.entries[entry].flow else {
            return STUNUsername.localFragment(bytes).flatMap { byUfrag[$0] }.map { .named($0) } ?? .unknown
        }
        guard bytes.count >= 20, bytes[0] < 4 else { return .bound(owner) }
        // A check may name another peer: the address can have changed hands, or somebody repeats what that one has sent.
        if let ufrag = STUNUsername.localFragment(bytes), let named = byUfrag[ufrag], named !== owner {
            return .claim(named, of: owner)
        }
        if !claims.isEmpty, STUNUsername.isResponse(bytes), let claimant = claims.claimant(of: source) {
            return .claimed(claimant, of: owner)
        }
        return .bound(owner)
    }

    /// A check for `flow` has come from an address of `owner`. An intact check is no proof: who can read the network can
    /// send one again from any address. The flow checks back, and gets the address by the answer to that alone, which
    /// nobody else can make.
    private func received(
        claim bytes: UnsafeMutableRawBufferPointer, to flow: PeerFlow, of owner: PeerFlow, _ arrival: DatagramArrival
    ) {
        deliver(bytes, to: flow, arrival)
        if !flow.isClosed, flow.peer.trusts(arrival.source) { claims.add(arrival.source, flow) }
    }

    /// A response from a claimed address: the claimant's if it answers a check of the claimant's, else the owner's.
    private func received(
        claimed bytes: UnsafeMutableRawBufferPointer, _ claimant: PeerFlow, _ owner: PeerFlow,
        _ arrival: DatagramArrival
    ) {
        let before = claimant.peer.iceStatistics.answered
        deliver(bytes, to: claimant, arrival)
        guard !claimant.isClosed, claimant.peer.iceStatistics.answered != before else {
            return deliver(bytes, to: owner, arrival)
        }
        claims.remove(arrival.source)
        bind(arrival.source, to: claimant)
        statistics.reboundAddresses += 1
    }

    /// Remembers that datagrams from `source` are for `flow`. One flow keeps so many addresses; those that its peer no
    /// longer believes in give way.
    private func bind(_ source: TransportAddress, to flow: PeerFlow) {
        let count = byAddress.count(of: flow)
        if count >= UDPMux.addressesPerFlow {
            byAddress.remove { $0.flow === flow && !flow.peer.trusts($0.address) }
            guard byAddress.count(of: flow) < UDPMux.addressesPerFlow else { return }
        }
        byAddress.insert(source, flow: flow)
    }

    private func touch(_ flow: PeerFlow) {
        guard !flow.touched else { return }
        flow.touched = true
        touched.append(flow)
    }

    private func deliverEvents(of flow: PeerFlow, in buffer: UnsafeRawBufferPointer?) {
        guard !outbox.events.isEmpty else { return }
        // Handlers may make other peers speak, so the outbox must be free for them: the two arrays change places.
        var events = eventScratch
        eventScratch = []
        swap(&events, &outbox.events)
        for event in events {
            switch event {
            case .rtp(let packet):
                if let buffer { flow.handler?.received(packet, in: buffer, on: flow) }
            default:
                flow.handler?.handle(event, on: flow)
            }
        }
        events.removeAll(keepingCapacity: true)
        eventScratch = events
    }

    // MARK: Sending

    private func flush(now: Instant) {
        send(now)
        var earliest = min(timerDeadline, servers?.nextDeadline ?? .distantFuture)
        for flow in touched {
            flow.touched = false
            flow.deadline = flow.isClosed ? .distantFuture : flow.peer.nextDeadline?.instant ?? .distantFuture
            if flow.deadline < earliest { earliest = flow.deadline }
        }
        touched.removeAll(keepingCapacity: true)
        if earliest < timerDeadline { schedule(earliest, now: now) }
    }

    private func send(_ now: Instant) {
        guard !outbox.datagrams.isEmpty else { return }
        defer { outbox.removeDatagrams() }
        outbox.putInOrder()
        servers?.prepare(outbox, now: now)
        guard !isClosed else { return }
        sender.send(outbox, to: byAddress, now: now, &statistics)
    }

    func channelClosed() { isClosed = true }

    // MARK: Time

    private func schedule(_ deadline: Instant, now: Instant) {
        timer?.cancel()
        timerDeadline = deadline
        let granularity = Int64(configuration.timerGranularityMilliseconds) * 1_000_000
        let wait = max(granularity, deadline.nanoseconds - now.nanoseconds)
        timer = eventLoop.scheduleTask(in: .nanoseconds(min(wait, 3_600_000_000_000))) { [weak self] in
            self?.timerFired()
        }
    }

    private func timerFired() {
        guard let meter else { return advanceFlows() }
        meter.measure(.timer, "deadlines of peers") { advanceFlows() }
    }

    private func advanceFlows() {
        statistics.wakeUps += 1
        timerDeadline = .distantFuture
        let now = MonotonicClock.now()
        batchNow = now
        // By index and from a copy: handlers may add and remove flows.
        for flow in flows where flow.deadline <= now {
            guard !flow.isClosed else { continue }
            flow.peer.advance(to: now, into: outbox)
            touch(flow)
            deliverEvents(of: flow, in: nil)
        }
        if let servers {
            servers.advance(to: now, into: outbox)
            touch(servers.flow)
            deliverEvents(of: servers.flow, in: nil)
        }
        batchNow = nil
        flush(now: now)
        var earliest = servers?.nextDeadline ?? .distantFuture
        for flow in flows where flow.deadline < earliest { earliest = flow.deadline }
        if earliest < timerDeadline { schedule(earliest, now: now) }
    }

    // MARK: STUN and TURN servers

    /// Asks servers for candidates of `flow`, which must be the only one on its socket. Call on the event loop.
    ///
    /// - Parameter allowsDirect: false where only relayed candidates may come of it.
    package func gather(_ addresses: [ICEServerAddress], for flow: PeerFlow, allowsDirect: Bool) {
        eventLoop.preconditionInEventLoop()
        guard configuration.isExclusive, !flow.isClosed, !isClosed, !addresses.isEmpty else { return }
        let paths = servers ?? ServerPaths(mux: self, flow: flow, allowsDirect: allowsDirect)
        servers = paths
        serversActed { now, outbox in paths.add(addresses, now: now, into: outbox) }
    }

    /// From now on servers are asked for relays only.
    package func forbidDirect() { servers?.allowsDirect = false }

    /// Runs what a server, or the way to it, has brought about, and sends what follows.
    func serversActed(_ body: (Instant, Outbox) -> Void) {
        let isNested = batchNow != nil
        let now = batchNow ?? MonotonicClock.now()
        batchNow = now
        body(now, outbox)
        if let flow = servers?.flow, !flow.isClosed {
            touch(flow)
            deliverEvents(of: flow, in: nil)
        }
        guard !isNested else { return }
        batchNow = nil
        flush(now: now)
    }

    func deliverRelayed(
        _ bytes: UnsafeRawBufferPointer, to flow: PeerFlow, _ relayed: ServerPaths.Arrival, now: Instant
    ) {
        guard bytes.count <= UDPMux.maximumDatagram else {
            statistics.oversized += 1
            return
        }
        scratch.copyMemory(from: bytes)
        deliver(
            UnsafeMutableRawBufferPointer(rebasing: scratch[..<bytes.count]), to: flow,
            DatagramArrival(source: relayed.source, base: relayed.base, now: now, time: now))
    }

    /// What passed through relays so far.
    package var relayTraffic: RelayTraffic { servers?.traffic ?? RelayTraffic() }

    private func closeServers() {
        guard let paths = servers else { return }
        let now = MonotonicClock.now()
        paths.close(now: now, into: outbox)
        send(now)
        servers = nil
    }

    /// Reads the kernel's count of datagrams lost to a full receive buffer into `statistics`.
    package func refreshKernelDrops() -> EventLoopFuture<Void> {
        guard let provider = channel as? any SocketOptionProvider else { return eventLoop.makeSucceededVoidFuture() }
        return SocketDrops.read(provider).map { [self] in statistics.receiveBufferDrops = $0 }
    }
}
