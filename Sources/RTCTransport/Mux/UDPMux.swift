import NIOCore
import RTCCore
import RTCWire

/// One UDP port on one loop, and the peers that share it.
///
/// Incoming datagrams are opened in place, in the memory that they were read into, and find their peer by `FlowRouter`.
/// Everything that the peers send during a batch leaves at its end with one flush. One timer serves all peers.
// Every member is touched on `loop` only (asserted at the entry points); other threads hold the reference and hop.
package final class UDPMux: @unchecked Sendable {
    /// Longer datagrams are no RTP, DTLS or STUN of anybody's; they are dropped and counted.
    static let maximumDatagram = 2048
    /// Readings that follow each other before other work of the loop gets its turn.
    private static let maximumReadings = 16

    package let loop: DatagramLoop
    /// The addresses of this machine that the socket serves.
    package private(set) var bases: LocalBases
    package internal(set) var statistics = UDPMuxStatistics()
    let configuration: UDPMuxConfiguration
    /// The STUN and TURN servers of the one peer that the socket serves.
    var servers: ServerPaths?
    /// What went through those of a socket that was left.
    var relayTrafficBefore = RelayTraffic()
    /// Its TCP connections; nil where there are none to be had.
    var streams: StreamPort?
    var batch: MuxBatch
    private var port: WatchedSocket
    private var sender: BatchSender<DatagramSocket>
    var router: FlowRouter
    var deadlines: FlowDeadlines
    private var arrivals = ArrivalClock(now: MonotonicClock.now(), realNow: MonotonicClock.realTime())
    private var holds = HoldWatch()
    private let ntpOffset = MonotonicClock.ntpOffset()

    /// Takes a socket that is bound. On the loop.
    init(_ socket: DatagramSocket, on loop: DatagramLoop, configuration: UDPMuxConfiguration) throws(IOError) {
        self.loop = loop
        self.configuration = configuration
        batch = MuxBatch(loop.outboxes)
        bases = LocalBases(bound: socket.address, wanted: configuration.addresses)
        port = WatchedSocket(socket, on: loop)
        sender = BatchSender(
            socket: socket, sources: bases, isOffloading: configuration.segmentationOffload, messages: loop.sends)
        router = FlowRouter(isIPv4: socket.isIPv4, configuration)
        let box = TimedMux()
        deadlines = FlowDeadlines(granularity: .milliseconds(configuration.timerGranularityMilliseconds)) {
            box.mux?.timerFired()
        }
        box.mux = self
        try port.begin(self)
    }

    package var eventLoop: any EventLoop { loop }
    package var localAddress: TransportAddress { bases.bound }

    /// Is told what holds the loop for long; nil where nobody asks.
    package var meter: StallMeter? {
        get { holds.meter }
        set { holds.meter = newValue }
    }

    var isClosed: Bool { port.socket.isClosed }

    // MARK: Flows

    package var flowCount: Int { router.flows.count }

    /// Adds a peer. `nil` where the mux is full or another peer has the same user name fragment.
    package func makeFlow(configuration peerConfiguration: PeerConfiguration, handler: (any PeerFlowHandler)?)
        -> PeerFlow?
    {
        loop.preconditionInEventLoop()
        var peer = Peer(configuration: peerConfiguration, now: MonotonicClock.now())
        peer.setClock(ntpOffset: ntpOffset)
        let ufrag = peer.localCredentials.ufrag
        guard router.takes(ufrag) else { return nil }
        let flow = PeerFlow(mux: self, peer: peer, handler: handler)
        router.add(flow, ufrag)
        return flow
    }

    /// Adds what has a peer at its heart. `nil` as above.
    package func makeFlow(endpoint: any PeerEndpoint, handler: (any PeerFlowHandler)?) -> PeerFlow? {
        loop.preconditionInEventLoop()
        endpoint.peer.setClock(ntpOffset: ntpOffset)
        let ufrag = endpoint.peer.localCredentials.ufrag
        guard router.takes(ufrag) else { return nil }
        let flow = PeerFlow(mux: self, endpoint: endpoint, handler: handler)
        router.add(flow, ufrag)
        return flow
    }

    /// Makes datagrams find `flow` by its peer's present user name fragment too (after an ICE restart); the one before
    /// stays, those before that are forgotten.
    package func registerCredentials(of flow: PeerFlow) {
        loop.preconditionInEventLoop()
        router.rename(flow, flow.peer.localCredentials.ufrag)
    }

    func remove(_ flow: PeerFlow) {
        router.remove(flow)
        deadlines.remove(flow)
        batch.forget(flow)
    }

    /// Closes the socket. Flows that are left are closed first.
    package func close() -> EventLoopFuture<Void> {
        loop.submit { [self] in
            for flow in router.flows { flow.close() }
            closeServers()
            streams?.close()
            deadlines.stop(on: loop)
            sender.abandon(&statistics)
            port.close()
        }
    }

    /// From now on another socket is read and sent from. What waited for room in the old one is lost with it.
    func replaceSocket(_ fresh: WatchedSocket, _ bases: LocalBases) {
        sender.abandon(&statistics)
        port.close()
        port = fresh
        self.bases = bases
        sender = BatchSender(
            socket: fresh.socket, sources: bases, isOffloading: configuration.segmentationOffload,
            messages: loop.sends)
        router.forgetAddresses(isIPv4: fresh.socket.isIPv4)
    }

    /// Reads the kernel's count of datagrams lost to a full receive buffer into `statistics`.
    package func refreshKernelDrops() -> EventLoopFuture<Void> {
        loop.submit { [self] in
            if let drops = port.socket.receiveBufferDrops { statistics.receiveBufferDrops = drops }
        }
    }

    // MARK: Work

    func perform(_ flow: PeerFlow, _ body: (Outbox, Instant) -> Void) {
        loop.preconditionInEventLoop()
        guard !flow.isClosed else { return }
        let now = batch.now ?? MonotonicClock.now()
        batch.calls += 1
        body(batch.outbox, now)
        batch.calls -= 1
        batch.touch(flow)
        deliverEvents(of: flow, in: nil)
        if batch.now == nil { flush(now: now) }
    }

    /// Sends a packet through `flow`: what `perform` does, for the one call that is made for each copy of each packet and
    /// that tells nothing.
    func forward(
        _ packet: OutgoingRTP, _ prefix: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer,
        through flow: PeerFlow
    ) -> Bool {
        loop.preconditionInEventLoop()
        guard !flow.isClosed else { return false }
        let now = batch.now ?? MonotonicClock.now()
        let isSent = flow.peer.forward(packet, prefix: prefix, payload: payload, now: now, into: batch.outbox)
        batch.touch(flow)
        if batch.now == nil { flush(now: now) }
        return isSent
    }

    /// Runs `body` as part of a batch, and sends what follows at the end of the outermost one.
    func inBatch(_ body: (Instant, Outbox) -> Void) {
        if let now = batch.now { return body(now, batch.outbox) }
        let now = MonotonicClock.now()
        batch.now = now
        body(now, batch.outbox)
        batch.now = nil
        flush(now: now)
    }

    /// What one of the mux's own has brought about for `flow`.
    func acted(_ flow: PeerFlow) {
        guard !flow.isClosed else { return }
        batch.touch(flow)
        deliverEvents(of: flow, in: nil)
    }

    // MARK: Receiving

    /// Reads what waits, for as long as others of the loop can be asked to wait.
    private func readAll() {
        for _ in 0..<UDPMux.maximumReadings {
            let began = MonotonicClock.now()
            let count = loop.receiver.read(port.socket.descriptor)
            guard count > 0 else { return }
            let isFirst = batch.now == nil
            arrivals.set(now: MonotonicClock.now(), realNow: MonotonicClock.realTime())
            batch.now = arrivals.now
            if isFirst { holds.begin(arrivals.now) }
            loop.receiver.forEach(count) { bytes, source, received in
                guard !isClosed else { return }
                receive(bytes, arrival(source, received))
                holds.handled(UnsafeRawBufferPointer(bytes))
            }
            guard !isClosed else { return }
            if count < loop.receiver.capacity { return arrivals.drained(at: began) }
        }
    }

    private func arrival(_ source: TransportAddress, _ received: ControlMessages.Received) -> DatagramArrival {
        DatagramArrival(
            source: source, base: bases.base(of: received.destination), now: arrivals.now,
            time: arrivals.arrival(realTime: received.realTime))
    }

    /// Takes one datagram of a batch.
    func receive(_ bytes: UnsafeMutableRawBufferPointer, _ arrival: DatagramArrival) {
        statistics.datagramsReceived += 1
        statistics.bytesReceived += bytes.count
        guard bytes.count <= UDPMux.maximumDatagram else {
            statistics.oversized += 1
            return
        }
        let source = arrival.source
        if let servers, servers.isServer(source) { return received(bytes, from: servers, arrival) }
        switch router.route(UnsafeRawBufferPointer(bytes), from: source) {
        case .unknown: statistics.unknownSource += 1
        case .bound(let flow): deliver(bytes, to: flow, arrival)
        case .named(let flow):
            deliver(bytes, to: flow, arrival)
            // An address is remembered only once an authenticated check has come from it.
            if !flow.isClosed, flow.peer.trusts(source) { router.bind(source, to: flow) }
        case .claim(let flow, let owner): received(claim: bytes, to: flow, of: owner, arrival)
        case .claimed(let flow, let owner): received(claimed: bytes, flow, owner, arrival)
        }
    }

    func deliver(_ datagram: UnsafeMutableRawBufferPointer, to flow: PeerFlow, _ arrival: DatagramArrival) {
        guard !flow.isClosed else { return }
        flow.receive(datagram, arrival, into: batch.outbox)
        batch.touch(flow)
        deliverEvents(of: flow, in: UnsafeRawBufferPointer(datagram))
    }

    /// A check for `flow` has come from an address of `owner`. An intact check is no proof: who can read the network can
    /// send one again from any address. The flow checks back, and gets the address by the answer to that alone, which
    /// nobody else can make.
    private func received(
        claim bytes: UnsafeMutableRawBufferPointer, to flow: PeerFlow, of owner: PeerFlow, _ arrival: DatagramArrival
    ) {
        deliver(bytes, to: flow, arrival)
        if !flow.isClosed, flow.peer.trusts(arrival.source) { router.claim(arrival.source, for: flow) }
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
        router.settle(arrival.source, for: claimant)
        statistics.reboundAddresses += 1
    }

    private func deliverEvents(of flow: PeerFlow, in buffer: UnsafeRawBufferPointer?) {
        guard let events = batch.takeEvents() else { return }
        for event in events {
            switch event {
            case .rtp(let packet):
                if let buffer { flow.handler?.received(packet, in: buffer, on: flow) }
            default:
                flow.handler?.handle(event, on: flow)
            }
        }
        batch.reuse(consume events)
    }

    /// Ends a batch of what was read.
    func endBatch(_ now: Instant) {
        for flow in batch.touched { flow.handler?.batchEnded(on: flow) }
        batch.now = nil
        flush(now: now)
    }

    // MARK: Sending

    private func flush(now: Instant) {
        send(now)
        batch.rest()
        let touched = batch.takeTouched()
        for flow in touched { deadlines.update(flow) }
        batch.reuse(consume touched)
        guard !isClosed else { return }
        deadlines.schedule(on: loop, otherDeadline, now: now)
    }

    /// Sends what stands in the outbox.
    func send(_ now: Instant) {
        let outbox = batch.outbox
        guard !outbox.datagrams.isEmpty else { return }
        defer { outbox.removeDatagrams() }
        outbox.putInOrder()
        servers?.prepare(outbox, now: now)
        streams?.prepare(outbox)
        guard !isClosed else { return }
        sender.send(outbox, to: router.addresses, now: now, &statistics)
        port.watchRoom(sender.isBlocked)
    }

    // MARK: Time

    private func timerFired() {
        deadlines.fired()
        guard let meter else { return advanceFlows() }
        meter.measure(.timer, "deadlines of peers") { advanceFlows() }
    }

    private func advanceFlows() {
        statistics.wakeUps += 1
        inBatch { now, outbox in
            let mark = deadlines.mark
            while let flow = deadlines.pop(by: now, setBefore: mark) {
                guard !flow.isClosed else { continue }
                flow.advance(to: now, into: outbox)
                acted(flow)
            }
            streams?.advance(to: now)
            guard let servers else { return }
            servers.advance(to: now, into: outbox)
            acted(servers.flow)
        }
    }
}

extension UDPMux: DatagramSource {
    func socketIsReadable() {
        readAll()
        guard let now = batch.now else { return }
        endBatch(now)
        holds.end()
    }

    func socketIsWritable() {
        sender.resume(&statistics)
        port.watchRoom(sender.isBlocked)
    }
}

/// What a timer holds of its mux, which stops the timer when it closes, and is the loop's until then. Not weak: each
/// reference to an object that has weak ones is counted in another place of the memory.
// Touched on the loop only.
private final class TimedMux {
    unowned var mux: UDPMux?
}
