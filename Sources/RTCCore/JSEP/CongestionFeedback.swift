import RTCWire

/// How the sender of a video line learns what the network bears: what is negotiated for it. Audio goes along unnumbered.
package enum CongestionFeedback: Hashable, Sendable {
    case none
    /// In both directions by transport-wide feedback, else by the receiver's estimate.
    case transportWide
    /// What we receive is answered with transport-wide feedback; for what we send, the other side's own estimate (REMB)
    /// is asked for, which it draws from send times.
    case receiverEstimate
    /// The same, but of what we send transport-wide feedback is asked for as well: who takes both answers with that.
    case transportWideElseEstimate

    func extensions(remoteSends: Bool) -> [RTPExtensionKind] {
        switch self {
        case .none: []
        case .transportWide: [.absSendTime, .transportSequenceNumber]
        case .receiverEstimate: remoteSends ? [.transportSequenceNumber] : [.absSendTime]
        case .transportWideElseEstimate:
            remoteSends ? [.transportSequenceNumber] : [.absSendTime, .transportSequenceNumber]
        }
    }

    /// Beyond that, an answer keeps the numbers alive on lines that only we send on: libwebrtc leaves an extension that
    /// no answer took out of all its later offers, also for what it will publish on the same connection.
    func answeredExtensions(remoteSends: Bool) -> [RTPExtensionKind] {
        guard self == .receiverEstimate, !remoteSends else { return extensions(remoteSends: remoteSends) }
        return [.absSendTime, .transportSequenceNumber]
    }

    func feedback(remoteSends: Bool) -> CodecFeedback {
        switch self {
        case .none: []
        case .transportWide: [.remb, .transportCC]
        case .receiverEstimate: remoteSends ? .transportCC : .remb
        case .transportWideElseEstimate: remoteSends ? .transportCC : [.remb, .transportCC]
        }
    }
}
