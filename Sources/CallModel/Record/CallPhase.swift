/// Where a call stands for everybody, as a server sees it. How our own media connection fares is another matter.
public enum CallPhase: String, Sendable, Hashable, Codable, CaseIterable {
    /// No call: not yet, or no longer.
    case idle = "IDLE"
    /// It rings, and nobody has accepted.
    case calling = "CALLING"
    /// Nobody of the first group has accepted: it rings for a further one.
    case forwarding = "FORWARDING"
    /// There is nobody to take it, and the caller is being told.
    case unavailable = "UNAVAILABLE"
    /// Somebody has accepted.
    case active = "ACTIVE"
}

/// What a call was placed as.
public enum CallType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Sound only.
    case audio = "AUDIO"
    /// Sound and pictures.
    case video = "VIDEO"
}

/// Which media somebody publishes.
public enum PublishedMedia: String, Sendable, Hashable, Codable, CaseIterable {
    /// Sound only.
    case audio = "AUDIO"
    /// Pictures only.
    case video = "VIDEO"
    /// Both.
    case audioVideo = "AUDIO_VIDEO"
    /// Only watching and listening.
    case none = "NONE"

    /// From its two halves.
    public init(audio: Bool, video: Bool) {
        self = audio ? (video ? .audioVideo : .audio) : (video ? .video : .none)
    }

    /// Whether sound is published.
    public var hasAudio: Bool { self == .audio || self == .audioVideo }
    /// Whether pictures are published.
    public var hasVideo: Bool { self == .video || self == .audioVideo }
}
