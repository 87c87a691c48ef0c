import RTCCore
import RTCWire

/// How the server speaks on the wire of the media: ICE, RTP and RTCP. What is sent and who gets it is the same.
public enum MediaPlane: String, Sendable, Hashable, CaseIterable {
    /// As clients are served best.
    case standard
    /// As a livekit-server speaks, for tests of clients that are to live with one: forwarded packets carry no audio level
    /// and no mid, video the send time alone (or its number, `DownlinkFeedback.transportWide`); feedback to publishers by
    /// number of packets; sender reports every three seconds from the start; losses asked for after 70 ms; probes that repeat recent media; key frames of all layers of
    /// a capture at once; nothing recent for newcomers.
    case livekit
}

extension MediaPlane {
    /// How RTCP is spoken.
    var rtcp: RTCPStyle {
        var style = RTCPStyle.forwarding
        if self == .livekit { style.transportFeedback = .counted(MediaPlane.packetsPerFeedback) }
        return style
    }

    /// When lost packets are asked for. Ours learns from packets that overtook each other; a path that keeps the order
    /// has its losses repaired a round trip after they show.
    var limits: StreamLimits {
        var limits = StreamLimits()
        limits.maximumReorderDelay = MediaPlane.reorderDelay
        guard self == .livekit else { return limits }
        limits.minimumReorderDelay = MediaPlane.reorderDelay
        limits.minimumNACKInterval = .milliseconds(66)
        limits.leastEchoedNACKInterval = nil
        return limits
    }

    /// The extensions that forwarded packets carry, of those that were agreed on.
    func extensions(_ agreed: RTPExtensionMap, of kind: StreamKind) -> RTPExtensionMap {
        // Numbers are agreed on where they are answered, and then nobody looks at send times.
        let isNumbered = agreed.id(for: .transportSequenceNumber) != 0
        guard self == .livekit else {
            var map = agreed
            if isNumbered { map.set(0, .absSendTime) }
            return map
        }
        guard kind == .video else { return RTPExtensionMap() }
        let stamp = isNumbered ? RTPExtensionKind.transportSequenceNumber : .absSendTime
        let id = agreed.id(for: stamp)
        return id == 0 ? RTPExtensionMap() : RTPExtensionMap([(id, stamp)])
    }

    /// Sender reports leave with a stream's first packet too.
    var reportsEarly: Bool { self == .standard }

    /// Who comes late begins with a recent key frame that is at hand.
    var replaysRecent: Bool { self == .standard }

    /// Sound carries copies of earlier frames to those who lose much of it, where its publisher sends none; and packets with copies
    /// are asked for again.
    var copiesSound: Bool { self == .standard }

    /// A key frame is asked of all layers at once.
    var asksForAllLayers: Bool { self == .livekit }

    /// How often probes begin, and how many packets each of their steps repeats; nil for no probes.
    var probing: (period: Interval, duration: Interval, packets: Int)? {
        self == .livekit ? (.seconds(5), .seconds(1), 2) : nil
    }

    private static let packetsPerFeedback = 21
    private static let reorderDelay = Interval.milliseconds(70)
}
