/// A received track as W3C webrtc-stats describes it: `RTCInboundRtpStreamStats`, with its names, units (seconds, bytes) and
/// definitions. What doesn't concern its kind is nil.
public struct InboundRTPStreamStats: Codable, Sendable, Hashable {
    /// Unique in a report, and the same in later ones; nil outside of one.
    public var id: String?
    /// Milliseconds since 1970; nil outside of a report.
    public var timestamp: Double?
    /// Which object of webrtc-stats this is.
    public var type = "inbound-rtp"
    /// The stream's source in RTP.
    public var ssrc: UInt32?
    /// Of its section in the description.
    public var mid: String?
    /// `transport` that carries it.
    public var transportId: String?
    /// `codec` of it.
    public var codecId: String?
    /// `remote-outbound-rtp` that tells what was sent; nil before the first report.
    public var remoteId: String?
    /// `media-playout` of its sound.
    public var playoutId: String?
    /// `audio` or `video`.
    public var kind: String
    /// Of the track that the stream carries.
    public var trackIdentifier: String
    /// Media type and codec, as RFC 4855 writes them.
    public var mimeType: String
    /// RTP packets that came, duplicates left out.
    public var packetsReceived: Int
    /// Packets that were expected and have not come.
    public var packetsLost: Int
    /// Packets of sound that came too late or too early to be played.
    public var packetsDiscarded: Int?
    /// Payload bytes, without headers and padding.
    public var bytesReceived: Int
    /// RFC 3550 section 6.4.1, in seconds.
    public var jitter: Double
    /// Packets that came as a repetition.
    public var retransmittedPacketsReceived: Int
    /// Requests for repetition that were sent (RFC 4585 section 6.2.1).
    public var nackCount: Int
    /// Seconds that all emitted samples or frames together have waited; divided by `jitterBufferEmittedCount`, the mean.
    public var jitterBufferDelay: Double
    /// Samples or frames that have left the jitter buffer.
    public var jitterBufferEmittedCount: Int
    /// Seconds that the buffer aimed at, summed as `jitterBufferDelay` is.
    public var jitterBufferTargetDelay: Double?
    // Sound; nil for pictures.
    /// Samples that were played, concealed ones included; of each channel.
    public var totalSamplesReceived: Int?
    /// Samples that were made up for missing ones.
    public var concealedSamples: Int?
    /// Those of them that were silence.
    public var silentConcealedSamples: Int?
    /// Runs of concealed samples.
    public var concealmentEvents: Int?
    /// Samples more than were sent, for playing slower.
    public var insertedSamplesForDeceleration: Int?
    /// Samples less than were sent, for playing faster.
    public var removedSamplesForAcceleration: Int?
    // Pictures; nil for sound.
    /// Key frames asked for (RFC 4585 section 6.3.1).
    public var pliCount: Int?
    /// Complete frames that came.
    public var framesReceived: Int?
    /// Frames that the decoder took.
    public var framesDecoded: Int?
    /// Key frames among them.
    public var keyFramesDecoded: Int?
    /// Frames that were shown.
    public var framesRendered: Int?
    /// Frames that were decoded or came complete and were not shown.
    public var framesDropped: Int?
    /// Of the last decoded frame, in pixels.
    public var frameWidth: Int?
    /// Of the last decoded frame, in pixels.
    public var frameHeight: Int?
    /// Intervals between two shown frames that are freezes by webrtc-stats.
    public var freezeCount: Int?
    /// Of these, in seconds.
    public var totalFreezesDuration: Double?
    /// Intervals without a frame of more than five seconds.
    public var pauseCount: Int?
    /// Of these, in seconds.
    public var totalPausesDuration: Double?
    /// Seconds between shown frames, summed.
    public var totalInterFrameDelay: Double?
    /// Their squares, summed.
    public var totalSquaredInterFrameDelay: Double?
    /// Seconds that the decoder has taken.
    public var totalDecodeTime: Double?

    /// - Parameter counted: of the track.
    public init(_ counted: ReceiverStatistics) {
        kind = counted.kind.rawValue
        trackIdentifier = counted.trackID
        mimeType = "\(counted.kind.rawValue)/\(counted.codec)"
        packetsReceived = counted.packetsReceived
        packetsLost = counted.packetsLost
        bytesReceived = counted.bytesReceived
        jitter = counted.jitterMilliseconds / 1000
        retransmittedPacketsReceived = counted.packetsRecovered
        nackCount = counted.nacksSent
        let (sound, shown) = (counted.sound, counted.rendering)
        jitterBufferDelay = counted.kind == .audio ? sound.jitterBufferDelay : shown.jitterBufferDelay
        jitterBufferEmittedCount =
            counted.kind == .audio ? sound.jitterBufferEmittedCount : shown.jitterBufferEmittedCount
        if counted.kind == .audio { describe(sound) } else { describe(shown, counted) }
    }

    private mutating func describe(_ sound: SoundStatistics) {
        packetsDiscarded = sound.packetsDiscarded
        totalSamplesReceived = sound.totalSamplesReceived
        concealedSamples = sound.concealedSamples
        silentConcealedSamples = sound.silentConcealedSamples
        concealmentEvents = sound.concealmentEvents
        insertedSamplesForDeceleration = sound.insertedSamplesForDeceleration
        removedSamplesForAcceleration = sound.removedSamplesForAcceleration
    }

    private mutating func describe(_ shown: RenderStatistics, _ counted: ReceiverStatistics) {
        jitterBufferTargetDelay = shown.jitterBufferTargetDelay
        pliCount = counted.keyFrameRequestsSent
        framesReceived = counted.framesReceived
        framesDecoded = counted.framesDecoded
        keyFramesDecoded = shown.keyFramesDecoded
        framesRendered = shown.framesRendered
        framesDropped = counted.framesDropped + shown.framesMissed
        (frameWidth, frameHeight) = (counted.width, counted.height)
        freezeCount = counted.freezes
        totalFreezesDuration = counted.frozenMilliseconds / 1000
        pauseCount = shown.pauseCount
        totalPausesDuration = shown.totalPausesDuration
        totalInterFrameDelay = shown.totalInterFrameDelay
        totalSquaredInterFrameDelay = shown.totalSquaredInterFrameDelay
        totalDecodeTime = shown.totalDecodeTime
    }
}
