/// What became of a call that rang on a device, or was placed from it.
public enum RingOutcome: Sendable, Hashable {
    /// The client is connected: the call goes on there.
    case connected
    /// Declined here.
    case declined
    /// Answered, and hung up before the client was connected.
    case hungUp
    /// Somebody else answered or the same person did on another device.
    case answeredElsewhere
    /// The same person declined on another device.
    case declinedElsewhere
    /// It rang in vain.
    case missed(MissedReason)
    /// It was answered here, and ended before the client was connected.
    case endedAfterAnswer
    /// The caller gave up, here.
    case aborted
    /// The call that was placed here ended without being connected.
    case ended(CallEndReason)
    /// The client did not become ready in time; what was missing.
    case clientTimedOut(String)
    /// Something failed.
    case failed(String)
}

/// A call that rings on one device, from the offer to the connected client or another outcome.
///
///     ringing --answer--> answering --granted--> waitingForClient --gate opens--> starting --connected--> finished
///        each but the last has a deadline, and leads to finished by what the user, the exchange or time does
///
/// It is a value: every method takes the time and appends what is to be done. The outcome is reported exactly once.
public struct IncomingRing: Sendable {
    /// Where it stands.
    public enum State: Sendable, Hashable {
        /// It rings.
        case ringing(until: CallTime)
        /// Answered here; the exchange has not said yet whether it counts.
        case answering(until: CallTime)
        /// Answered, waiting for the client: the application is not active, or not authenticated.
        case waitingForClient(until: CallTime)
        /// The client is being started and connected.
        case starting(until: CallTime)
        /// Over.
        case finished(RingOutcome)
    }

    /// How long things may take, in milliseconds.
    public struct Timing: Sendable, Hashable {
        /// How much longer than the exchange says a device rings where nothing more is heard.
        public var grace: Int64 = 5_000
        /// From the answer to the exchange's word on it.
        public var answer: Int64 = 10_000
        /// Answered, waiting for the client.
        public var client: Int64 = 30_000
        /// From the client's start to its connection.
        public var connect: Int64 = 30_000

        /// The default times.
        public init() {}
    }

    /// What is to be done, in order.
    public enum Action: Sendable, Hashable {
        /// Show it, and ring.
        case present(RingOffer)
        /// Show that it was answered and what is being waited for.
        case presentWaiting(String)
        /// Ask the system to bring the application to the foreground.
        case requestActivation
        /// Say something to the exchange.
        case send(RingCommand)
        /// Start the client and connect.
        case startClient
        /// Stop the client that was started.
        case stopClient
        /// Show it no longer.
        case dismiss
        /// Report the outcome; comes exactly once.
        case report(RingOutcome)
    }

    /// The call.
    public let offer: RingOffer
    /// Where it stands.
    public private(set) var state: State
    /// Whether the client may start.
    public private(set) var gate: AnswerGate
    private let timing: Timing
    private var answeredAt: CallTime?
    private var asksForActivation = true

    /// An offer arrives. One that is too old is shown and reported at once: what was pushed must be reported.
    public init(
        _ offer: RingOffer, gate: AnswerGate, timing: Timing = .init(), at now: CallTime, into actions: inout [Action]
    ) {
        self.offer = offer
        self.gate = gate
        self.timing = timing
        state = .ringing(until: offer.ringsUntil.advanced(by: timing.grace))
        actions.append(.present(offer))
        if now >= offer.ringsUntil { finish(.missed(.timeout), &actions) }
    }

    /// Whether it is over.
    public var isFinished: Bool { if case .finished = state { true } else { false } }

    /// When `advance` is to be called at the latest; nil when it is over.
    public var nextDeadline: CallTime? {
        switch state {
        case .ringing(let until), .answering(let until), .waitingForClient(let until), .starting(let until): until
        case .finished: nil
        }
    }

    // MARK: The user

    /// The user answers.
    public mutating func answer(at now: CallTime, into actions: inout [Action]) {
        guard case .ringing = state else { return }
        answeredAt = now
        state = .answering(until: now.advanced(by: timing.answer))
        actions.append(.send(.answer(callId: offer.callId)))
    }

    /// The user declines, or hangs up what they answered.
    public mutating func decline(at now: CallTime, into actions: inout [Action]) {
        switch state {
        case .ringing:
            actions.append(.send(.decline(callId: offer.callId)))
            finish(.declined, &actions)
        case .answering, .waitingForClient, .starting: giveUp(.hangUp, .hungUp, &actions)
        case .finished: break
        }
    }

