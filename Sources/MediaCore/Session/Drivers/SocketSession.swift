import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// Drives a `SessionMachine` on an event loop: a socket of its own, the loop's time, the engine's workers.
// Every member is touched on `eventLoop` only, to which `MediaSession` hops.
final class SocketSession: @unchecked Sendable {
    let eventLoop: any EventLoop
    let engine: MediaEngine
    let mux: UDPMux
    var machine: SessionMachine
    var flow: PeerFlow?
    let emit: (MediaSessionEvent) -> Void
    /// Set once, before the first event.
    var onClose: () -> Void = {}
    /// Asks STUN and TURN servers for candidates.
    let gathering: CandidateGathering
    /// Looks up the names in candidates of the other side.
    private let hidden: HiddenCandidates
    var address: SessionAddress
    private let runner: JobRunner
    /// Where the jobs of this session begin to be spread over the workers.
    let workerOffset: Int
    let work = SessionWork()
    /// How late the timers of playout and senders run.
    private let wakes = WakeMeter()
    private var dataChannels: [DataChannelID: DataChannel] = [:]

    private init(
        _ machine: consuming SessionMachine, _ place: MediaEngine.Place, engine: MediaEngine, mux: UDPMux,
        configuration: MediaSessionConfiguration, emit: @escaping (MediaSessionEvent) -> Void
    ) {
        self.machine = machine
        self.engine = engine
        self.mux = mux
        eventLoop = mux.eventLoop
        runner = place.runner
        workerOffset = place.number
        gathering = CandidateGathering(configuration, logger: engine.logger)
        hidden = HiddenCandidates(logger: engine.logger)
        address = SessionAddress(configuration)
        self.emit = emit
    }

    static func make(
        engine: MediaEngine, configuration: MediaSessionConfiguration,
        emit: @escaping @Sendable (MediaSessionEvent) -> Void
    ) async throws -> SocketSession {
        let place = try engine.nextPlace()
        var settings = UDPMuxConfiguration()
        settings.isExclusive = true
        settings.opensStreams = configuration.usesTCP && configuration.remoteAddressMap == nil
        let host = try bindHost(configuration, &settings)
        let bound = UDPMux.bind(on: place.loop, host: host, port: 0, configuration: settings).flatMapErrorThrowing {
            throw MediaError(.environment, "UDP \(host)", "\($0)", remedy: "choose an address of this machine")
        }
        // In one turn of the loop: to ask it for something and wait costs more than most of what it is asked for.
        return try await bound.flatMapThrowing { mux in
            let machine = try SessionMachine(
                configuration, certificate: try engine.certificate(), pictures: engine.pictures,
                now: MonotonicClock.now())
            let session = SocketSession(
                machine, place, engine: engine, mux: mux, configuration: configuration, emit: emit)
            try session.start(configuration)
            engine.addresses.add(session, on: place.loop, logger: engine.logger)
            return session
        }.get()
    }

    /// The address to bind. Where the remote host is reached from both families, that is `::`, which serves both.
    private static func bindHost(
        _ configuration: MediaSessionConfiguration, _ settings: inout UDPMuxConfiguration
    ) throws(MediaError) -> String {
        if let address = configuration.bindAddress { return address }
        let sources = try LocalAddress.reaching(configuration.remoteHint)
        guard sources.count > 1 else { return sources[0] }
        settings.addresses = sources.compactMap { TransportAddress(host: $0, port: 0) }
        return "::"
    }

    private func start(_ configuration: MediaSessionConfiguration) throws {
        guard let flow = mux.makeFlow(endpoint: self, handler: self) else {
            throw SessionError("the session's socket is already in use")
        }
        self.flow = flow
        if gathering.policy == .all { flow.perform { peer, _, _ in mux.addHostCandidates(to: &peer) } }
        gathering.gather(configuration.iceServers, for: self)
    }

    // MARK: Driving the machine

    /// Has the machine do something, and performs what follows.
    func perform<Result>(_ body: (inout SessionMachine, Instant, SessionOutbox) throws -> Result) throws -> Result {
        guard let flow else { throw SessionError("the session is closed") }
        var result: Swift.Result<Result, any Error>?
        flow.act { outbox, now in
            result = Swift.Result { try body(&machine, now, SessionOutbox(network: outbox, work: work)) }
        }
        settle()
        guard let result else { throw SessionError("the session is closed") }
        return try result.get()
    }

    /// Takes in what came of jobs.
    func finish(_ results: [MediaJobResult]) {
        guard let flow else { return }
        flow.act { outbox, now in
            let out = SessionOutbox(network: outbox, work: work)
            for result in results { machine.take(result, now: now, into: out) }
        }
        settle()
    }

