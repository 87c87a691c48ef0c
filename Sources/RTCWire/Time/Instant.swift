/// A point on the project's own monotonic time line, in nanoseconds since an arbitrary origin.
///
/// The shell reads the machine's clock once per batch and passes the value down; nothing in this room, in `RTCCore`
/// or in `SFUCore` ever reads a clock, which is what lets every protocol run in virtual time. Inlined everywhere: it is
/// compared and added several times for each packet. Public for that alone: the compiler inlines nothing of a `package` type
/// into another module, nor makes `min` and `max` of it there.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the origin of the time line.
    public var nanoseconds: Int64

    /// The instant that lies so many nanoseconds behind the origin.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The origin of the time line.
    @inlinable public static var zero: Instant { Instant(nanoseconds: 0) }
    /// Later than every other instant.
    @inlinable public static var distantFuture: Instant { Instant(nanoseconds: .max) }

    /// Whether both are the same moment.
    @inlinable public static func == (a: Instant, b: Instant) -> Bool { a.nanoseconds == b.nanoseconds }
    /// Whether the first one is earlier.
    @inlinable public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
    /// The instant that comes so much later; wraps around.
    @inlinable public static func + (a: Instant, b: Interval) -> Instant {
        Instant(nanoseconds: a.nanoseconds &+ b.nanoseconds)
    }
    /// The instant that comes so much earlier; wraps around.
    @inlinable public static func - (a: Instant, b: Interval) -> Instant {
        Instant(nanoseconds: a.nanoseconds &- b.nanoseconds)
    }
    /// The time from the second one to the first.
    @inlinable public static func - (a: Instant, b: Instant) -> Interval {
        Interval(nanoseconds: a.nanoseconds &- b.nanoseconds)
    }
    /// Moves an instant on.
    @inlinable public static func += (a: inout Instant, b: Interval) { a = a + b }
}

/// A span of time in nanoseconds; may be negative.
public struct Interval: Hashable, Comparable, Sendable {
    /// Length in nanoseconds.
    public var nanoseconds: Int64

    /// A span of so many nanoseconds.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// No time at all.
    @inlinable public static var zero: Interval { Interval(nanoseconds: 0) }
    /// So many seconds.
    @inlinable public static func seconds(_ value: Int) -> Interval {
        Interval(nanoseconds: Int64(value) * 1_000_000_000)
    }
    /// So many seconds, and parts of them.
    @inlinable public static func seconds(_ value: Double) -> Interval { Interval(nanoseconds: Int64(value * 1e9)) }
    /// So many milliseconds.
    @inlinable public static func milliseconds(_ value: Int) -> Interval {
        Interval(nanoseconds: Int64(value) * 1_000_000)
    }
    /// So many microseconds.
    @inlinable public static func microseconds(_ value: Int) -> Interval {
        Interval(nanoseconds: Int64(value) * 1_000)
    }

    /// The length in seconds.
    @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }
    /// The length in milliseconds.
    @inlinable public var milliseconds: Double { Double(nanoseconds) / 1e6 }

    /// Whether both are as long.
    @inlinable public static func == (a: Interval, b: Interval) -> Bool { a.nanoseconds == b.nanoseconds }
    /// Whether the first one is shorter.
    @inlinable public static func < (a: Interval, b: Interval) -> Bool { a.nanoseconds < b.nanoseconds }
    /// Both together; wraps around.
    @inlinable public static func + (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds &+ b.nanoseconds)
    }
    /// What the first one is longer by; wraps around.
    @inlinable public static func - (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds &- b.nanoseconds)
    }
    /// So many times as long; wraps around.
    @inlinable public static func * (a: Interval, b: Int) -> Interval {
        Interval(nanoseconds: a.nanoseconds &* Int64(b))
    }
    /// A multiple or a part, rounded towards zero.
    @inlinable public static func * (a: Interval, b: Double) -> Interval {
        Interval(nanoseconds: Int64(Double(a.nanoseconds) * b))
    }
    /// One of so many equal parts, rounded towards zero.
    @inlinable public static func / (a: Interval, b: Int) -> Interval {
        Interval(nanoseconds: a.nanoseconds / Int64(b))
    }
}
