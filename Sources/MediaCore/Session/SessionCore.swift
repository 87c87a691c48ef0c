import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// A media session on its event loop: negotiation, the peer, senders and receivers.
// Every member is touched on `eventLoop` only, to which `MediaSession` hops.
final class SessionCore: @unchecked Sendable {
    let eventLoop: any EventLoop
    let engine: MediaEngine
    let mux: UDPMux
    let emit: (MediaSessionEvent) -> Void
    let playout: PlayoutSettings
    let remoteAddressMap: (@Sendable (TransportAddress) -> TransportAddress)?
    /// Set once, before the first event.
    var onClose: () -> Void = {}
    var flow: PeerFlow?
    var negotiator: Negotiator
    var senders: [Int: any TrackSender] = [:]
    /// Tracks whose section has not been answered yet, by line.
    var waiting: [Int: LocalTrack] = [:]
    /// Wishes for those, by line.
    var activeLayers: [Int: Set<String>] = [:]
    let frameEncryption: FrameEncryption?
    /// By line; a flat array, because packets look here.
    var receivers: [(any TrackReceiver)?] = []
    /// What the receivers had counted whose tracks have ended; only `endedReceivers` is used.
    var ended = SessionStatistics()
    var appliedGeneration = -1
    /// A description with our credentials was made: candidates may be told.
    var canAnnounce = false
    /// Candidates that were told of, as written.
    var announced: Set<String> = []
    /// Which candidates may be used.
    var policy: ICETransportPolicy
    let trustedRoots: String?
    /// Which TURN servers were asked, and what has become of it.
    var relayWatch = RelayWatch()
    var srtpProfile: String?
    var playoutPump: PeriodicPump?
    /// How late the timers of playout and senders run.
    let wakes = WakeMeter()
    /// Where the sinks of remote sound are called.
    let sinkWorker: any EventLoop
    var levels: [AudioLevelReport] = []
    var dataChannels: [DataChannelID: DataChannel] = [:]
    var levelTick = 0

    /// Remote sources that are received at the same time; packets of further ones are counted and dropped.
    static let maximumSources = 1_024

    private init(
        engine: MediaEngine, mux: UDPMux, negotiator: Negotiator, configuration: MediaSessionConfiguration,
        emit: @escaping (MediaSessionEvent) -> Void
    ) {
        self.engine = engine
        self.mux = mux
        self.eventLoop = mux.eventLoop
        sinkWorker = engine.nextWorker()
        self.negotiator = negotiator
        playout = configuration.playout
        frameEncryption = configuration.frameEncryption
        remoteAddressMap = configuration.remoteAddressMap
        policy = configuration.iceTransportPolicy
        trustedRoots = configuration.trustedRoots
        self.emit = emit
    }

