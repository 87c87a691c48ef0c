import ArgumentParser
import CallServer

/// How the embedded server speaks on the wire of the media.
struct MediaPlaneOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "How the embedded server speaks RTP and RTCP: standard, or livekit to test clients against a livekit-server's ways.",
            discussion:
                "livekit: forwarded packets without audio level and mid, sparse feedback, probes of repeated media."))
    var mediaPlane: MediaPlane = .standard
}

extension MediaPlane: ExpressibleByArgument {}
