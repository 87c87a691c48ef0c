import RTCCore

/// How the server learns what a subscriber's way bears, from clients that do as they are asked.
public enum DownlinkFeedback: String, Sendable, Hashable, CaseIterable {
    /// The client estimates, and tells (draft-alvestrand-rmcat-remb). As a livekit-server by default.
    case remb
    /// The client tells when each packet came (draft-holmer-rmcat-transport-wide-cc-extensions-01), and the server estimates
    /// from that, for all clients alike. Who doesn't take it is left with its own estimate. As a livekit-server with
    /// `use_send_side_bwe`.
    case transportWide = "transport-cc"

    /// What is negotiated for a video line.
    var congestionFeedback: CongestionFeedback {
        self == .remb ? .receiverEstimate : .transportWideElseEstimate
    }
}
