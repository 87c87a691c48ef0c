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

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How the embedded server learns what a subscriber's network bears: remb, the client's own estimate, or transport-cc.",
            discussion:
                "transport-cc: clients tell when each packet came, and the server estimates; those that don't take it send REMB."
        ))
    var downlinkFeedback: DownlinkFeedback = .remb

    /// Puts both into a server's configuration.
    func apply(to media: inout CallServerConfiguration.Media) {
        media.plane = mediaPlane
        media.downlinkFeedback = downlinkFeedback
    }

    /// The options that were given, which only an embedded server of sockets has.
    var given: [(String, Bool)] {
        [("--media-plane", mediaPlane != .standard), ("--downlink-feedback", downlinkFeedback != .remb)]
    }
}

extension MediaPlane: ExpressibleByArgument {}
extension DownlinkFeedback: ExpressibleByArgument {}