    static func make(
        engine: MediaEngine, configuration: MediaSessionConfiguration,
        emit: @escaping @Sendable (MediaSessionEvent) -> Void
    ) async throws -> SessionCore {
        let loop = try engine.nextLoop()
        var settings = UDPMuxConfiguration()
        settings.isExclusive = true
        let host = try bindHost(configuration, &settings)
        let mux: UDPMux
        do {
            mux = try await UDPMux.bind(on: loop, host: host, port: 0, configuration: settings).get()
        } catch {
            throw MediaError(.environment, "UDP \(host)", "\(error)", remedy: "choose an address of this machine")
        }
        return try await loop.submit {
            try SessionCore.start(engine: engine, mux: mux, configuration: configuration, emit: emit)
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

    private static func start(
        engine: MediaEngine, mux: UDPMux, configuration: MediaSessionConfiguration,
        emit: @escaping (MediaSessionEvent) -> Void
    ) throws -> SessionCore {
        let certificate = try DTLSCertificate.generate()
        var peer = PeerConfiguration(
            iceRole: configuration.isAnswerer ? .controlled : .controlling, certificate: certificate)
        peer.dtlsBackend = configuration.dtlsBackend.backend
        try peer.dtlsBackend.check()
        peer.srtpBackend = configuration.srtpBackend.backend
        peer.srtpProfiles = configuration.srtpProfiles.map(\.profile)
        peer.seed = configuration.seed
        // The server names what it sends; a whole busy room must find a place.
        peer.streams.maximumReceiveStreams = SessionCore.maximumSources
        let credentials = ICECredentials.random()
        peer.iceCredentials = credentials
        var negotiation = NegotiatorConfiguration(credentials: credentials, fingerprint: certificate.fingerprint)
        negotiation.congestionFeedback = .transportWide
        // Numbers drawn at random show at once whoever relies on the usual ones, wherever that is wrong.
        negotiation.codecs = [.opus, .red, .vp8]
        negotiation.videoExtensions = [.mid, .rid, .repairedRid, .absCaptureTime]
        negotiation.numbering = .random(seed: configuration.seed ?? .random(in: 0...UInt64.max))
        let core = SessionCore(
            engine: engine, mux: mux, negotiator: Negotiator(configuration: negotiation), configuration: configuration,
            emit: emit)
        guard let flow = mux.makeFlow(configuration: peer, handler: core) else {
            throw SessionError("the session's socket is already in use")
        }
        core.flow = flow
        if core.policy == .all { flow.perform { peer, _, _ in mux.addHostCandidates(to: &peer) } }
        core.gather(configuration.iceServers)
        return core
    }

    // MARK: Preparing

    func addReceivers(audio: Int, video: Int) throws {
        for _ in 0..<max(0, min(audio, 256)) { _ = negotiator.addLine(kind: .audio, direction: .recvonly) }
        for _ in 0..<max(0, min(video, 256)) { _ = negotiator.addLine(kind: .video, direction: .recvonly) }
    }

    func addTrack(_ track: LocalTrack, streamID: String) throws -> MediaSession.Sender {
        let layers = try simulcast(of: track)
        let ssrc = layers.first?.ssrc ?? UInt32.random(in: 1...UInt32.max)
        let rtxSSRC = layers.first?.rtxSSRC ?? (track.kind == .video ? UInt32.random(in: 1...UInt32.max) : nil)
        let send = SendDescription(
            streamID: streamID, trackID: track.id, ssrc: ssrc, rtxSSRC: rtxSSRC, layers: layers)
        let line = negotiator.addLine(kind: track.kind == .audio ? .audio : .video, direction: .sendonly, send: send)
        if case .audio(_, let encoding) = track.media {
            // Redundancy would carry frames whose encryption the copies can't share.
            let usesRED = encoding.red && frameEncryption == nil
            let names = usesRED ? [CodecCapability.red.name, CodecCapability.opus.name] : [CodecCapability.opus.name]
            negotiator.setCodecs(line, names)
            if encoding.dtx { negotiator.setParameters(line, codec: CodecCapability.opus.name, "usedtx=1") }
        }
        waiting[line] = track
        return MediaSession.Sender(mid: negotiator.lines[line].mid, line: line)
    }

    /// The streams of the track's simulcast, the largest first; none for one stream.
    private func simulcast(of track: LocalTrack) throws -> [SendLayer] {
        guard case .video(_, let encoding) = track.media else { return [] }
        return try encoding.checkedLayers().map { layer in
            SendLayer(rid: layer.rid, ssrc: .random(in: 1...UInt32.max), rtxSSRC: .random(in: 1...UInt32.max))
        }
    }

    /// Whether a sender's line still carries its track.
    func isCurrent(_ sender: MediaSession.Sender) -> Bool {
        negotiator.lines.indices.contains(sender.line) && negotiator.lines[sender.line].mid == sender.mid
    }

    func removeTrack(_ sender: MediaSession.Sender) throws {
        guard isCurrent(sender) else { throw SessionError("no section \(sender.mid) is in this session") }
        waiting[sender.line] = nil
        activeLayers[sender.line] = nil
        stopSender(line: sender.line)
        negotiator.clearSend(sender.line)
    }

    // MARK: Descriptions

    func createOffer(restartingICE: Bool) throws -> SessionDescription {
        if restartingICE { restartICE() }
        nameCandidates()
        defer { beginAnnouncing() }
        return SessionDescription(kind: .offer, sdp: try explained { try negotiator.createOffer().description })
    }

    func setAnswer(_ answer: SessionDescription) throws {
        try explained { _ = try negotiator.applyAnswer(SDPSession(parsing: answer.sdp)) }
        try applyNegotiation()
    }

    func createAnswer(to offer: SessionDescription) throws -> SessionDescription {
        let answer = try explained {
            let change = try negotiator.applyOffer(SDPSession(parsing: offer.sdp))
            if change.restartedICE { restartICE() }
            nameCandidates()
            return try negotiator.createAnswer().description
        }
        try applyNegotiation()
        defer { beginAnnouncing() }
        return SessionDescription(kind: .answer, sdp: answer)
    }

    /// Begins another generation of ICE; the next description tells its credentials.
    private func restartICE() {
        let credentials = ICECredentials.random()
        negotiator.restartICE(credentials)
        announced.removeAll()
        flow?.perform { peer, outbox, now in _ = peer.restartICE(credentials: credentials, now: now, into: outbox) }
    }

    /// Descriptions after the first one carry our candidates: whoever restarts ICE by them has forgotten the old ones, and
    /// takes nothing from us until it has learnt others. The first one comes before anything is known of who may be used.
    private func nameCandidates() {
        guard canAnnounce, remoteAddressMap == nil, let flow else { return }
        let ufrag = negotiator.credentials.ufrag
        negotiator.localCandidates = flow.peer.localCandidates.map { $0.sdp(ufrag: ufrag) }
    }

    private func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw SessionError("the session description can't be used: \(error)") }
    }

    func addRemoteCandidate(_ candidate: SessionCandidate) {
        guard let flow, !candidate.candidate.isEmpty, let parsed = try? ICECandidate(parsing: candidate.candidate)
        else {
            return
        }
        flow.perform { peer, outbox, now in peer.addRemoteCandidate(reachable(parsed), now: now, into: outbox) }
    }

    /// The candidate with the address under which we are to reach it.
    func reachable(_ candidate: ICECandidate) -> ICECandidate {
        guard let remoteAddressMap, candidate.transportProtocol == .udp, let address = candidate.address else {
            return candidate
        }
        let mapped = remoteAddressMap(address)
        var result = candidate
        result.host = mapped.host
        result.port = mapped.port
        return result
    }

    private func beginAnnouncing() {
        canAnnounce = true
        announceCandidates()
    }

    // MARK: End

    func refreshKernelDrops() async { try? await mux.refreshKernelDrops().get() }

    func close() -> EventLoopFuture<Void> {
        playoutPump?.stop()
        playoutPump = nil
        for sender in senders.values { sender.stop() }
        senders.removeAll()
        for case let receiver? in receivers { end(receiver) }
        receivers.removeAll()
        flow?.close()
        flow = nil
        dataChannels.removeAll()
        onClose()
        return mux.close()
    }
}
