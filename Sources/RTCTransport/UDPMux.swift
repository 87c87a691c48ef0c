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
    /// A peer's own candidates and those learnt from its checks.
    private static let addressesPerFlow = 96

    package let eventLoop: any EventLoop
    package let localAddress: TransportAddress
    package private(set) var statistics = UDPMuxStatistics()

    let configuration: UDPMuxConfiguration
    private let channel: any Channel
    private let socket: DatagramSocket
    /// The descriptor belongs to the channel and must not be used after it.
    private var isClosed = false
    private var isOffloading: Bool
    private let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: DatagramBatch.maximumSegments)
    private let outbox = Outbox()
    private var eventScratch: [PeerEvent] = []
    private var batch = DatagramBatch()
    private var flows: [PeerFlow] = []
    private var byAddress: AddressTable
    private var byUfrag: [String: PeerFlow] = [:]
    /// Addresses of one flow from which checks for another have come; see `received(claimed:)`.
    private var claims = AddressClaims()
    private var touched: [PeerFlow] = []
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumDatagram, alignment: 16)
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
        channel: any Channel, socket: DatagramSocket, localAddress: TransportAddress, configuration: UDPMuxConfiguration
    ) {
        self.channel = channel
        self.socket = socket
        isOffloading = configuration.segmentationOffload
        byAddress = AddressTable(isIPv4: socket.isIPv4)
        self.eventLoop = channel.eventLoop
        self.localAddress = localAddress
        self.configuration = configuration
    }

    deinit {
        scratch.deallocate()
        vectors.deallocate()
    }

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

    func received(_ envelope: AddressedEnvelope<ByteBuffer>) {
        if batchNow == nil {
            let now = MonotonicClock.now()
            batchNow = now
            if meter != nil { datagramTimer.begin(now) }
        }
        guard let now = batchNow, let source = TransportAddress(envelope.remoteAddress) else { return }
        let segment = envelope.metadata?.segmentSize ?? envelope.data.readableBytes
        envelope.data.withUnsafeReadableBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let end = min(bytes.count, offset + max(1, segment))
                let datagram = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
                receivedDatagram(datagram, from: source, now: now)
                if let meter, let hold = datagramTimer.next() { meter.note(hold, datagram) }
                offset = end
            }
        }
    }

    private func receivedDatagram(_ bytes: UnsafeRawBufferPointer, from source: TransportAddress, now: Instant) {
        statistics.datagramsReceived += 1
        statistics.bytesReceived += bytes.count
        guard bytes.count <= UDPMux.maximumDatagram else {
            statistics.oversized += 1
            return
        }
        if let servers, servers.isServer(source) {
            if let arrival = servers.receive(bytes, from: source, now: now, into: outbox) {
                deliverRelayed(
                    UnsafeRawBufferPointer(rebasing: bytes[arrival.range]), to: servers.flow, arrival, now: now)
            } else {
                // What it has told may have set the peer in motion.
                touch(servers.flow)
                deliverEvents(of: servers.flow, in: nil)
            }
            return
        }
        switch route(bytes, from: source) {
        case .unknown: statistics.unknownSource += 1
        case .bound(let flow): deliver(bytes, to: flow, from: source, now: now)
        case .named(let flow):
            deliver(bytes, to: flow, from: source, now: now)
            // An address is remembered only once an authenticated check has come from it.
            if !flow.isClosed, flow.peer.trusts(source) { bind(source, to: flow) }
        case .claim(let flow, let owner): received(claim: bytes, to: flow, of: owner, from: source, now: now)
        case .claimed(let flow, let owner): received(claimed: bytes, flow, owner, from: source, now: now)
        }
    }

    private func deliver(
        _ bytes: UnsafeRawBufferPointer, to flow: PeerFlow, from source: TransportAddress,
        base: TransportAddress? = nil, now: Instant
    ) {
        guard bytes.count <= UDPMux.maximumDatagram else {
            statistics.oversized += 1
            return
        }
        flow.count(bytes: bytes.count)
        scratch.copyMemory(from: bytes)
        let datagram = UnsafeMutableRawBufferPointer(rebasing: scratch[..<bytes.count])
        // With relays there are several bases.
        let base = base ?? (servers == nil ? nil : localAddress)
        flow.peer.receive(datagram, from: source, localBase: base, now: now, into: outbox)
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
        claim bytes: UnsafeRawBufferPointer, to flow: PeerFlow, of owner: PeerFlow, from source: TransportAddress,
        now: Instant
    ) {
        deliver(bytes, to: flow, from: source, now: now)
        if !flow.isClosed, flow.peer.trusts(source) { claims.add(source, flow) }
    }

    /// A response from a claimed address: the claimant's if it answers a check of the claimant's, else the owner's.
    private func received(
        claimed bytes: UnsafeRawBufferPointer, _ claimant: PeerFlow, _ owner: PeerFlow, from source: TransportAddress,
        now: Instant
    ) {
        let before = claimant.peer.iceStatistics.answered
        deliver(bytes, to: claimant, from: source, now: now)
        guard !claimant.isClosed, claimant.peer.iceStatistics.answered != before else {
            return deliver(bytes, to: owner, from: source, now: now)
        }
        claims.remove(source)
        bind(source, to: claimant)
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
        servers?.prepare(outbox, now: now)
        send()
        var earliest = min(timerDeadline, servers?.nextDeadline ?? .distantFuture)
        for flow in touched {
            flow.touched = false
            flow.deadline = flow.isClosed ? .distantFuture : flow.peer.nextDeadline?.instant ?? .distantFuture
            if flow.deadline < earliest { earliest = flow.deadline }
        }
        touched.removeAll(keepingCapacity: true)
        if earliest < timerDeadline { schedule(earliest, now: now) }
    }

    private func send() {
        let datagrams = outbox.datagrams
        guard !datagrams.isEmpty else { return }
        defer { outbox.removeDatagrams() }
        guard !isClosed else { return }
        guard datagrams.count > 1, isOffloading else {
            for datagram in datagrams { send(datagram) }
            return
        }
        batch.group(datagrams)
        for head in batch.heads { sendRuns(from: head, of: datagrams) }
    }

    private func send(_ datagram: Outbox.Datagram) {
        setVector(0, datagram)
        transmit(1, datagram.length, to: datagram.destination, segmentSize: nil)
    }

    private func sendRuns(from head: Int32, of datagrams: [Outbox.Datagram]) {
        var cursor = head
        while cursor >= 0 {
            let run = batch.run(from: cursor, in: datagrams)
            var index = cursor
            for position in 0..<run.count {
                setVector(position, datagrams[Int(index)])
                index = batch.following(index)
            }
            let first = datagrams[Int(cursor)]
            let segment = run.count > 1 ? first.length : nil
            if !transmit(run.count, run.bytes, to: first.destination, segmentSize: segment), segment != nil {
                let before = statistics.datagramsSent
                index = cursor
                for _ in 0..<run.count {
                    send(datagrams[Int(index)])
                    index = batch.following(index)
                }
                // What goes one by one and not as a run: an interface without segmentation. Else the destination is at fault.
                if statistics.datagramsSent > before { isOffloading = false }
            }
            cursor = run.following
        }
    }

    private func setVector(_ position: Int, _ datagram: Outbox.Datagram) {
        let bytes = outbox.bytes(of: datagram)
        vectors[position] = iovec(
            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }

    /// Sends the first `count` vectors; false where the destination, or segmentation, was refused.
    @discardableResult
    private func transmit(_ count: Int, _ bytes: Int, to destination: TransportAddress, segmentSize: Int?) -> Bool {
        let entry = byAddress.find(destination)
        let address =
            entry >= 0
            ? byAddress.entries[entry].socketAddress : RawSocketAddress(destination, forIPv4: socket.isIPv4)
        switch socket.send(
            UnsafeMutableBufferPointer(rebasing: vectors[..<count]), to: address, segmentSize: segmentSize)
        {
        case .sent:
            statistics.datagramsSent += count
            statistics.bytesSent += bytes
            statistics.sends += 1
            return true
        case .full:
            statistics.sendQueueDrops += count
            return true
        case .failed:
            if segmentSize == nil { statistics.sendFailures += 1 }
            return false
        }
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
        _ bytes: UnsafeRawBufferPointer, to flow: PeerFlow, _ arrival: ServerPaths.Arrival, now: Instant
    ) {
        guard !flow.isClosed else { return }
        deliver(bytes, to: flow, from: arrival.source, base: arrival.base, now: now)
    }

    /// What passed through relays so far.
    package var relayTraffic: RelayTraffic { servers?.traffic ?? RelayTraffic() }

    private func closeServers() {
        guard let paths = servers else { return }
        paths.close(now: MonotonicClock.now(), into: outbox)
        send()
        servers = nil
    }

    /// Reads the kernel's count of datagrams lost to a full receive buffer into `statistics`.
    package func refreshKernelDrops() -> EventLoopFuture<Void> {
        guard let provider = channel as? any SocketOptionProvider else { return eventLoop.makeSucceededVoidFuture() }
        return SocketDrops.read(provider).map { [self] in statistics.receiveBufferDrops = $0 }
    }
}
