import CallBridge
import LiveKitProtocol
import MediaCore

/// Where the repair of a lost connection stands, and how the call has ended. A value; `SessionLifecycle` decides what is
/// tried.
struct SessionRepair {
    /// What the present attempt is waiting for.
    enum Step: Sendable, Hashable {
        /// There is no attempt.
        case none
        /// Its time.
        case pause(SessionLifecycle.Attempt, until: MediaTime)
        /// A socket, or a new session.
        case connection(SessionLifecycle.Attempt)
        /// Media on all paths.
        case media(SessionLifecycle.Attempt, by: MediaTime)
        /// The server's word on everything that we publish again.
        case publications(SessionLifecycle.Attempt)
    }

    /// Why the call is over.
    struct Ending: Sendable, Hashable {
        var detail: String
        /// We have left.
        var isOurs: Bool

        /// What is thrown at whoever wants something of a call that is over.
        var error: CallError {
            isOurs
                ? CallError(.caller, .invalidArgument, "the call has ended; join again")
                : CallError(.network, .providerLost, "the call has ended: \(detail)")
        }
    }

    var lifecycle: SessionLifecycle
    var step = Step.none
    /// Why the attempt under way can't succeed any more.
    private(set) var failure: SessionLifecycle.Outcome?
    /// Media has flowed in this call.
    var hasHadMedia = false
    /// Which TURN server does not answer, since media stood last.
    var silentRelay: String?
    private(set) var ending: Ending?

    init(policy: ReconnectPolicy) { lifecycle = SessionLifecycle(policy: policy) }

    /// Something was lost.
    mutating func lost(_ loss: SessionLifecycle.Loss, _ why: String) -> SessionLifecycle.LossAction {
        let action = lifecycle.lost(loss)
        // Whatever it is, the attempt under way has no longer what it stands on.
        if action == .none, loss != .publisher, loss != .subscriber {
            failure = loss == .session ? .notResumable(why) : .unreachable(why)
        }
        return action
    }

    /// What has failed, and which relay may be to blame.
    func explained(_ failure: String) -> String { silentRelay.map { "\(failure); \($0)" } ?? failure }

    /// An attempt is due: it is begun, and what has failed before no longer counts.
    mutating func start(_ attempt: SessionLifecycle.Attempt) {
        failure = nil
        step = .connection(attempt)
    }

    /// The attempt has come to its end.
    mutating func attemptEnded(_ outcome: SessionLifecycle.Outcome) -> SessionLifecycle.OutcomeAction {
        step = .none
        return lifecycle.attemptEnded(failure ?? outcome)
    }

    /// The call is over; false where it was already.
    mutating func end(_ ending: Ending) -> Bool {
        guard self.ending == nil else { return false }
        self.ending = ending
        step = .none
        lifecycle.finish()
        return true
    }

    /// When the present attempt has waited long enough.
    var deadline: MediaTime? {
        switch step {
        case .pause(_, let until): until
        case .media(_, let by): by
        case .none, .connection, .publications: nil
        }
    }
}
