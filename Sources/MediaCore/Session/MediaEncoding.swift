/// How sound is encoded with Opus.
public struct AudioEncoding: Sendable, Hashable {
    /// Bits per second, 6,000...510,000.
    public var bitrate = 48_000
    /// 0 (cheapest) ... 10 (best).
    public var complexity = 5
    /// Whether packets carry a coarse copy of the frame before them.
    public var inbandFEC = true
    /// Whether silence is sent as next to nothing; used where the other side asks for it (`usedtx=1`, RFC 7587).
    public var dtx = false
    /// Whether packets carry whole copies of the frames before them (RFC 2198); used where the other side takes it, and
    /// never together with frame encryption.
    public var red = false
    /// How many frames before its own a packet repeats with `red`, 1 or 2.
    public var redundantFrames = 1
    /// Whether packets carry such copies while reports tell of losses, and for as long as the path has room for them; under
    /// the same conditions as `red`, which needs no losses.
    public var redundancyOnLoss = true

    /// 48 kbit/s, complexity 5, with FEC, without DTX; with RED while packets are lost.
    public init() {}

    /// Whether RED is to be negotiated.
    package var wantsRedundancy: Bool { red || redundancyOnLoss }
}

/// How pictures are encoded.
public struct VideoEncoding: Sendable, Hashable {
    /// The codec that is offered first; where the other side doesn't take it, pictures go in VP8. Frame encryption takes
    /// VP8 alone.
    public var codec = VideoCodec.vp8
    /// Bits per second, 10,000...50,000,000; with `layers` theirs count.
    public var bitrate: Int
    /// libvpx's speed setting; of VP8.
    public var cpuUsed = -6
    /// Simulcast: one encoder and one stream for each, in any order; at most 4. Empty sends one stream of the source's
    /// size, without a rid.
    public var layers: [VideoLayer]
    /// What is given up first where the path bears less than a single stream takes; nil is `maintainResolution` for what
    /// is published as a screen, else `balanced`.
    public var degradationPreference: DegradationPreference?

    /// - Parameters:
    ///   - bitrate: bits per second of the only stream.
    ///   - layers: the streams of a simulcast.
    public init(bitrate: Int = 600_000, layers: [VideoLayer] = [], codec: VideoCodec = .vp8) {
        self.bitrate = bitrate
        self.layers = layers
        self.codec = codec
    }
}

/// What a single stream of pictures gives up where the path bears less than it takes (`RTCDegradationPreference` of W3C
/// webrtc-extensions).
public enum DegradationPreference: Sendable, Hashable {
    /// Size first, down to 320x180, then pictures, down to 15 a second: for a camera.
    case balanced
    /// Pictures alone, down to 5 a second: for a screen, whose text must stay legible.
    case maintainResolution
}

extension VideoEncoding {
    /// The layers, the largest first. Throws `MediaError` that names one that can't be sent.
    func checkedLayers() throws(MediaError) -> [VideoLayer] {
        guard layers.count <= 4 else {
            throw MediaError(
                .argument, "simulcast", "\(layers.count) layers are too many", remedy: "use 4 or fewer")
        }
        guard Set(layers.map(\.rid)).count == layers.count else {
            throw MediaError(.argument, "simulcast", "two layers have one rid", remedy: "name them differently")
        }
        for layer in layers where !(2...16_384).contains(layer.width) || !(2...16_384).contains(layer.height) {
            throw MediaError(
                .argument, "simulcast layer \(layer.rid)", "\(layer.width)x\(layer.height) is out of range",
                remedy: "use 2 to 16384 pixels a side")
        }
        return layers.sorted { ($0.width * $0.height, $0.bitrate) > ($1.width * $1.height, $1.bitrate) }
    }

    /// The layer of a stream; for one without a rid the largest, nil where there are none.
    func layer(rid: String?) -> VideoLayer? {
        guard let rid else { return (try? checkedLayers())?.first }
        return layers.first { $0.rid == rid }
    }
}

extension LocalTrack.Media {
    /// The codec of its pictures; nil for sound, and for pictures in a codec that can't be sent.
    package var videoCodec: VideoCodec? {
        switch self {
        case .video(_, let encoding): encoding.codec
        case .encodedVideo(let source): VideoCodec(name: source.codecName)
        case .audio, .encodedAudio: nil
        }
    }

    /// The streams of its simulcast, in any order; none where it is one stream.
    package var layers: [VideoLayer] {
        switch self {
        case .video(_, let encoding): encoding.layers
        case .encodedVideo(let source): (source as? any EncodedSimulcastSource)?.layers ?? []
        case .audio, .encodedAudio: []
        }
    }
}

/// One stream of a simulcast: the same pictures at one size and rate.
public struct VideoLayer: Sendable, Hashable {
    /// Names the stream in the description and in its packets (RFC 8852), 1 to 16 letters or digits; LiveKit's are `q`,
    /// `h` and `f`.
    public var rid: String
    /// Width in pixels; a source that is smaller is not enlarged.
    public var width: Int
    /// Height in pixels.
    public var height: Int
    /// Bits per second, 10,000...50,000,000.
    public var bitrate: Int
    /// Pictures a second at most; the source's rate where that is lower.
    public var maximumFramesPerSecond: Double

    /// A layer of a given size and rate.
    public init(rid: String, width: Int, height: Int, bitrate: Int, maximumFramesPerSecond: Double = 30) {
        self.rid = rid
        self.width = width
        self.height = height
        self.bitrate = bitrate
        self.maximumFramesPerSecond = maximumFramesPerSecond
    }
}
