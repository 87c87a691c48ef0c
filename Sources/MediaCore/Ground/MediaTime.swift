/// A point in time of the machine's monotonic clock (`CLOCK_MONOTONIC`), in nanoseconds.
///
/// Every process of one machine shares this clock, so the difference of two media times is a latency even when one
/// was drawn into a picture by another process.
public struct MediaTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: Int64

    /// Makes a time from nanoseconds since the clock's origin.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The clock's origin.
    public static let zero = MediaTime(nanoseconds: 0)

    /// Seconds since the clock's origin.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// The time `seconds` later; earlier where negative.
    public func advanced(seconds: Double) -> MediaTime {
        MediaTime(nanoseconds: nanoseconds &+ Int64(seconds * 1e9))
    }

    /// Orders by time.
    public static func < (a: MediaTime, b: MediaTime) -> Bool { a.nanoseconds < b.nanoseconds }
}
