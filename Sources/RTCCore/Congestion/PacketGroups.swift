import RTCWire

/// Puts packets that were sent together into groups and compares neighbouring groups: how much further apart did they
/// arrive than they were sent?
///
/// As in Google's congestion control (draft-ietf-rmcat-gcc-02 section 5.2): what is sent within 5 ms, or arrives as one
/// burst though it was sent apart, is one group.
struct PacketGroups {
    /// Two neighbouring groups.
    struct Delta: Hashable {
        var sent: Interval
        var received: Interval
        /// When the later group was complete.
        var arrival: Instant
    }

    private struct Group {
        var firstSent: Instant
        var lastSent: Instant
        var firstArrival: Instant
        var lastArrival: Instant
    }

    private static let span = Interval.milliseconds(5)
    private static let longestBurst = Interval.milliseconds(100)

    private var current: Group?
    private var previous: Group?

    /// Takes a packet in; packets come in the order they were sent in. Gives what the end of a group shows.
    mutating func add(sent: Instant, received: Instant) -> Delta? {
        guard var group = current else {
            start(sent, received)
            return nil
        }
        // Out of order: nothing can be said about it.
        guard sent >= group.firstSent else { return nil }
        if belongs(sent, received, to: group) {
            group.lastSent = max(group.lastSent, sent)
            group.lastArrival = max(group.lastArrival, received)
            current = group
            return nil
        }
        defer {
            previous = group
            start(sent, received)
        }
        guard let previous else { return nil }
        let delta = Delta(
            sent: group.lastSent - previous.lastSent, received: group.lastArrival - previous.lastArrival,
            arrival: group.lastArrival)
        return delta.received >= .zero && delta.received < .seconds(3) ? delta : nil
    }

    private mutating func start(_ sent: Instant, _ received: Instant) {
        current = Group(firstSent: sent, lastSent: sent, firstArrival: received, lastArrival: received)
    }

    private func belongs(_ sent: Instant, _ received: Instant, to group: Group) -> Bool {
        let sentApart = sent - group.lastSent
        if sentApart <= .zero || sent - group.firstSent <= PacketGroups.span { return true }
        let arrivedApart = received - group.lastArrival
        return arrivedApart < sentApart && arrivedApart <= PacketGroups.span
            && received - group.firstArrival < PacketGroups.longestBurst
    }
}
