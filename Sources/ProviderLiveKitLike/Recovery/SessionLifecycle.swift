import CallBridge
import LiveKitProtocol

/// Whether a session's connection stands, and what has to happen where it does not. A value: no clock, no socket.
struct SessionLifecycle {
    /// What was lost.
    enum Loss: Sendable, Hashable {
        /// The signalling socket closed, or the server asked for a quick reconnect.
        case signal
        /// The server did not answer pings for too long.
        case pingTimeout
        /// The connection that we send on has no path any more.
        case publisher
        /// The connection that we receive on has no path any more.
        case subscriber
        /// The connection can't be repaired: a failed handshake, an unanswered offer, the server's wish.
        case session
    }

    /// One try to repair.
    struct Attempt: Sendable, Hashable {
        var mode: ReconnectMode
        /// 1 for the first.
        var number: Int
        /// What the server is told.
        var reason: Livekit_ReconnectReason
        /// Seconds to wait before it.
        var delay: Double
    }

    /// How a try went.
    enum Outcome: Sendable, Hashable {
        case succeeded
        /// Nobody answered, or not in time: the same may work later.
        case unreachable(String)
        /// The server no longer has this session: only joining afresh can help.
        case notResumable(String)
        /// The server ended our participation, or does not accept our token. Final.
        case refused(CallEndReason, String)
    }

    enum LossAction: Sendable, Hashable {
        /// Nothing: a repair is under way already, or the session is over.
        case none
        case begin(Attempt)
    }

    enum OutcomeAction: Sendable, Hashable {
        case none
        case connected(ReconnectMode)
        case retry(Attempt)
        case end(CallEndReason, detail: String)
    }

    private enum State {
        case connected
        /// `demandsNew`: the server has said meanwhile that this session can't be resumed.
        case reconnecting(Attempt, demandsNew: Bool)
        case ended
    }

    let policy: ReconnectPolicy
    /// The server's configuration may forbid resuming.
    var mayResume = true
    private var state = State.connected
    private var random: any RandomNumberGenerator & Sendable

    init(
        policy: ReconnectPolicy = .init(), random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.policy = policy
        self.random = random
    }

    /// The connection stands as far as is known.
    var isConnected: Bool { if case .connected = state { true } else { false } }

    /// Nothing follows.
    var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// The attempt that is waited for or under way.
    var attempt: Attempt? { if case .reconnecting(let attempt, _) = state { attempt } else { nil } }

    /// Something was lost.
    mutating func lost(_ loss: Loss) -> LossAction {
        guard isConnected else {
            if loss == .session { demandFullReconnect() }
            return .none
        }
        let mode: ReconnectMode = loss == .session || !mayResume ? .full : .quick
        let attempt = Attempt(mode: mode, number: 1, reason: loss.wire, delay: 0)
        state = .reconnecting(attempt, demandsNew: false)
        return .begin(attempt)
    }

    /// The server says that this session can't be resumed: attempts from the next one on join afresh.
    private mutating func demandFullReconnect() {
        guard case .reconnecting(let attempt, _) = state else { return }
        state = .reconnecting(attempt, demandsNew: true)
    }

    /// The attempt that was begun has come to its end.
    mutating func attemptEnded(_ outcome: Outcome) -> OutcomeAction {
        guard case .reconnecting(let attempt, let demandsNew) = state else { return .none }
        switch outcome {
        case .succeeded where !demandsNew:
            state = .connected
            return .connected(attempt.mode)
        case .refused(let reason, let detail): return end(reason, detail)
        case .unreachable(let why) where !demandsNew: return retry(attempt, why)
        case .succeeded: return joinAfresh(attempt, "the server demands a new session")
        case .unreachable(let why), .notResumable(let why): return joinAfresh(attempt, why)
        }
    }

    /// The call is over for another reason.
    mutating func finish() { state = .ended }

    /// A server that demands a new session is there: the first join follows at once, whatever was tried before. Where
    /// that was a join already, it counts as one that failed.
    private mutating func joinAfresh(_ attempt: Attempt, _ why: String) -> OutcomeAction {
        guard attempt.mode == .quick else { return retry(attempt, why) }
        let next = Attempt(mode: .full, number: 1, reason: attempt.reason, delay: 0)
        state = .reconnecting(next, demandsNew: false)
        return .retry(next)
    }

    private mutating func retry(_ attempt: Attempt, _ why: String) -> OutcomeAction {
        guard attempt.number < policy.maximumAttempts else {
            return end(
                .systemShutdown, "the connection was lost and \(attempt.number) attempts did not restore it: \(why)")
        }
        let next = Attempt(
            mode: attempt.mode, number: attempt.number + 1, reason: attempt.reason,
            delay: policy.delay(afterFailures: attempt.number, using: &random))
        state = .reconnecting(next, demandsNew: false)
        return .retry(next)
    }

    private mutating func end(_ reason: CallEndReason, _ detail: String) -> OutcomeAction {
        state = .ended
        return .end(reason, detail: detail)
    }
}

extension SessionLifecycle.Loss {
    /// The reason that a resuming client names.
    fileprivate var wire: Livekit_ReconnectReason {
        switch self {
        case .signal, .pingTimeout: .rrSignalDisconnected
        case .publisher: .rrPublisherFailed
        case .subscriber: .rrSubscriberFailed
        case .session: .rrUnknown
        }
    }
}
