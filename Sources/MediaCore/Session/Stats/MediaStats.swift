/// What a track of ours is made from: `RTCAudioSourceStats` and `RTCVideoSourceStats` of W3C webrtc-stats.
public struct MediaSourceStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "media-source"
    /// `audio` or `video`.
    public var kind: String
    /// Of the track.
    public var trackIdentifier: String
    /// Of sound, 0 (silence) ... 1 (the full scale): the last frame that was sent. Nil before, and of what came encoded without it.
    public var audioLevel: Double?
}

/// A codec as it was negotiated: `RTCCodecStats`.
public struct CodecStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "codec"
    /// `transport` on which it has its number.
    public var transportId: String
    /// In RTP.
    public var payloadType: Int
    /// Media type and codec, as RFC 4855 writes them.
    public var mimeType: String
    /// Of RTP's timestamps, in Hz.
    public var clockRate: Int
    /// Of sound; nil for pictures.
    public var channels: Int?
    /// The `a=fmtp` line without its number; nil where there is none.
    public var sdpFmtpLine: String?
}

/// How the sound of a connection was played: `RTCAudioPlayoutStats`.
public struct MediaPlayoutStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones.
    public var id: String
    /// Milliseconds since 1970.
    public var timestamp: Double
    /// Which object of webrtc-stats this is.
    public var type = "media-playout"
    /// `audio`.
    public var kind = "audio"
    /// Seconds that could not be played in time: this machine was too slow.
    public var synthesizedSamplesDuration: Double
    /// How often that happened.
    public var synthesizedSamplesEvents: Int
    /// Seconds in all, those included.
    public var totalSamplesDuration: Double
    /// Samples of one channel in all, those included.
    public var totalSamplesCount: Int
}
