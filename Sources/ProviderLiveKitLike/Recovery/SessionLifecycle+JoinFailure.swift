import CallBridge
import LiveKitProtocol

extension SessionLifecycle.Outcome {
    /// What a failed attempt to reconnect means.
    init(_ failure: JoinFailure) {
        let why = failure.error.message
        switch failure.kind {
        case .retryable: self = .unreachable(why)
        case .unknownPath: self = .notResumable(why)
        case .refused(401), .refused(403): self = .refused(.systemShutdown, why)
        case .refused(let status): self = status >= 500 ? .unreachable(why) : .notResumable(why)
        case .left(let leave):
            self =
                leave.action == .disconnect && !leave.canReconnect
                ? .refused(
                    CallEndReason(leave.reason), "the server ended our participation: \(leave.reason.explanation)")
                : .notResumable("the server wants a new session: \(leave.reason.explanation)")
        }
    }
}
