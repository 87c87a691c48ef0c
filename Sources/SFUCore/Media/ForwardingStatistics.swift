/// Counters of one event loop's forwarding.
package final class ForwardingStatistics {
    package internal(set) var packetsReceived = 0
    package internal(set) var packetsForwarded = 0
    /// Payload bytes of `packetsForwarded`.
    package internal(set) var bytesForwarded = 0
    /// Packets that nobody could be given: of no known track, or refused by the connection they were for.
    package var dropped = 0
    package internal(set) var retransmissions = 0
    /// Requested, but not at hand: gone, or lost on their way here and not yet repeated.
    package internal(set) var retransmissionMisses = 0
    /// Requested, and left out: repeated within the round trip already, or beyond what may be repeated
    /// (`RetransmissionBudget`).
    package internal(set) var retransmissionsRefused = 0
    /// Requests for key frames, before the sources thinned them out.
    package internal(set) var keyFrameRequests = 0

    package init() {}
}
