/// Where a video sender's pictures come from: a source for our encoders, or one that is compressed already.
enum VideoInput {
    case raw(any VideoSource, VideoEncoding)
    case encoded(any EncodedVideoSource)

    init(_ media: LocalTrack.Media) throws(MediaError) {
        switch media {
        case .video(let source, let encoding): self = .raw(source, encoding)
        case .encodedVideo(let source):
            guard VideoCodec(name: source.codecName) != nil else {
                throw MediaError(
                    .unsupported, "video source", "its codec \(source.codecName) can't be sent",
                    remedy: "use VP8, VP9 or H264")
            }
            self = .encoded(source)
        case .audio, .encodedAudio:
            throw MediaError(.argument, "video track", "its media is audio", remedy: "publish it as audio")
        }
    }

    /// The stream of a rid; for one without the largest, nil where there are none.
    func layer(rid: String?) -> VideoLayer? {
        switch self {
        case .raw(_, let encoding): encoding.layer(rid: rid)
        case .encoded(let source):
            (source as? any EncodedSimulcastSource).flatMap { VideoEncoding(layers: $0.layers).layer(rid: rid) }
        }
    }

    var codec: VideoCodec {
        switch self {
        case .raw(_, let encoding): encoding.codec
        case .encoded(let source): VideoCodec(name: source.codecName) ?? .vp8
        }
    }

    /// Nil where the source is compressed already.
    var encoding: VideoEncoding? {
        if case .raw(_, let encoding) = self { encoding } else { nil }
    }

    var frameRate: Double {
        switch self {
        case .raw(let source, _): source.frameRate
        case .encoded(let source): source.frameRate
        }
    }

    /// Ticks that are made up for after a stall. A late picture isn't worth its encoding; one that is compressed already
    /// must not be left out, or those after it don't decode.
    var backlog: Int { encoding == nil ? TickSchedule.usualBacklog : 0 }

    /// Lets a picture's time go by. Streams of a simulcast that is compressed already each have a place of their own, where
    /// one that nobody takes stands still: reading the first of them would count a picture that doesn't leave.
    func skip(at time: MediaTime) {
        switch self {
        case .raw(let source, _): _ = source.nextFrame(at: time)
        case .encoded(let source):
            guard (source as? any EncodedSimulcastSource)?.layers.isEmpty ?? true else { return }
            _ = source.nextFrame(at: time)
        }
    }
}
