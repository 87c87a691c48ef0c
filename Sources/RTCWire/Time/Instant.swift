/// A point on the project's own monotonic time line, in nanoseconds since an arbitrary origin.
///
/// The shell reads the machine's clock once per batch and passes the value down; nothing in this room, in `RTCCore`
/// or in `SFUCore` ever reads a clock, which is what lets every protocol run in virtual time. Inlined everywhere: it is
/// compared and added several times for each packet.
package struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the origin of the time line.
    package var nanoseconds: Int64

    @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The origin of the time line.
    @inlinable package static var zero: Instant { Instant(nanoseconds: 0) }
    /// Later than every other instant.
    @inlinable package static var distantFuture: Instant { Instant(nanoseconds: .max) }

    @inlinable package static func == (a: Instant, b: Instant) -> Bool { a.nanoseconds == b.nanoseconds }
    @inlinable package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
    @inlinable package static func + (a: Instant, b: Interval) -> Instant {
        Instant(nanoseconds: a.nanoseconds &+ b.nanoseconds)
    }
    @inlinable package static func - (a: Instant, b: Interval) -> Instant {
        Instant(nanoseconds: a.nanoseconds &- b.nanoseconds)
    }
    @inlinable package static func - (a: Instant, b: Instant) -> Interval {
        Interval(nanoseconds: a.nanoseconds &- b.nanoseconds)
    }
    @inlinable package static func += (a: inout Instant, b: Interval) { a = a + b }
}

/// A span of time in nanoseconds; may be negative.
package struct Interval: Hashable, Comparable, Sendable {
    /// Length in nanoseconds.
    package var nanoseconds: Int64

    @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    @inlinable package static var zero: Interval { Interval(nanoseconds: 0) }
    @inlinable package static func seconds(_ value: Int) -> Interval {
        Interval(nanoseconds: Int64(value) * 1_000_000_000)
    }
    @inlinable package static func seconds(_ value: Double) -> Interval { Interval(nanoseconds: Int64(value * 1e9)) }
    @inlinable package static func milliseconds(_ value: Int) -> Interval {
        Interval(nanoseconds: Int64(value) * 1_000_000)
    }
    @inlinable package static func microseconds(_ value: Int) -> Interval {
        Interval(nanoseconds: Int64(value) * 1_000)
    }

    /// The length in seconds.
    @inlinable package var seconds: Double { Double(nanoseconds) / 1e9 }
    /// The length in milliseconds.
    @inlinable package var milliseconds: Double { Double(nanoseconds) / 1e6 }

    @inlinable package static func == (a: Interval, b: Interval) -> Bool { a.nanoseconds == b.nanoseconds }
    @inlinable package static func < (a: Interval, b: Interval) -> Bool { a.nanoseconds < b.nanoseconds }
    @inlinable package static func + (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds &+ b.nanoseconds)
    }
    @inlinable package static func - (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds &- b.nanoseconds)
    }
    @inlinable package static func * (a: Interval, b: Int) -> Interval {
        Interval(nanoseconds: a.nanoseconds &* Int64(b))
    }
    @inlinable package static func * (a: Interval, b: Double) -> Interval {
        Interval(nanoseconds: Int64(Double(a.nanoseconds) * b))
    }
    @inlinable package static func / (a: Interval, b: Int) -> Interval {
        Interval(nanoseconds: a.nanoseconds / Int64(b))
    }
}
