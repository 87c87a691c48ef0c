import CallModel
public import MediaCore

/// A device at work: rings what is offered to it, places calls, and starts the client when it may.
///
///     let phone = RingPhone(transport, presenter: presenter) { call in try await joinCall(call) }
///     try await phone.start()
///     for await (call, outcome) in phone.outcomes { ... }
///
/// No client runs before a call has been answered and the gate is open. Each call's outcome comes exactly once.
public actor RingPhone {
    /// What the client is started for.
    public struct Start: Sendable, Hashable {
        /// The call.
        public var callId: String
        /// Its conversation.
        public var conversationId: String
        /// Sound, or sound and pictures.
        public var callType: CallType
        /// Whether we placed it.
        public var isOutgoing: Bool
    }

    private enum Ring {
        case incoming(IncomingRing)
        case outgoing(OutgoingRing, RingRequest)
    }

    private enum Input {
        case signal(RingSignal)
        case answer
        case decline
        case gate(AnswerGate)
        case connected
        case failed(String)
        case time
    }

    /// What became of each call; ends with the transport.
    public nonisolated let outcomes: AsyncStream<(callId: String, outcome: RingOutcome)>

    private let transport: any RingTransport
    private let presenter: any RingPresenter
    private let timing: IncomingRing.Timing
    private let client: @Sendable (Start) async throws -> Void
    private let stopClient: @Sendable (String) async -> Void
    private let clock: @Sendable () -> CallTime
    private let timer: MediaClock
    private let report: AsyncStream<(callId: String, outcome: RingOutcome)>.Continuation
    private var gate: AnswerGate
    private var signalsTaken = 0
    private var rings: [String: Ring] = [:]
    private var reader: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    /// Commands leave in order, one after another.
    private var outbox: Task<Void, Never>?

    /// - Parameters:
    ///   - transport: the line to the exchange.
    ///   - presenter: shows calls.
    ///   - gate: whether a client may be started now.
    ///   - timing: how long things may take.
    ///   - clock: the time of day.
    ///   - timer: what its deadlines are waited for on.
    ///   - stopClient: undoes what `client` did, for a call that ended meanwhile.
    ///   - client: joins the call, and returns when its media is connected.
    public init(
        _ transport: any RingTransport, presenter: any RingPresenter, gate: AnswerGate = .init(),
        timing: IncomingRing.Timing = .init(), clock: @escaping @Sendable () -> CallTime = { .now },
        timer: MediaClock = .system,
        stopClient: @escaping @Sendable (String) async -> Void = { _ in },
        client: @escaping @Sendable (Start) async throws -> Void
    ) {
        self.transport = transport
        self.presenter = presenter
        self.gate = gate
        self.timing = timing
        self.clock = clock
        self.timer = timer
        self.stopClient = stopClient
        self.client = client
        (outcomes, report) = AsyncStream.makeStream()
    }

    /// Begins to listen. Throws what keeps the device from being reached.
    public func start() async throws {
        let signals = try await transport.signals()
        reader = Task { [weak self] in
            for await signal in signals { await self?.receive(signal) }
            await self?.transportEnded()
        }
    }

    /// Listens no longer. Calls that still ring have failed.
    public func stop() async {
        reader?.cancel()
        await transportEnded()
        await outbox?.value
        await transport.close()
    }

    // MARK: The user

    /// Places a call, whose id the request names or is made. Returns the id.
    public func place(_ request: RingRequest) async -> String {
        var request = request
        if request.callId.isEmpty {
            request.callId = "call-\(UInt64.random(in: 0...UInt64.max))"
        }
        var actions: [OutgoingRing.Action] = []
        let ring = OutgoingRing(request, at: clock(), into: &actions)
        rings[request.callId] = .outgoing(ring, request)
        await perform(actions, request)
        return request.callId
    }

    /// Answers a call that rings.
    public func answer(_ callId: String) async { await feed(.answer, callId) }

    /// Declines a call that rings, hangs up one that was answered, gives up one that was placed.
    public func decline(_ callId: String) async { await feed(.decline, callId) }

    /// The device was locked or unlocked, the application came or went, its user has authenticated or no longer.
    public func deviceChanged(_ gate: AnswerGate) async {
        self.gate = gate
        for id in rings.keys.sorted() { await feed(.gate(gate), id) }
    }

    /// Leaves a call that was connected.
    public func hangUp(_ callId: String, _ reason: ParticipantLeftReason = .hangUp) async {
        enqueue(.hangUp(callId: callId, reason))
        await outbox?.value
    }

    // MARK: Inside

    private func receive(_ signal: RingSignal) async {
        defer { signalsTaken += 1 }
        if case .offer(let offer) = signal, rings[offer.callId] == nil {
            var actions: [IncomingRing.Action] = []
            let ring = IncomingRing(offer, gate: gate, timing: timing, at: clock(), into: &actions)
            rings[offer.callId] = .incoming(ring)
            await perform(actions, offer)
        } else {
            await feed(.signal(signal), signal.callId)
        }
    }

    private func feed(_ input: Input, _ callId: String) async {
        let now = clock()
        switch rings[callId] {
        case .incoming(var ring):
            var actions: [IncomingRing.Action] = []
            switch input {
            case .signal(let signal): ring.receive(signal, at: now, into: &actions)
            case .answer: ring.answer(at: now, into: &actions)
            case .decline: ring.decline(at: now, into: &actions)
            case .gate(let gate): ring.deviceChanged(gate, at: now, into: &actions)
            case .connected: ring.clientConnected(at: now, into: &actions)
            case .failed(let why): ring.clientFailed(why, at: now, into: &actions)
            case .time: ring.advance(to: now, into: &actions)
            }
            rings[callId] = .incoming(ring)
            await perform(actions, ring.offer)
        case .outgoing(var ring, let request):
            var actions: [OutgoingRing.Action] = []
            switch input {
            case .signal(let signal): ring.receive(signal, at: now, into: &actions)
            case .decline: ring.abort(at: now, into: &actions)
            case .connected: ring.clientConnected(at: now, into: &actions)
            case .failed(let why): ring.failed(why, at: now, into: &actions)
            case .time: ring.advance(to: now, into: &actions)
            case .answer, .gate: break
            }
            rings[callId] = .outgoing(ring, request)
            await perform(actions, request)
        case nil: break
        }
    }

    private func perform(_ actions: [IncomingRing.Action], _ offer: RingOffer) async {
        setTimer()
        for action in actions {
            switch action {
            case .present: await present(offer)
            case .presentWaiting(let reason): await presenter.waiting(offer, for: reason)
            case .requestActivation: await presenter.requestActivation(offer)
            case .send(let command): enqueue(command)
            case .startClient:
                start(
                    Start(
                        callId: offer.callId, conversationId: offer.conversationId, callType: offer.callType,
                        isOutgoing: false))
            case .stopClient: await stopClient(offer.callId)
            case .dismiss: await presenter.dismiss(offer)
            case .report(let outcome): finish(offer.callId, outcome)
            }
        }
    }

    private func perform(_ actions: [OutgoingRing.Action], _ request: RingRequest) async {
        setTimer()
        for action in actions {
            switch action {
            case .send(let command): enqueue(command)
            case .present: break
            case .startClient:
                start(
                    Start(
                        callId: request.callId, conversationId: request.conversationId, callType: request.callType,
                        isOutgoing: true))
            case .stopClient: await stopClient(request.callId)
            case .report(let outcome): finish(request.callId, outcome)
            }
        }
    }

    private func present(_ offer: RingOffer) async {
        await presenter.present(offer) { [weak self] decision in
            switch decision {
            case .answer: await self?.answer(offer.callId)
            case .decline: await self?.decline(offer.callId)
            }
        }
    }

    private func start(_ start: Start) {
        Task { [weak self, client] in
            do {
                try await client(start)
                await self?.feed(.connected, start.callId)
            } catch {
                await self?.feed(.failed("\(error)"), start.callId)
            }
        }
    }

    private func enqueue(_ command: RingCommand) {
        let before = outbox
        outbox = Task { [transport, weak self] in
            await before?.value
            do {
                try await transport.send(command)
            } catch {
                await self?.commandFailed(command, error)
            }
        }
    }

    /// A call that can't be placed or answered is over; of everything else time or the exchange takes care.
    private func commandFailed(_ command: RingCommand, _ error: any Error) async {
        switch command {
        case .place: await feed(.failed("\(error)"), command.callId)
        case .answer: await feed(.signal(.refused(callId: command.callId, .unknownCall)), command.callId)
        case .decline, .abort, .connected, .hangUp: break
        }
    }

    private func finish(_ callId: String, _ outcome: RingOutcome) {
        rings[callId] = nil
        report.yield((callId, outcome))
    }

    private func transportEnded() async {
        for id in rings.keys.sorted() {
            rings[id] = nil
            report.yield((id, .failed("the line to the server is gone")))
        }
        alarm?.cancel()
        report.finish()
    }

    private func setTimer() {
        alarm?.cancel()
        let deadlines = rings.values.compactMap { ring in
            switch ring {
            case .incoming(let ring): ring.nextDeadline
            case .outgoing(let ring, _): ring.nextDeadline
            }
        }
        guard let deadline = deadlines.min() else { return }
        // A server may name any time; a day later the deadline is looked at again.
        let now = clock()
        let wait = deadline <= now ? 1 : min(deadline.milliseconds(since: now), 86_400_000)
        alarm = Task { [weak self, timer] in
            guard (try? await timer.wait(seconds: Double(wait) / 1000)) != nil else { return }
            await self?.timePassed()
        }
    }

    /// Whether it has dealt with so many signals, and said what it has to say to them. Waits for the latter.
    package func hasDealt(with signals: Int) async -> Bool {
        await outbox?.value
        return signalsTaken >= signals
    }

    /// The clock has been moved: what is due is done.
    package func advance() async { await timePassed() }

    private func timePassed() async {
        for id in rings.keys.sorted() { await feed(.time, id) }
        setTimer()
    }
}
