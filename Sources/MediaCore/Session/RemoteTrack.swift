import Synchronization

/// Media that somebody else sends: attach sinks to hear, see or measure it.
public final class RemoteTrack: Sendable {
    /// Audio or video.
    public let kind: MediaKind
    /// The media identification of its section in the session's description.
    public let mid: String
    /// The stream id that was signalled.
    public let streamID: String
    /// The track id that was signalled.
    public let trackID: String

    struct Sinks {
        var audio: [any AudioSink] = []
        var video: [any VideoSink] = []
        var encoded: [any EncodedVideoSink] = []
    }

    /// Whether a track is encrypted end to end.
    public enum Protection: Sendable, Hashable {
        /// Nobody has said so yet. A session with frame encryption holds back what arrives.
        case unknown
        /// Not encrypted.
        case clear
        /// With the keys of this participant, by identity. Nothing of it is played where there is no key for it.
        case encrypted(participant: String)
    }

    private let sinks = Mutex(Sinks())
    private let protected = Mutex(Protection.unknown)
    private let paused = Atomic<Bool>(false)
    /// For who records without decoding.
    let recording = RecordingTap()

    package init(kind: MediaKind, mid: String, streamID: String, trackID: String) {
        self.kind = kind
        self.mid = mid
        self.streamID = streamID
        self.trackID = trackID
    }

    /// Gives `sink` every frame of sound from now on.
    public func attach(_ sink: any AudioSink) { sinks.withLock { $0.audio.append(sink) } }

    /// Gives `sink` every decoded picture from now on.
    public func attach(_ sink: any VideoSink) { sinks.withLock { $0.video.append(sink) } }

    /// Gives `sink` every picture as it was received, before decoding.
    public func attach(_ sink: any EncodedVideoSink) { sinks.withLock { $0.encoded.append(sink) } }

    /// Gives `sink` nothing more.
    public func detach(_ sink: any AudioSink) { sinks.withLock { $0.audio.removeAll { $0 === sink } } }

    /// Gives `sink` nothing more.
    public func detach(_ sink: any VideoSink) { sinks.withLock { $0.video.removeAll { $0 === sink } } }

    /// Takes all sinks away.
    public func detachAll() {
        sinks.withLock { $0 = Sinks() }
        recording.sinks.withLock { $0 = [] }
        recording.counter.withLock { $0 = nil }
        recording.isActive.store(false, ordering: .relaxed)
    }

    /// Whether the sender is known to have stopped on purpose (mute): silence is then no concealment, and a picture that
    /// stands still no freeze. A provider sets it from its signalling.
    public var isPaused: Bool {
        get { paused.load(ordering: .relaxed) }
        set { paused.store(newValue, ordering: .relaxed) }
    }

    /// Whether the track is encrypted end to end. A provider sets it from its signalling.
    public var protection: Protection {
        get { protected.withLock { $0 } }
        set { protected.withLock { $0 = newValue } }
    }

    var present: Sinks { sinks.withLock { $0 } }

    /// What tracks share whose sender captured them together: the stream, or, where a server gives each track a stream of
    /// its own (`participant|track`), the participant. Nil where the track belongs to none.
    var syncGroup: Substring? {
        let group = streamID.prefix { $0 != "|" }
        return group.isEmpty || group == "-" ? nil : group
    }
}

/// For what plays a track.
extension RemoteTrack {
    /// Hands a frame of sound to the sinks, at once.
    package func deliver(_ frame: AudioFrame) {
        for sink in present.audio { sink.receive(frame) }
    }

    /// Hands a picture to the sinks, at once.
    ///
    /// - Parameter isUnseen: only those of compressed pictures get it: these need each.
    package func deliver(
        _ picture: VideoFrame, encoded bytes: UnsafeRawBufferPointer, isKeyFrame: Bool, isUnseen: Bool = false
    ) {
        let sinks = present
        if !isUnseen { for sink in sinks.video { sink.receive(picture) } }
        guard !sinks.encoded.isEmpty, !picture.isFiller else { return }
        let frame = EncodedVideoFrame(
            payload: Array(bytes), isKeyFrame: isKeyFrame, width: picture.width, height: picture.height,
            captureTime: picture.captureTime)
        for sink in sinks.encoded { sink.receive(frame) }
    }
}
