import RTCWire

/// The time of a simulation: it stands still until somebody moves it, and moves only forward.
package struct VirtualClock: Sendable {
    package private(set) var now: Instant

    package init(now: Instant = Instant(nanoseconds: 1_000_000_000)) { self.now = now }

    /// Jumps to `instant`; one that has passed already is ignored.
    package mutating func advance(to instant: Instant) { now = max(now, instant) }
}
