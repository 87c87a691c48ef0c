import RTCWire

/// The shortest of about the last two hundred round trips: what a packet takes there and back where no queue is in its way. A value.
package struct LeastRoundTrip: Sendable {
    /// Nil before the first.
    package private(set) var value: Interval?

    /// What a longer one moves the least by, as a share of the distance: another route is one for good.
    private static let forgetting = 0.005

    package init(_ first: Interval? = nil) { value = first }

    package mutating func note(_ measured: Interval) {
        guard let least = value, measured > least else { return value = measured }
        value = least + (measured - least) * Self.forgetting
    }

    /// Whether packets wait in a queue on their way, there or back: `present` is twice the least, and 20 ms.
    func isQueued(_ present: Interval) -> Bool {
        value.map { present > $0 * 2 + .milliseconds(20) } ?? false
    }
}
