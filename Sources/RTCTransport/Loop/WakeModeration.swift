import RTCWire

/// How long a loop leaves its sockets alone while many datagrams come, so that one wake-up serves many of them; what network
/// cards call interrupt moderation. A value.
///
/// The first datagram after a quiet time is read at once. When datagrams came is the kernel's word and stays exact; only what
/// is answered to them leaves later.
struct WakeModeration {
    /// From one look at the sockets to the next, where there is much to see; zero for none.
    private let interval: Interval
    private var last = Instant(nanoseconds: .min / 2)
    private var isBusy = false

    init(_ interval: Interval) { self.interval = interval }

    var isOff: Bool { interval == .zero }

    /// The loop has woken up for so many sockets.
    mutating func woke(at now: Instant, for sockets: Int) {
        guard sockets > 0 else { return }
        isBusy = now - last < interval || isBusy && sockets > 1
        last = now
    }

    /// Until when the loop may sleep without looking; in the past where it looks at once.
    var restsUntil: Instant { isBusy ? last + interval : last }
}