    /// The device was locked or unlocked, the application came or went, its user has authenticated or no longer.
    public mutating func deviceChanged(_ gate: AnswerGate, at now: CallTime, into actions: inout [Action]) {
        let wasLocked = self.gate.isLocked
        self.gate = gate
        guard case .waitingForClient = state else { return }
        if wasLocked, !gate.isLocked { askForActivation(at: now, &actions) }
        passGate(at: now, &actions)
    }

    // MARK: The exchange

    /// The exchange says something about this call.
    public mutating func receive(_ signal: RingSignal, at now: CallTime, into actions: inout [Action]) {
        guard signal.callId == offer.callId else { return }
        switch signal {
        case .granted: granted(at: now, &actions)
        case .refused(_, let reason):
            if case .answering = state { finish(Self.outcome(reason, answered: false), &actions) }
        case .withdrawn(_, let reason): withdrawn(reason, &actions)
        // A repeated offer, or something that only callers are told.
        case .offer, .progress, .ended: break
        }
    }

    private mutating func granted(at now: CallTime, _ actions: inout [Action]) {
        switch state {
        case .answering: break
        // Another process of this device has answered.
        case .ringing: answeredAt = now
        case .waitingForClient, .starting, .finished: return
        }
        state = .waitingForClient(until: now.advanced(by: timing.client))
        passGate(at: now, &actions)
        guard case .waitingForClient = state else { return }
        actions.append(.presentWaiting(gate.missing))
        if !gate.isLocked { askForActivation(at: now, &actions) }
    }

    private mutating func withdrawn(_ reason: RingWithdrawal, _ actions: inout [Action]) {
        switch state {
        case .ringing, .answering: finish(Self.outcome(reason, answered: false), &actions)
        case .waitingForClient: finish(Self.outcome(reason, answered: true), &actions)
        case .starting:
            actions.append(.stopClient)
            finish(Self.outcome(reason, answered: true), &actions)
        case .finished: break
        }
    }

    private static func outcome(_ reason: RingWithdrawal, answered: Bool) -> RingOutcome {
        if answered { return .endedAfterAnswer }
        switch reason {
        case .answeredElsewhere: return .answeredElsewhere
        case .declinedElsewhere: return .declinedElsewhere
        case .timeout: return .missed(.timeout)
        case .aborted, .ended: return .missed(.terminated)
        case .unknownCall: return .failed("the server knows no such call")
        }
    }

    // MARK: The client

    /// The client's connection to the provider stands.
    public mutating func clientConnected(at now: CallTime, into actions: inout [Action]) {
        guard case .starting = state else { return }
        actions.append(.send(.connected(callId: offer.callId)))
        finish(.connected, &actions)
    }

    /// The client could not be started or connected.
    public mutating func clientFailed(_ why: String, at now: CallTime, into actions: inout [Action]) {
        guard case .starting = state else { return }
        giveUp(.systemAbort, .failed(why), &actions)
    }

    /// Time has passed.
    public mutating func advance(to now: CallTime, into actions: inout [Action]) {
        guard let nextDeadline, now >= nextDeadline else { return }
        switch state {
        case .ringing: finish(.missed(.timeout), &actions)
        case .answering: giveUp(.systemAbort, .failed("the server does not confirm the answer"), &actions)
        case .waitingForClient: giveUp(.systemAbort, .clientTimedOut(gate.missing), &actions)
        case .starting: giveUp(.systemAbort, .clientTimedOut("the client does not connect"), &actions)
        case .finished: break
        }
    }

    private mutating func passGate(at now: CallTime, _ actions: inout [Action]) {
        guard case .waitingForClient = state, gate.isOpen else { return }
        state = .starting(until: now.advanced(by: timing.connect))
        actions.append(.startClient)
    }

    private mutating func askForActivation(at now: CallTime, _ actions: inout [Action]) {
        let unlockedAfter = answeredAt.map { now.milliseconds(since: $0) }
        guard asksForActivation, !gate.isActive,
            AnsweredScreen.after(answering: offer.callType, unlockedAfter: unlockedAfter) == .application
        else { return }
        asksForActivation = false
        actions.append(.requestActivation)
    }

    /// Leaves a call that was, or may have been, answered for us.
    private mutating func giveUp(
        _ reason: ParticipantLeftReason, _ outcome: RingOutcome, _ actions: inout [Action]
    ) {
        if case .starting = state { actions.append(.stopClient) }
        actions.append(.send(.hangUp(callId: offer.callId, reason)))
        finish(outcome, &actions)
    }

    private mutating func finish(_ outcome: RingOutcome, _ actions: inout [Action]) {
        state = .finished(outcome)
        actions.append(.dismiss)
        actions.append(.report(outcome))
    }
}
