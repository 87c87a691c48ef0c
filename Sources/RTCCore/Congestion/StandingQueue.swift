import RTCWire

/// Notices a queue that neither grows nor drains: its slope is zero, and a full one that drops a few packets looks like a
/// path at its ease to the other two controllers.
///
/// Compares the least delay of each feedback with the least of the last 15 to 30 seconds; older ones may be another
/// path's, or belong to a queue that others keep filled.
struct StandingQueue {
    static let height = Interval.milliseconds(100)
    private static let patience = Interval.seconds(1)
    private static let spacing = Interval.seconds(2)
    /// Between two cuts for a queue that drops most of what comes.
    private static let dropSpacing = Interval.milliseconds(200)
    private static let memory = Interval.seconds(15)

    /// On two clocks, so that only differences mean something.
    private var older: Interval?
    private var newer: Interval?
    private var newerSince: Instant?
    private var highSince: Instant?
    private var lastCut: Instant?
    /// How far the latest delay lay above the least.
    private(set) var excess = Interval.zero

    /// Takes a delay for the least: what lies above the old one is no queue.
    mutating func begin(at delay: Interval, now: Instant) {
        (older, newer, newerSince) = (nil, delay, now)
        (highSince, excess) = (nil, .zero)
    }

    /// How far a delay lies above the least; zero before any is known.
    func excess(of delay: Interval) -> Interval {
        guard let newer else { return .zero }
        return delay - min(older ?? newer, newer)
    }

    /// Takes in the least delay of a feedback. Gives whether the rate is to be cut so that the queue drains.
    ///
    /// - Parameter isDropping: most packets of the feedback were lost: a queue that is high then is a full one, and there is
    ///   nothing to wait for.
    mutating func update(_ delay: Interval, isDropping: Bool = false, now: Instant) -> Bool {
        let since = newerSince ?? now
        newerSince = since
        if now - since >= StandingQueue.memory {
            older = newer
            newer = delay
            newerSince = now
        }
        newer = min(newer ?? delay, delay)
        let base = min(older ?? delay, newer ?? delay)
        excess = delay - base
        guard excess > StandingQueue.height else {
            highSince = nil
            return false
        }
        let start = highSince ?? now
        highSince = start
        let (patience, spacing) =
            isDropping
            ? (Interval.zero, StandingQueue.dropSpacing) : (StandingQueue.patience, StandingQueue.spacing)
        guard now - start >= patience, lastCut.map({ now - $0 >= spacing }) ?? true else { return false }
        lastCut = now
        return true
    }
}
