import ArgumentParser
import CallBridge
import MediaCore

/// What `join` wants to receive.
struct ReceivingOptions: ParsableArguments {
    @Flag(name: .long, help: "Receive nothing.")
    var noSubscribe = false

    @Option(name: .long, parsing: .unconditional, help: "The layer of simulcast video to receive: low, medium or high.")
    var quality: TrackSettings.Quality?

    @Option(
        name: .long, parsing: .unconditional,
        help: "Receive video as if shown in views of WxH pixels (adaptive stream).")
    var adaptive: ViewSize?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "When pictures are given out: decoded (at once) or rendered (when they are to be shown).",
            discussion: "Freezes count at the time of showing either way.", valueName: "decoded|rendered"))
    var videoPlayout = VideoRelease.decoded

    var streaming: StreamingOptions { StreamingOptions(adaptiveStream: adaptive != nil) }

    func validate() throws {
        if noSubscribe, quality != nil || adaptive != nil {
            throw ValidationError("--no-subscribe receives nothing: leave --quality and --adaptive out.")
        }
    }

    /// Tells a call what is wanted of a track that has just been subscribed.
    func apply(to track: Track, in call: Call) async throws {
        guard track.kind == .video else { return }
        if let quality { try await call.setTrackQuality(quality, track) }
        if let adaptive { try await call.setVideoLayout(.visible(adaptive.size), track) }
    }
}

extension VideoRelease: ExpressibleByArgument {}

extension TrackSettings.Quality: ExpressibleByArgument {}

/// `WxH`, in pixels.
struct ViewSize: ExpressibleByArgument {
    var size: VideoViewSize

    init?(argument: String) {
        let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]), (1...65_535).contains(width),
            (1...65_535).contains(height)
        else { return nil }
        size = VideoViewSize(width: width, height: height)
    }
}
