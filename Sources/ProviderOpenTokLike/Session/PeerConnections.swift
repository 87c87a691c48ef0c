import CallBridge
import Logging
import MediaCore
import OpenTokClient
import OpenTokSignalling

/// What the media connections report: to the machine, and to the bridge.
enum PeerInput: Sendable {
    case report(PeerReport, RaptorPeer)
    /// Connected for the first time.
    case profile(String)
    case arrived(RemoteTrack, RaptorPeer)
    case levels([AudioLevelReport], RaptorPeer)
    /// An address of this machine is gone, and what leads from there with it.
    case addressLost(String)
}

/// The media connections of a session: does what the machine wants, one thing after another, and passes on what they report.
actor PeerConnections: PeerMedia {
    private struct Connection {
        let media: MediaSession
        var sent: [SentChannel] = []
    }

    private enum Job {
        case action(PeerAction, RaptorPeer)
        case publish(PublishedStream, id: String)
        case withdraw(stream: String)
    }

    private nonisolated let inputs: AsyncStream<PeerInput>
    private nonisolated let input: AsyncStream<PeerInput>.Continuation
    private nonisolated let jobs: AsyncStream<Job>.Continuation
    private let context: ProviderContext
    /// The host of the signalling server: what reaches it reaches media.
    private let host: String
    private var connections: [RaptorPeer: Connection] = [:]
    private var published: [String: PublishedStream] = [:]
    /// Those that are being closed, until what they have counted is in `counted`.
    private var closing: [ObjectIdentifier: MediaSession] = [:]
    /// What connections have counted that are closed.
    private var counted = SessionStatistics()

    init(_ context: ProviderContext, host: String) {
        let (queue, jobs) = AsyncStream.makeStream(of: Job.self)
        (inputs, input) = AsyncStream.makeStream(of: PeerInput.self)
        self.jobs = jobs
        self.context = context
        self.host = host
        Task { for await job in queue { await self.execute(job) } }
    }

    nonisolated func report(to session: OpenTokLikeSession) {
        Task { [weak session, inputs] in for await input in inputs { await session?.take(input) } }
    }

    nonisolated func perform(_ action: PeerAction, _ peer: RaptorPeer) { jobs.yield(.action(action, peer)) }
    nonisolated func publish(_ stream: PublishedStream, id: String) { jobs.yield(.publish(stream, id: id)) }
    nonisolated func withdraw(stream: String) { jobs.yield(.withdraw(stream: stream)) }

    func statistics() async -> SessionStatistics {
        var result = SessionStatistics()
        // All at one moment: some may close while others are asked.
        let (open, closed) = (connections.values.map(\.media) + closing.values, counted)
        for media in open { result.add(await media.statistics()) }
        result.addReplaced(closed)
        return result
    }

    func close() async {
        jobs.finish()
        for peer in Array(connections.keys) { await close(peer) }
        input.finish()
    }

    // MARK: Jobs

    private func execute(_ job: Job) async {
        switch job {
        case .publish(let stream, let id): published[id] = stream
        case .withdraw(let stream): published[stream] = nil
        case .action(let action, let peer):
            do { try await execute(action, peer) } catch {
                // A description of the other side can't be used, or this machine can't do it.
                context.logger.info("a media connection failed", metadata: ["reason": "\(error)"])
                input.yield(.report(.broken("\(error)"), peer))
            }
        }
    }

    private func execute(_ action: PeerAction, _ peer: RaptorPeer) async throws {
        let media = connections[peer]?.media
        switch action {
        case .openPublisher(let stream, let servers): try await open(peer, sending: stream, servers)
        case .openSubscriber(let servers): _ = try await open(peer, isAnswerer: true, servers)
        case .createOffer(let isRestart):
            guard let offer = try await media?.createOffer(restartingICE: isRestart) else { return }
            input.yield(.report(.offerMade(sdp: offer.sdp), peer))
        case .answer(let offer):
            guard let answer = try await media?.createAnswer(to: .init(kind: .offer, sdp: offer)) else { return }
            input.yield(.report(.answerMade(sdp: answer.sdp), peer))
        case .setAnswer(let sdp): try await media?.setAnswer(.init(kind: .answer, sdp: sdp))
        case .addCandidate(let candidate):
            // One that can't be read is one way less, and no fault of the connection.
            try? await media?.addRemoteCandidate(
                SessionCandidate(
                    candidate: candidate.candidate, mid: candidate.sdpMid, lineIndex: candidate.sdpMLineIndex))
        case .prefer(let wish, let channel): await prefer(wish, channel, peer)
        case .close: await close(peer)
        }
    }

    private func prefer(_ wish: RaptorSubscriberPreferences, _ channel: String, _ peer: RaptorPeer) async {
        guard let connection = connections[peer], let sent = connection.sent.first(where: { $0.id == channel }) else {
            return
        }
        sent.copy.follow(wish)
        if let sender = sent.sender { await connection.media.setTargetBitrate(sent.copy.bitrate, of: sender) }
    }

    private func open(
        _ peer: RaptorPeer, isAnswerer: Bool, _ servers: [RaptorICEServer]
    ) async throws -> MediaSession {
        await close(peer)
        var configuration = context.media
        configuration.remoteHint = configuration.remoteHint ?? host
        configuration.isAnswerer = isAnswerer
        configuration.iceServers += servers.map {
            SessionICEServer(urls: [$0.url], username: $0.username ?? "", credential: $0.credential ?? "")
        }
        let media = try await MediaSession(engine: context.engine, configuration: configuration)
        connections[peer] = Connection(media: media)
        let input = self.input
        Task { for await event in media.events { for one in PeerInput.inputs(event, peer) { input.yield(one) } } }
        return media
    }

    private func open(_ peer: RaptorPeer, sending stream: String, _ servers: [RaptorICEServer]) async throws {
        let media = try await open(peer, isAnswerer: false, servers)
        var sent = published[stream]?.copies() ?? []
        connections[peer]?.sent = sent
        for index in sent.indices {
            sent[index].sender = try await media.addTrack(sent[index].copy.track, streamID: stream)
        }
        connections[peer]?.sent = sent
    }

    private func close(_ peer: RaptorPeer) async {
        guard let connection = connections.removeValue(forKey: peer) else { return }
        for channel in connection.sent { channel.release() }
        let media = connection.media
        closing[ObjectIdentifier(media)] = media
        let last = await media.statistics()
        closing[ObjectIdentifier(media)] = nil
        counted.addReplaced(last)
        await media.close()
    }
}

