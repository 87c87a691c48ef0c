import RTCWire

/// How many bytes may leave now: a bucket that what is sent fills and that drains at the pacing rate.
///
/// The pacing rate is 2.5 times what the path bears (libwebrtc's `kDefaultPaceMultiplier`), so that what an encoder makes at
/// that rate never waits for long. An ordinary picture leaves at once: the bucket holds the thirtieth of a second at the rate
/// of the path, and five milliseconds at the pacing rate where that is more.
struct PacingBudget: Sendable {
    /// How many times the path's rate packets leave at.
    static let factor = 2.5
    /// The same once the path has shown where it ends: what leaves faster than it bears would wait there, ahead of sound.
    static let limitedFactor = 1.2
    /// Packets that waited leave in portions of so long.
    static let portion = Interval.milliseconds(5)
    /// What leaves at once: as much as the path carries meanwhile.
    static let picture = Interval.seconds(1.0 / 30)
    /// A debt of more than this is forgotten, as with libwebrtc.
    private static let longestDebt = 0.5
    /// UDP's and IPv4's headers.
    static let datagramOverhead = 28

    /// In bit/s; what the path bears.
    private(set) var rate: Double
    /// Bytes a second, which what waits too long raises.
    private var drain: Double
    /// Bytes that were sent and have not drained yet.
    private var debt = 0.0
    private var latest: Instant?

    init(rate: Double) {
        self.rate = max(rate, 1)
        drain = self.rate * PacingBudget.factor / 8
    }

    /// - Parameter backlog: bytes that wait, and how soon they have to leave at the latest; what has left and not drained yet
    ///   keeps them back.
    mutating func setRate(
        _ rate: Double, isLimited: Bool = false, backlog: (bytes: Int, within: Interval)? = nil, now: Instant
    ) {
        advance(to: now)
        self.rate = max(rate, 1)
        let factor = isLimited ? PacingBudget.limitedFactor : PacingBudget.factor
        drain = self.rate * factor / 8
        guard let backlog else { return }
        let ahead = max(0, debt - self.rate / 8 * PacingBudget.picture.seconds)
        drain = max(drain, (ahead + Double(backlog.bytes)) / max(backlog.within.seconds, 0.001))
    }

    /// Bytes a second that leave.
    var bytesPerSecond: Double { drain }

    /// Bytes that leave at once.
    private var room: Double {
        max(rate / 8 * PacingBudget.picture.seconds, drain * PacingBudget.portion.seconds)
    }

    mutating func advance(to now: Instant) {
        guard let latest else { return self.latest = now }
        guard now > latest else { return }
        debt = max(0, debt - drain * (now - latest).seconds)
        self.latest = now
    }

    /// Whether the next packet may leave. The last one may be larger than what is left.
    var isOpen: Bool { debt < room }

    /// Counts what leaves, audio too, which never waits.
    mutating func note(bytes: Int) { debt = min(debt + Double(bytes), drain * PacingBudget.longestDebt) }

    /// When a portion may leave again.
    func opening(after now: Instant) -> Instant {
        let wanted = room - min(room, drain * PacingBudget.portion.seconds)
        let base = latest ?? now
        return debt <= wanted ? base : base + .seconds((debt - wanted) / drain) + .microseconds(1)
    }
}
