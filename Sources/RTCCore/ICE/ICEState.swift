import RTCWire

/// Where the agent stands; the words are those of W3C's `RTCIceTransportState`.
package enum ICEState: UInt8, Sendable, Hashable {
    /// The remote credentials are not known yet.
    case new
    /// No pair is selected yet.
    case checking
    /// A pair is selected and answers.
    case connected
    /// As `connected`, and no further candidate or check is to come.
    case completed
    /// The selected pair has stayed silent for some seconds; it still carries what is sent.
    case disconnected
    /// No pair was found in time, or consent was lost. Only a restart helps.
    case failed
    /// Final.
    case closed

    /// Whether there is a pair to send on.
    package var hasPath: Bool { self == .connected || self == .completed || self == .disconnected }
}

/// The moment at which the agent wants to be advanced, and what for.
package struct ICEDeadline: Sendable, Hashable {
    package enum Reason: UInt8, Sendable, Hashable {
        /// A check is due: ordinary or triggered.
        case check
        case retransmission
        /// The wait for a better pair ends.
        case nomination
        /// A consent check is due, which is the keepalive too.
        case consent
        /// The selected pair changes its standing: suspect, disconnected or expired.
        case liveness
        /// The search for a pair ends in failure.
        case connectTimeout
    }

    package var instant: Instant
    package var reason: Reason
}

/// What a call to the agent has changed.
package struct ICEChanges: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `state` is another one.
    package static let state = ICEChanges(rawValue: 1)
    /// `selectedPair` is another one, or gone.
    package static let selection = ICEChanges(rawValue: 2)
    /// The datagram's MESSAGE-INTEGRITY held: its source address belongs to the peer.
    package static let authenticated = ICEChanges(rawValue: 4)
}

/// The pair of addresses that data takes.
package struct ICESelectedPair: Sendable, Hashable {
    /// Our address as the other side sees it.
    package var local: TransportAddress
    /// The local socket's address: datagrams leave from here.
    package var base: TransportAddress
    package var remote: TransportAddress
    package var localType: CandidateType
    /// Which way datagrams take, as the local candidate says.
    package var path: UInt8
    package var remoteType: CandidateType
    /// Of the latest answered check.
    package var roundTripTime: Interval
}
