import CallBridge
import LiveKitProtocol
import Logging
import MediaCore

/// One call over LiveKit's protocol: the signalling socket, one or two media connections, and who is there.
actor LiveKitSession: ProviderSession {
    nonisolated let events: AsyncStream<ProviderEvent>
    nonisolated let report: AsyncStream<ProviderEvent>.Continuation
    let signal: SignalConnection
    let logger: Logger
    /// One connection that we always offer on, or two: the server offers on the second.
    let isSingle: Bool
    /// In the single mode this sends and receives; otherwise it only sends.
    let publisher: Negotiation
    let subscriber: MediaSession?
    var roster: RemoteRoster
    var local: Livekit_ParticipantInfo
    /// Publications in waiting for the server's word, by the track's own id.
    var pendingPublications: [String: CheckedContinuation<Livekit_TrackInfo, any Error>] = [:]
    var publications: [String: Publication] = [:]
    var pingTimeout: Double
    var lastHeard = MediaTime.now
    var hasEnded = false
    /// The media path went silent and is not back yet.
    var isImpaired = false
    var tasks: [Task<Void, Never>] = []

    struct Publication {
        var track: LocalTrack
        var sender: MediaSession.Sender
    }

    private init(
        signal: SignalConnection, join: Livekit_JoinResponse, publisher: Negotiation, subscriber: MediaSession?,
        logger: Logger
    ) {
        (events, report) = AsyncStream.makeStream(of: ProviderEvent.self)
        self.signal = signal
        self.publisher = publisher
        self.subscriber = subscriber
        isSingle = subscriber == nil
        local = join.participant
        roster = RemoteRoster(localSID: join.participant.sid)
        pingTimeout = Double(join.pingTimeout > 0 ? join.pingTimeout : 15)
        self.logger = logger
    }

    /// Joins; nil where the server does not know this signalling mode and `mayFallBack` allows for another.
    static func join(
        _ target: SignalTarget, token: String, single: Bool, context: ProviderContext, mayFallBack: Bool
    ) async throws -> LiveKitSession? {
        var media = context.media
        media.remoteHint = media.remoteHint ?? target.host
        let first = try await openMedia(context.engine, media)
        do {
            let session = try await join(
                target, token: token, single: single, first: first, media: media, context: context,
                mayFallBack: mayFallBack)
            if session == nil { await first.close() }
            return session
        } catch {
            await first.close()
            throw error
        }
    }

    private static func openMedia(
        _ engine: MediaEngine, _ configuration: MediaSessionConfiguration
    ) async throws -> MediaSession {
        do {
            return try await MediaSession(engine: engine, configuration: configuration)
        } catch {
            throw CallError(.environment, .mediaUnavailable, "\(error)")
        }
    }

    private static func join(
        _ target: SignalTarget, token: String, single: Bool, first: MediaSession, media: MediaSessionConfiguration,
        context: ProviderContext, mayFallBack: Bool
    ) async throws -> LiveKitSession? {
        let automatic = context.subscribesAutomatically
        var request = target.at("/rtc", query: ClientIdentity.query(autoSubscribe: automatic))
        if single {
            try await first.addReceivers(audio: 3, video: 3)
            let offer = try await first.createOffer()
            request = target.at(
                "/rtc/v1", query: try ClientIdentity.joinRequest(offer: offer.sdp, autoSubscribe: automatic))
        }
        let signal: SignalConnection
        switch try await SignalConnection.open(request, token: token) {
        case .connected(let connection): signal = connection
        case .refused(404, _) where mayFallBack: return nil
        case .refused(let status, let body): throw refusal(target, status: status, body: body)
        }
        var messages = signal.messages.makeAsyncIterator()
        let join = try await firstJoin(&messages, target: target, signal: signal)
        var answering = media
        answering.isAnswerer = true
        let second = single ? nil : try await openMedia(context.engine, answering)
        let session = LiveKitSession(
            signal: signal, join: join, publisher: Negotiation(first, isAnswerPending: single), subscriber: second,
            logger: context.logger)
        await session.begin(join)
        return session
    }

    /// Reads until the join response. A server that says `leave` instead has refused us.
    private static func firstJoin(
        _ messages: inout AsyncStream<Livekit_SignalResponse>.Iterator, target: SignalTarget, signal: SignalConnection
    ) async throws -> Livekit_JoinResponse {
        let watchdog = Task {
            try await Task.sleep(for: .seconds(5))
            await signal.close()
        }
        defer { watchdog.cancel() }
        while let message = await messages.next() {
            switch message.message {
            case .join(let join): return join
            case .leave(let leave):
                await signal.close()
                throw CallError(
                    .provider, .providerRefused,
                    "the server \(target.host):\(target.port) refused the join: \(leave.reason)")
            default: continue
            }
        }
        throw CallError(
            .provider, .protocolViolation,
            "the server \(target.host):\(target.port) sent no join response within 5 s; is it a LiveKit server?")
    }

    private static func refusal(_ target: SignalTarget, status: Int, body: String) -> CallError {
        let said = body.trimmingPrefix { $0.isWhitespace }
        let advice =
            switch status {
            case 401, 403: "check the token, its key and secret, and that it has not expired"
            case 404: "is it a LiveKit server, and does the room exist?"
            case 503: "the server is full; try again later"
            default: "check the URL"
            }
        return CallError(
            .provider, .providerRefused,
            "the server \(target.host):\(target.port) refused the connection (HTTP \(status)): \(said); \(advice)")
    }

    // MARK: ProviderSession

    var localParticipant: Participant { Participant(local, isLocal: true) }

    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        let info = try await requestPublication(track, source: source)
        do {
            let sender = try await publisher.media.addTrack(track)
            publications[info.sid] = Publication(track: track, sender: sender)
            try await negotiate()
        } catch let error as MediaError {
            throw CallError(.environment, .mediaUnavailable, error.description)
        }
        return Track(info)
    }

    func unpublish(trackID: String) async throws {
        guard let publication = publications.removeValue(forKey: trackID) else {
            throw CallError(.caller, .invalidArgument, "no track \(trackID) is published by us")
        }
        try await publisher.media.removeTrack(publication.sender)
        try await negotiate()
    }

    func setMuted(_ muted: Bool, trackID: String) throws {
        guard let publication = publications[trackID] else {
            throw CallError(.caller, .invalidArgument, "no track \(trackID) is published by us")
        }
        publication.track.isMuted = muted
        send {
            $0.mute = .with {
                $0.sid = trackID; $0.muted = muted
            }
        }
    }

    func setSubscribed(_ subscribed: Bool, trackID: String) throws {
        guard let owner = roster.owner(of: trackID) else {
            throw CallError(.caller, .invalidArgument, "no track \(trackID) is published by anybody")
        }
        send { request in
            request.subscription = .with {
                $0.trackSids = [trackID]
                $0.subscribe = subscribed
                $0.participantTracks = [
                    .with {
                        $0.participantSid = owner; $0.trackSids = [trackID]
                    }
                ]
            }
        }
    }

    func statistics() async -> SessionStatistics {
        var result = await publisher.media.statistics()
        if let subscriber { result.add(await subscriber.statistics()) }
        return result
    }

    func leave() async {
        guard !hasEnded else { return }
        send {
            $0.leave = .with {
                $0.reason = .clientInitiated; $0.action = .disconnect
            }
        }
        await finish(.lastMandatoryParticipantLeft, detail: "we left")
    }

    // MARK: Shared

    func send(_ build: (inout Livekit_SignalRequest) -> Void) {
        var request = Livekit_SignalRequest()
        build(&request)
        signal.send(request)
    }

    func finish(_ reason: CallEndReason, detail: String) async {
        guard !hasEnded else { return }
        hasEnded = true
        for pending in pendingPublications.values {
            pending.resume(
                throwing: CallError(.network, .providerLost, "the call ended before the track was accepted: \(detail)"))
        }
        pendingPublications.removeAll()
        report.yield(.ended(reason, detail: detail))
        report.finish()
        await publisher.media.close()
        await subscriber?.close()
        await signal.close()
        for task in tasks { task.cancel() }
    }
}
