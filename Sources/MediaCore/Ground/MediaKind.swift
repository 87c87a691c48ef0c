/// Audio or video.
public enum MediaKind: String, Sendable, Hashable, CaseIterable {
    /// Sound.
    case audio
    /// Pictures.
    case video
}
