import RTCWire

/// How the sender of a video line learns what the network bears: what is negotiated for it. Audio goes along unnumbered.
package enum CongestionFeedback: Hashable, Sendable {
    case none
    /// In both directions by transport-wide feedback, else by the receiver's estimate.
    case transportWide
    /// What we receive is answered with transport-wide feedback; for what we send, the other side's own estimate (REMB)
    /// is asked for, which it draws from send times.
    case receiverEstimate

    func extensions(remoteSends: Bool) -> [RTPExtensionKind] {
        switch self {
        case .none: []
        case .transportWide: [.absSendTime, .transportSequenceNumber]
        case .receiverEstimate: remoteSends ? [.transportSequenceNumber] : [.absSendTime]
        }
    }

    func feedback(remoteSends: Bool) -> CodecFeedback {
        switch self {
        case .none: []
        case .transportWide: [.remb, .transportCC]
        case .receiverEstimate: remoteSends ? .transportCC : .remb
        }
    }
}
