import RTCWire

/// Leaves pictures out where an encoder makes more than it may even at its coarsest: a bucket that encoded pictures fill and
/// that drains at the rate allowed. The picture rate falls until both agree, as libwebrtc's frame dropper has it. A value.
struct PictureBudget: Sendable {
    /// What may be owed: a key frame of six ordinary pictures, a fifth of a second, and as much again.
    private static let longest = Interval.milliseconds(400)
    /// It drains a little faster, so that an encoder which keeps to its rate on average owes nothing for long.
    private static let tolerance = 1.05
    /// Nothing is left out at more than this part of the stream's own rate: an encoder that is hardly limited pays back what
    /// it owes by itself.
    private static let unlimited = 0.95

    private var owed = 0.0
    private var latest: Instant?
    private(set) var skipped = 0

    /// Whether a rate is much less than a stream was set up for; nil is not.
    static func limits(_ rate: Int?, own: Int) -> Bool { rate.map { Double($0) < unlimited * Double(own) } ?? false }

    /// Whether the picture of `now` is to be left out.
    ///
    /// - Parameters:
    ///   - rate: that the stream is allowed, bit/s; nil for its own.
    ///   - own: that it was set up for, bit/s.
    mutating func skips(rate: Int?, own: Int, now: Instant) -> Bool {
        defer { latest = now }
        guard let rate, PictureBudget.limits(rate, own: own) else {
            owed = 0
            return false
        }
        owed = max(0, owed - max((now - (latest ?? now)).seconds, 0) * Double(rate) / 8 * PictureBudget.tolerance)
        guard owed > Double(rate) / 8 * PictureBudget.longest.seconds else { return false }
        skipped += 1
        return true
    }

    /// What was made will not be sent.
    mutating func forgive() { owed = 0 }

    /// Counts an encoded picture.
    mutating func note(bytes: Int) { owed += Double(bytes) }
}
