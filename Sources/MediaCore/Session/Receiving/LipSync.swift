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

/// Keeps the sound and the pictures of one sender together: measures by how much pictures come behind sound, and says by
/// how much each is to wait for the other. A value.
///
/// The one that is ahead waits; where it has waited too long already, that wait is taken back first. Each step goes half of
/// the way, and 80 ms at most, for sound follows by being stretched.
package struct LipSync: Sendable {
    /// What sound is to wait longer than its jitter asks for.
    package private(set) var audioDelay = Interval.zero
    /// The same of pictures.
    package private(set) var videoDelay = Interval.zero
    /// How far apart they were, whichever was ahead.
    package private(set) var skews = LatencyHistogram()
    private var sum = Interval.zero
    private var samples = 0

    /// Samples that make a step: half a second of them.
    private static let window = 25
    private static let largestStep = Interval.milliseconds(80)
    /// Nobody sees less than that.
    private static let tolerance = Interval.milliseconds(5)
    /// Streams further apart have no clock in common.
    private static let furthest = Interval.seconds(5)
    private static let longest = Interval.seconds(1)

    package init() {}

    /// Takes in how far pictures are behind sound now (negative: ahead); call it every 20 ms.
    /// - Returns: whether the delays have changed.
    package mutating func note(skew: Interval) -> Bool {
        guard skew.nanoseconds.magnitude < Self.furthest.nanoseconds.magnitude else { return false }
        skews.record(seconds: abs(skew.seconds))
        sum = sum + skew
        samples += 1
        guard samples >= Self.window else { return false }
        let mean = sum / samples
        (sum, samples) = (.zero, 0)
        return step(mean)
    }

    private mutating func step(_ skew: Interval) -> Bool {
        let distance = Interval(nanoseconds: abs(skew.nanoseconds))
        guard distance > Self.tolerance else { return false }
        let change = min(distance / 2, Self.largestStep)
        if skew > .zero {
            Self.shift(change, from: &videoDelay, to: &audioDelay)
        } else {
            Self.shift(change, from: &audioDelay, to: &videoDelay)
        }
        return true
    }

    private static func shift(_ change: Interval, from late: inout Interval, to early: inout Interval) {
        let taken = min(late, change)
        late = late - taken
        early = min(early + (change - taken), longest)
    }
}
