/// A call that is placed from a device, from the request to the connected client or another outcome.
///
///     placing --progress--> ringing --ACTIVE--> starting --connected--> finished
///
/// No client runs before somebody has answered. A value like `IncomingRing`.
public struct OutgoingRing: Sendable {
    /// Where it stands.
    public enum State: Sendable, Hashable {
        /// The exchange has been asked.
        case placing(until: CallTime)
        /// It rings, is forwarded, or there is nobody.
        case ringing(CallPhase, until: CallTime)
        /// Answered: the client is being started and connected.
        case starting(until: CallTime)
        /// Over.
        case finished(RingOutcome)
    }

    /// How long things may take, in milliseconds.
    public struct Timing: Sendable, Hashable {
        /// From the request to the exchange's first word.
        public var place: Int64 = 10_000
        /// How long a device waits for an answer where nothing more is heard.
        public var answer: Int64 = 300_000
        /// From the answer to the connected client.
        public var connect: Int64 = 30_000

        /// The default times.
        public init() {}
    }

    /// What is to be done, in order.
    public enum Action: Sendable, Hashable {
        /// Say something to the exchange.
        case send(RingCommand)
        /// Show where the call stands.
        case present(CallPhase)
        /// Start the client and connect.
        case startClient
        /// Stop the client that was started.
        case stopClient
        /// Report the outcome; comes exactly once.
        case report(RingOutcome)
    }

    /// The call.
    public let callId: String
    /// Where it stands.
    public private(set) var state: State
    private let timing: Timing

    /// Places a call; the request names its id.
    public init(
        _ request: RingRequest, timing: Timing = .init(), at now: CallTime, into actions: inout [Action]
    ) {
        callId = request.callId
        self.timing = timing
        state = .placing(until: now.advanced(by: timing.place))
        actions.append(.send(.place(request)))
    }

    /// Whether it is over.
    public var isFinished: Bool { if case .finished = state { true } else { false } }

    /// When `advance` is to be called at the latest; nil when it is over.
    public var nextDeadline: CallTime? {
        switch state {
        case .placing(let until), .ringing(_, let until), .starting(let until): until
        case .finished: nil
        }
    }

    /// The caller gives up, or hangs up.
    public mutating func abort(at now: CallTime, into actions: inout [Action]) { giveUp(.aborted, &actions) }

    /// The exchange says something about this call.
    public mutating func receive(_ signal: RingSignal, at now: CallTime, into actions: inout [Action]) {
        guard signal.callId == callId else { return }
        switch signal {
        case .progress(_, let phase): progress(phase, at: now, &actions)
        case .ended(_, let reason):
            guard !isFinished else { return }
            if case .starting = state { actions.append(.stopClient) }
            finish(.ended(reason), &actions)
        // What only those who are called are told.
        case .offer, .granted, .refused, .withdrawn: break
        }
    }

    private mutating func progress(_ phase: CallPhase, at now: CallTime, _ actions: inout [Action]) {
        switch (state, phase) {
        case (.placing, .active), (.ringing, .active):
            actions.append(.present(.active))
            state = .starting(until: now.advanced(by: timing.connect))
            actions.append(.startClient)
        case (.placing, _):
            state = .ringing(phase, until: now.advanced(by: timing.answer))
            actions.append(.present(phase))
        case (.ringing(let shown, let until), _) where shown != phase:
            state = .ringing(phase, until: until)
            actions.append(.present(phase))
        case (.ringing, _), (.starting, _), (.finished, _): break
        }
    }

    /// The client's connection to the provider stands.
    public mutating func clientConnected(at now: CallTime, into actions: inout [Action]) {
        guard case .starting = state else { return }
        actions.append(.send(.connected(callId: callId)))
        finish(.connected, &actions)
    }

    /// The client could not be started or connected, or the call could not be placed.
    public mutating func failed(_ why: String, at now: CallTime, into actions: inout [Action]) {
        giveUp(.failed(why), &actions)
    }

    /// Time has passed.
    public mutating func advance(to now: CallTime, into actions: inout [Action]) {
        guard let nextDeadline, now >= nextDeadline else { return }
        switch state {
        case .placing: giveUp(.failed("the server does not place the call"), &actions)
        case .ringing: giveUp(.failed("nothing was heard of the call any more"), &actions)
        case .starting: giveUp(.clientTimedOut("the client does not connect"), &actions)
        case .finished: break
        }
    }

    private mutating func giveUp(_ outcome: RingOutcome, _ actions: inout [Action]) {
        if isFinished { return }
        if case .starting = state { actions.append(.stopClient) }
        actions.append(.send(.abort(callId: callId)))
        finish(outcome, &actions)
    }

    private mutating func finish(_ outcome: RingOutcome, _ actions: inout [Action]) {
        state = .finished(outcome)
        actions.append(.report(outcome))
    }
}
