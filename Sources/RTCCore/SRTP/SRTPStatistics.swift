/// What an `SRTPSession` sealed, opened and refused, RTP and RTCP together.
package struct SRTPStatistics: Hashable, Sendable {
    /// Packets sealed.
    package var protected = 0
    /// Packets opened.
    package var unprotected = 0
    /// Inbound: tag or key is wrong.
    package var authenticationFailures = 0
    /// Inbound: the index was seen before or lies behind the window.
    package var replays = 0
    /// Inbound: too short, or RTCP that claims not to be encrypted.
    package var malformed = 0
    /// More sources than the table takes, in either direction.
    package var tooManySources = 0
    /// Outbound: the index was used before, lies behind the window or is used up; the key stream is never used twice.
    package var indexRefusals = 0
    /// Outbound: the buffer has no room for the trailer, or the packet is none.
    package var unsealable = 0

    package init() {}
}

/// Why a packet was neither sealed nor opened.
enum SRTPRefusal: Error {
    case authentication
    case replay
    case malformed
    case tooManySources
    case index
    case unsealable
}

extension SRTPStatistics {
    mutating func count(_ refusal: SRTPRefusal) {
        switch refusal {
        case .authentication: authenticationFailures &+= 1
        case .replay: replays &+= 1
        case .malformed: malformed &+= 1
        case .tooManySources: tooManySources &+= 1
        case .index: indexRefusals &+= 1
        case .unsealable: unsealable &+= 1
        }
    }
}
