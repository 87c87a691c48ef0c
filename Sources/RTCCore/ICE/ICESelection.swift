import RTCWire

/// The pair that data takes, with its consent. It outlives the checklist that it came from: after a restart it carries
/// data until the new generation has chosen (RFC 8445 section 9).
struct ICESelection {
    /// The credentials that its consent checks use.
    let generation: UInt32
    /// The pair's id in the checklist of that generation.
    let pair: UInt32
    let local: LocalCandidate
    var remote: RemoteCandidate
    let priority: UInt64
    let since: Instant
    /// Our address as the other side saw it last.
    var mapped: TransportAddress
    var roundTripTime: Interval { didSet { leastRoundTrip.note(roundTripTime) } }
    var leastRoundTrip: LeastRoundTrip
    var consent: Consent
    /// Chosen by the controlled side because checks came over it, and not nominated.
    var isProvisional = false
}
