/// How a lost connection is being restored.
public enum ReconnectMode: String, Sendable, Hashable, Codable {
    /// The session goes on: signalling is resumed, or the media path is searched anew. Others notice nothing.
    case quick
    /// The call is joined afresh and what we publish is published again. Others see us leave and come back.
    case full
}
