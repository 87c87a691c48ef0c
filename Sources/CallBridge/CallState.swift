/// Where a call stands for us.
public enum CallState: String, Sendable, Hashable, Codable {
    /// Signalling or media is being set up.
    case connecting = "CONNECTING"
    /// Media flows.
    case active = "ACTIVE"
    /// The media or signalling connection was lost and is being restored; the call has not ended.
    case reconnecting = "RECONNECTING"
    /// Over.
    case ended = "ENDED"
}