extension PeerInput {
    static func inputs(_ event: MediaSessionEvent, _ peer: RaptorPeer) -> [PeerInput] {
        switch event {
        case .localCandidate(let candidate):
            let found = RaptorCandidate(
                candidate: candidate.candidate, sdpMid: candidate.mid, sdpMLineIndex: candidate.lineIndex)
            return [.report(.candidate(found), peer)]
        case .connected(let profile): return [.profile(profile), .report(.connected, peer)]
        case .stateChanged(.connected): return [.report(.connected, peer)]
        case .stateChanged(.disconnected): return [.report(.disconnected, peer)]
        case .stateChanged(.failed): return [.report(.failed("no network path answers any more"), peer)]
        case .trackAdded(let track):
            return [.arrived(track, peer), .report(.mediaBegan(track.kind == .audio ? .audio : .video), peer)]
        case .trackRemoved(let track): return [.report(.mediaEnded(track.kind == .audio ? .audio : .video), peer)]
        case .audioLevels(let levels): return [.levels(levels, peer)]
        case .localAddressLost(let address): return [.addressLost(address)]
        case .noRelay(let why), .failed(let why): return [.report(.broken(why), peer)]
        case .stateChanged, .dataChannelOpened, .dataChannelMessage, .dataChannelClosed, .relaySilent: return []
        }
    }
}
