import RTCWire

/// When the frames of a stream were captured, by its sender's clock, out of sender reports (RFC 3550 section 6.4.1). A value.
struct CaptureClock {
    let clockRate: Int64
    var report: SenderClock?

    /// Time since 1900 at which `timestamp` was captured; nil before the first report.
    func captured(_ timestamp: UInt32) -> Interval? {
        guard let report else { return nil }
        let seconds = Int64(report.ntp >> 32)
        let fraction = Int64(((report.ntp & 0xffff_ffff) * 1_000_000_000) >> 32)
        let ticks = Int64(Int32(bitPattern: timestamp &- report.timestamp))
        return Interval(nanoseconds: seconds * 1_000_000_000 + fraction + ticks * 1_000_000_000 / clockRate)
    }

    /// How long after its capture `timestamp` is played at `time`. Our clock and the sender's have nothing in common, so
    /// that only the difference of two streams of one sender means something.
    func lag(of timestamp: UInt32, at time: Instant) -> Interval? {
        captured(timestamp).map { Interval(nanoseconds: time.nanoseconds &- $0.nanoseconds) }
    }
}

/// How long after its capture sound is played.
struct SoundLag {
    /// At present.
    var present: Interval
    /// Were it where its jitter alone wants it.
    var own: Interval
}

/// Keeps the sound and the pictures of one sender together: says by how much each is to wait for the other. A value.
///
/// Both say how late they would be by themselves, so that nothing has to be found by trying: sound waits for what pictures are
/// later beyond 30 ms, and is stretched until it does. Meanwhile, and where sound is later for longer than half a second or stays so,
/// pictures wait for it as it is played, until they are 50 ms ahead; their wait moves by 120 ms each fifth of a second at most,
/// which no picture stands still for.
package struct LipSync: Sendable {
    /// What sound is to wait longer than its jitter asks for.
    package private(set) var audioDelay = Interval.zero
    /// The same of pictures.
    package private(set) var videoDelay = Interval.zero
    /// How far apart they were, whichever was ahead.
    package private(set) var skews = LatencyHistogram()
    /// Of a window: how much later pictures are by themselves than sound by itself, and than sound as it is played.
    private var sums = (own: Interval.zero, present: Interval.zero)
    private var samples = 0
    /// Windows so far, up to `first`.
    private var windows = 0
    /// In how many of them pictures were further ahead, and further behind, than is meant.
    private var apart = (ahead: 0, behind: 0)
    /// How far ahead of their sound pictures may be at present.
    private var lead = LipSync.mostAhead
    /// How much longer sound waits, so that fewer pictures come too far behind it; those in time are ahead of it meanwhile.
    private var hold = Interval.zero
    /// By how much sound was later in the two windows before.
    private var earlier: (Interval, Interval)?

    /// Samples of a window: a fifth of a second, and at first less, for they are where nothing has put them yet.
    private static let window = (first: 2, later: 10)
    /// In the first windows, a second, nothing is learned of how far they wander; until its last pictures follow sound at once.
    private static let first = 25
    /// How far a window moves what pictures wait: a third of the way, but within these bounds; the most where they wait too long.
    private static let steps = (least: Interval.milliseconds(60), most: Interval.milliseconds(120))
    /// Nobody hears or sees less than that; what pictures wait too little would count as being apart.
    private static let (tolerance, precision) = (Interval.milliseconds(10), Interval.milliseconds(2))
    /// How far ahead and behind pictures may be: 125 and 45 ms are the first that anybody notices (ITU-R BT.1359-1). Less where
    /// they wander apart anyway, so that they are ahead by `whole` for hardly any of the time; and as hardly ever behind by it,
    /// where sound may wait for those that come late.
    private static let (mostAhead, mostBehind) = (Interval.milliseconds(50), Interval.milliseconds(30))
    private static let whole = (ahead: Interval.milliseconds(56), behind: Interval.milliseconds(52))
    /// The share of the time in which they may be further apart on either side, and how far a window in which they always are
    /// moves the lead, or the hold.
    private static let (share, gain) = (0.02, (lead: Interval.milliseconds(10), hold: Interval.milliseconds(20)))
    /// Streams further apart have no clock in common.
    private static let furthest = Interval.seconds(5)
    private static let longest = Interval.seconds(1)

    package init() {}

    /// Takes in how late both are; call it every 20 ms while both are there.
    ///
    /// - Parameters:
    ///   - skew: how far the picture that is shown is behind the sound that is played (negative: ahead).
    ///   - pictures: how long after their capture pictures are shown by themselves.
    ///   - sound: the same of sound: as it is played, and by itself.
    /// - Returns: whether the delays have changed.
    mutating func note(skew: Interval, pictures: Interval, sound: SoundLag) -> Bool {
        let (own, present) = (pictures - sound.own, pictures - sound.present)
        guard Self.isPlausible(skew), Self.isPlausible(own), Self.isPlausible(present) else { return false }
        skews.record(seconds: abs(skew.seconds))
        // Where all pictures are later than sound, it is on its way to them.
        if skew > LipSync.whole.behind, present <= LipSync.whole.behind { apart.behind += 1 }
        if skew < .zero - LipSync.whole.ahead { apart.ahead += 1 }
        sums = (sums.own + own, sums.present + present)
        samples += 1
        guard samples >= (windows < Self.first ? Self.window.first : Self.window.later) else { return false }
        defer { (sums, samples, apart) = ((.zero, .zero), 0, (0, 0)) }
        if windows < Self.first { windows += 1 } else { follow() }
        return step(own: sums.own / samples, present: sums.present / samples)
    }

    private static func isPlausible(_ skew: Interval) -> Bool {
        skew.nanoseconds.magnitude < furthest.nanoseconds.magnitude
    }

    /// Takes in the shares of a window in which they were too far apart.
    private mutating func follow() {
        let ahead = Double(apart.ahead) / Double(samples)
        let behind = Double(apart.behind) / Double(samples)
        lead = min(max(lead + Self.gain.lead * (Self.share - ahead), .zero), Self.mostAhead)
        hold = min(max(hold + Self.gain.hold * (behind - Self.share), .zero), Self.mostAhead)
    }

    /// How far behind it they may be: less where sound waits for those that come late.
    private var lag: Interval { min(lead, max(Self.mostBehind - hold, .zero)) }

    private mutating func step(own: Interval, present: Interval) -> Bool {
        let before = (audioDelay, videoDelay)
        let ahead = min(max(own - lag, min(hold, own + lead), .zero), Self.longest)
        if abs(ahead.nanoseconds - audioDelay.nanoseconds) > Self.tolerance.nanoseconds { audioDelay = ahead }
        let late = min(max(.zero - present - lead, .zero), Self.longest)
        // Hardly anything has been seen yet that would jump, and what sound waits is only being found.
        if windows < Self.first { (videoDelay, earlier) = (late, nil) }
        // What sound loses to a burst it makes up for within half a second; where its jitter wants it, it stays.
        let (last, other) = earlier ?? (late, late)
        let behind = min(late, max(min(last, other), .zero - own - lead))
        earlier = (late, last)
        if behind > videoDelay + Self.precision || videoDelay > behind + Self.tolerance {
            let step = min(max((behind - videoDelay) / 3, Self.steps.least), Self.steps.most)
            videoDelay = min(max(behind, videoDelay - Self.steps.most), videoDelay + step)
        }
        return before != (audioDelay, videoDelay)
    }
}
