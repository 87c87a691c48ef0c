import CallBridge
import OpenTokClient
import OpenTokSignalling

/// Reasons in the words of the call model.
extension ParticipantLeftReason {
    init(_ reason: RaptorReason) {
        self =
            switch reason {
            case .clientDisconnected: .hangUp
            case .forceDisconnected: .removed
            case .networkDisconnected: .systemAbort
            case .forceUnpublished, .mediaStopped: .unknown
            }
    }
}

/// How the bridge is told that a session is over.
struct EndWords: Hashable {
    var reason: CallEndReason
    var detail: String
    var exclusion: CallExclusion?

    init(_ end: ClientEnd) {
        switch end {
        case .left: self.init(.lastMandatoryParticipantLeft, "we left")
        case .removed(.forceDisconnected): self.init(.unknown, "we were disconnected from the session", .removed)
        case .removed(.networkDisconnected):
            self.init(.systemShutdown, "the server has given us up, or is shutting down")
        case .removed(let reason): self.init(.unknown, "the server has disconnected us: \(reason.rawValue)")
        case .refused, .closed, .lost, .misbehaved: self.init(.systemShutdown, end.error.description)
        }
    }

    private init(_ reason: CallEndReason, _ detail: String, _ exclusion: CallExclusion? = nil) {
        self.reason = reason
        self.detail = detail
        self.exclusion = exclusion
    }
}
