/// Counters of forwarding.
package struct ForwardingStatistics: Sendable, Hashable {
    package internal(set) var packetsReceived = 0
    package internal(set) var packetsForwarded = 0
    /// Payload bytes of `packetsForwarded`.
    package internal(set) var bytesForwarded = 0
    /// Packets that nobody could be given: of no known track, or refused by the connection they were for.
    package internal(set) var dropped = 0
    package internal(set) var retransmissions = 0
    /// Requested, but not at hand: gone, or lost on their way here and not yet repeated.
    package internal(set) var retransmissionMisses = 0
    /// Requested, and left out: repeated within the round trip already, or beyond what may be repeated
    /// (`RetransmissionBudget`).
    package internal(set) var retransmissionsRefused = 0
    /// Of those, requested for the second time within the round trip: the answer is on its way.
    package internal(set) var retransmissionsUnderWay = 0
    /// Requests for key frames, before the sources thinned them out.
    package internal(set) var keyFrameRequests = 0

    package init() {}

    package static func += (sum: inout ForwardingStatistics, other: ForwardingStatistics) {
        sum.packetsReceived += other.packetsReceived
        sum.packetsForwarded += other.packetsForwarded
        sum.bytesForwarded += other.bytesForwarded
        sum.dropped += other.dropped
        sum.retransmissions += other.retransmissions
        sum.retransmissionMisses += other.retransmissionMisses
        sum.retransmissionsRefused += other.retransmissionsRefused
        sum.retransmissionsUnderWay += other.retransmissionsUnderWay
        sum.keyFrameRequests += other.keyFrameRequests
    }
}
