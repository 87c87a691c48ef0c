import CallBridge
import LiveKitProtocol
import Logging
import MediaCore

/// One call over LiveKit's protocol: the signalling socket, one or two media connections, who is there, and what we want.
/// It outlives its sockets: `LiveKitSession+Recovery` replaces them.
actor LiveKitSession: ProviderSession {
    nonisolated let events: AsyncStream<ProviderEvent>
    nonisolated let report: AsyncStream<ProviderEvent>.Continuation
    let joiner: SessionJoiner
    let logger: Logger
    /// Our id towards the bridge: the server's first one. A full reconnect gives us others, which stay in here.
    let publicID: String

    // What the next socket needs.
    var token: String
    var addresses: ServerAddresses
    var lifecycle: SessionLifecycle
    var queue = SignalQueue()

    // The present socket.
    var signal: SignalConnection
    /// Counts the sockets: what an older one still says does not matter.
    var signalNumber = 0
    var pinger: Task<Void, Never>?
    var ping: PingClock
    /// After a resume the next list of participants is complete: who is not on it has gone.
    var awaitsRoster = false

    // The present media connections.
    /// In the single mode this sends and receives; otherwise it only sends.
    var publisher: Negotiation
    var subscriber: MediaSession?
    var paths: MediaPaths
    /// Counts the sets of media connections.
    var mediaNumber = 0
    var mediaTasks: [Task<Void, Never>] = []
    /// The last offer of the server and our answer to it; only with two connections.
    var subscriberOffer: Livekit_SessionDescription?
    var subscriberAnswer: Livekit_SessionDescription?

    /// Candidates that must not overtake their description.
    var candidates = CandidateGate()

    // What is known and what is wanted.
    var roster: RemoteRoster
    var local: Livekit_ParticipantInfo
    var publications: [Publication] = []
    var withdrawn = WithdrawnPublications()
    var pendingPublications: [String: CheckedContinuation<PublicationAnswer, Never>] = [:]
    var pendingRequests: [UInt32: PendingRequest] = [:]
    var nextRequest: UInt32 = 1
    var wishes = SubscriptionWishes()
    var profile = OwnProfile()

    /// What goes over them, and what waits to.
    var data = SessionData()
    /// Our data channels, where they could be opened.
    var channels: [SessionChannel: DataChannel] = [:]

    /// Resumed whenever something changes that somebody may be waiting for.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The server allows relayed candidates only.
    var isRelayOnly = false
    /// Media has flowed in this call.
    var hasHadMedia = false
    /// Why the attempt under way can't succeed any more.
    var attemptFailure: SessionLifecycle.Outcome?
    var recovery: Task<Void, Never>?
    /// Closes the media connections that a full reconnect has replaced.
    var replacedMedia: Task<Void, Never>?
    /// What those had counted.
    var replaced = SessionStatistics()
    /// Why the call is over, where we have not left it ourselves.
    private var ending: String?
    private var isLeaving = false
    /// The call's end has begun, and is complete.
    private var isFinishing = false
    private var isFinished = false

    /// One connection that we always offer on, or two: the server offers on the second.
    var isSingle: Bool { subscriber == nil }
    /// The call is over.
    var hasEnded: Bool { lifecycle.hasEnded }
    var timeouts: SessionTimeouts { joiner.timeouts }
    /// Where the session reads its times.
    var clock: MediaClock { joiner.context.clock }

    init(
        _ joined: SessionJoiner.Joined, joiner: SessionJoiner, server: SignalTarget, token: String,
        policy: ReconnectPolicy
    ) {
        (events, report) = AsyncStream.makeStream(of: ProviderEvent.self)
        self.joiner = joiner
        logger = joiner.context.logger
        publicID = joined.response.participant.sid
        self.token = token
        addresses = ServerAddresses(server)
        lifecycle = SessionLifecycle(policy: policy)
        signal = joined.signal
        publisher = joined.publisher
        subscriber = joined.subscriber
        paths = MediaPaths(joined)
        ping = PingClock(joined.response, now: joiner.context.clock.now)
        local = joined.response.participant
        roster = RemoteRoster()
    }

    // MARK: ProviderSession

    var localParticipant: Participant {
        var participant = Participant(local, isLocal: true)
        participant.id = publicID
        participant.tracks = publications.map(\.track)
        return participant
    }

    func statistics() async -> SessionStatistics {
        var result = await publisher.media.statistics()
        if let subscriber { result.add(await subscriber.statistics()) }
        result.addReplaced(replaced)
        return result
    }

    func leave() async {
        isLeaving = true
        guard !hasEnded else {
            // What ends already ends in its own time; afterwards nothing of the session is left.
            while !isFinished { await change() }
            return
        }
        sendGoodbye()
        await finish(.lastMandatoryParticipantLeft, detail: "we left")
    }

    // MARK: Shared

    /// Says something now, or when the connection stands again.
    func send(_ build: (inout Livekit_SignalRequest) -> Void) {
        var request = Livekit_SignalRequest()
        build(&request)
        if queue.admit(request) { signal.send(request) }
    }

    func sendGoodbye() {
        send {
            $0.leave = .with {
                $0.reason = .clientInitiated; $0.action = .disconnect
            }
        }
    }

    func finish(_ reason: CallEndReason, detail: String) async {
        guard !isFinishing else { return }
        isFinishing = true
        if !isLeaving { ending = detail }
        lifecycle.finish()
        failWaiting(detail)
        endData()
        await publisher.media.close()
        await subscriber?.close()
        await replacedMedia?.value
        await signal.close()
        // Told last: whoever hears it may stop the threads that all this ran on.
        report.yield(.ended(reason, detail: detail))
        report.finish()
        pinger?.cancel()
        for task in mediaTasks { task.cancel() }
        isFinished = true
        wake()
    }

    /// What is thrown at whoever wants something of a call that is over.
    var endedError: CallError {
        ending.map { CallError(.network, .providerLost, "the call has ended: \($0)") }
            ?? CallError(.caller, .invalidArgument, "the call has ended; join again")
    }

    private func failWaiting(_ detail: String) {
        let error = CallError(.network, .providerLost, "the call ended before the server had answered: \(detail)")
        for pending in pendingPublications.values { pending.resume(returning: .refused(error)) }
        pendingPublications.removeAll()
        for pending in pendingRequests.values { pending.continuation.resume(returning: error) }
        pendingRequests.removeAll()
        wake()
    }

    // MARK: Waiting

    /// Lets everybody who waits look again.
    func wake() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }

    /// Waits for something to change.
    func change() async { await withCheckedContinuation { waiters.append($0) } }

    /// Waits until `condition` gives something, or gives nil after so many seconds.
    func wait<Result: Sendable>(
        seconds: Double, for condition: (isolated LiveKitSession) async -> Result?
    ) async -> Result? {
        // Before the timer: what it wakes must find the deadline past.
        let deadline = clock.now.nanoseconds + Int64(seconds * 1e9)
        let timer = Task { [weak self, clock] in
            try await clock.wait(seconds: seconds)
            await self?.wake()
        }
        defer { timer.cancel() }
        while true {
            if let result = await condition(self) { return result }
            guard clock.now.nanoseconds < deadline, !Task.isCancelled else { return nil }
            await change()
        }
    }

    /// Waits until the connection stands. Throws where the call has ended.
    func untilConnected() async throws {
        while !lifecycle.isConnected || queue.gate != .open {
            guard !hasEnded else {
                throw endedError
            }
            await change()
        }
    }
}