    /// Performs what the machine wants done and tells what it says.
    func settle() {
        guard !work.isEmpty else { return }
        for wake in work.wakes { wakes.record(due: wake.due, now: wake.now, skipped: wake.skipped) }
        work.wakes.removeAll(keepingCapacity: true)
        var results: [MediaJobResult] = []
        if !work.jobs.isEmpty {
            var jobs: [MediaJob] = []
            swap(&jobs, &work.jobs)
            results = runner.run(jobs, for: self)
        }
        while !work.events.isEmpty {
            var events: [SessionMachineEvent] = []
            swap(&events, &work.events)
            for event in events { tell(event) }
        }
        if !results.isEmpty { finish(results) }
    }

    private func tell(_ event: SessionMachineEvent) {
        switch event {
        case .session(let event): emit(event)
        case .dataChannelOpened(let id, let configuration):
            emit(.dataChannelOpened(dataChannel(id, configuration)))
        case .dataMessage(let id, let bytes, let isText):
            if let channel = dataChannels[id] { emit(.dataChannelMessage(channel, bytes, isText: isText)) }
        case .dataChannelClosed(let id):
            if let channel = dataChannels.removeValue(forKey: id) { emit(.dataChannelClosed(channel)) }
        case .hiddenCandidate(let candidate): hidden.resolve(candidate, for: self)
        }
    }

    // MARK: Data

    func openDataChannel(_ options: DataChannelOptions) throws -> DataChannel {
        let configuration = try options.configuration()
        let id = try perform { machine, now, out in
            try machine.openDataChannel(configuration, now: now, into: out)
        }
        return dataChannel(id, configuration)
    }

    private func dataChannel(_ id: DataChannelID, _ configuration: DataChannelConfiguration) -> DataChannel {
        if let known = dataChannels[id] { return known }
        let channel = DataChannel(id: id, configuration: configuration, session: self)
        dataChannels[id] = channel
        return channel
    }

    // MARK: Statistics

    func refreshKernelDrops() async { try? await mux.refreshKernelDrops().get() }

    func statistics() -> SessionStatistics {
        var result = machine.statistics(now: MonotonicClock.now())
        result.lateness = wakes.lateness
        let socket = mux.statistics
        result.bytesSent = socket.bytesSent
        result.bytesReceived = socket.bytesReceived
        result.datagramsSent = socket.datagramsSent
        result.datagramsReceived = socket.datagramsReceived
        result.receiveBufferDrops = socket.receiveBufferDrops
        let relayed = mux.relayTraffic
        result.relayedBytesSent = relayed.bytesSent
        result.relayedBytesReceived = relayed.bytesReceived
        let hasRelay = machine.peer.localCandidates.contains { $0.type == .relay }
        if gathering.policy == .relay, !hasRelay { result.awaitedRelays = gathering.awaited }
        return result
    }

    // MARK: End

    func close() -> EventLoopFuture<Void> {
        _ = try? perform { machine, now, out in machine.close(now: now, into: out) }
        engine.addresses.remove(self)
        flow?.close()
        flow = nil
        hidden.close()
        dataChannels.removeAll()
        onClose()
        return mux.close()
    }
}

extension SocketSession: PeerEndpoint {
    var peer: Peer {
        _read { yield machine.peer }
        _modify { yield &machine.peer }
    }

    func receive(_ datagram: UnsafeMutableRawBufferPointer, _ arrival: DatagramArrival, into outbox: Outbox) {
        machine.receive(
            datagram, from: arrival.source, localBase: arrival.base, now: arrival.now, arrival: arrival.time,
            into: SessionOutbox(network: outbox, work: work))
        settle()
    }

    func advance(to now: Instant, into outbox: Outbox) {
        machine.advance(to: now, into: SessionOutbox(network: outbox, work: work))
        settle()
        lookAround(now)
    }

    var nextDeadline: Instant? { machine.nextDeadline }
}

/// What others have had the peer say: the mux's servers, and whoever calls it directly.
extension SocketSession: PeerFlowHandler {
    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {}

    func handle(_ event: PeerEvent, on flow: PeerFlow) {
        flow.act { outbox, now in
            machine.take(event, in: nil, now: now, into: SessionOutbox(network: outbox, work: work))
        }
        settle()
    }

    func localCandidatesChanged(on flow: PeerFlow) {
        machine.announceCandidates(into: work)
        settle()
    }

    func relayFailed(_ server: ICEServerAddress, _ error: any Error, on flow: PeerFlow) {
        gathering.relayFailed(server, error, for: self)
    }

    func relaySilent(_ server: ICEServerAddress, on flow: PeerFlow) {
        emit(.relaySilent("the TURN server \(server.description) does not answer"))
    }
}
