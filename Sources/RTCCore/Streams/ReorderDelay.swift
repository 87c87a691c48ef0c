import RTCWire

/// How long a gap waits for packets that only overtook each other, learnt from those that did.
///
/// Zero on a network that keeps the order, so that the first request leaves with the packet that shows the gap; after a
/// reordering as long as that one took, decaying by half every 64 packets.
struct ReorderDelay {
    private(set) var current = Interval.zero
    private var packets = 0

    /// An original came `late` after its gap was seen, before an answer to a request could have come.
    mutating func observe(_ late: Interval, maximum: Interval) {
        guard late > current else { return }
        current = min(late + .milliseconds(1), maximum)
        packets = 0
    }

    /// One more packet came in order.
    mutating func decay() {
        guard current > .zero else { return }
        packets += 1
        guard packets >= 64 else { return }
        packets = 0
        current = current < .milliseconds(1) ? .zero : current / 2
    }
}
