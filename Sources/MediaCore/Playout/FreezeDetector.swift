import RTCWire

/// Counts pictures that stood still for too long, by the rule of libwebrtc: an interval of at least three times the
/// mean of the last 30, and at least 150 ms above it.
package struct FreezeDetector: Hashable, Sendable {
    private static let window = 30
    private static let smallestSample = 5
    private static let increase = Interval.milliseconds(150)

    /// Freezes so far.
    package private(set) var count = 0
    /// The sum of their lengths, each from the last picture before to the first after.
    package private(set) var duration = Interval.zero
    /// The longest interval between two pictures.
    package private(set) var longestInterval = Interval.zero

    private var last: Instant?
    private var intervals = [Int64](repeating: 0, count: window)
    private var used = 0
    private var next = 0

    package init() {}

    /// Takes in a picture; true where a freeze ends with it.
    @discardableResult
    package mutating func frame(at time: Instant) -> Bool {
        defer { last = time }
        guard let last else { return false }
        let interval = max(time - last, .zero)
        longestInterval = max(longestInterval, interval)
        intervals[next] = interval.nanoseconds
        next = (next + 1) % Self.window
        used = min(used + 1, Self.window)
        guard used >= Self.smallestSample else { return false }
        guard isFreeze(interval) else { return false }
        count += 1
        duration = duration + interval
        return true
    }

    /// Freezes and their length in milliseconds, with the one that has not ended at `now`.
    package func counted(at now: Instant) -> (count: Int, milliseconds: Double) {
        guard let last, used >= Self.smallestSample, isFreeze(now - last) else { return closed }
        return (count + 1, (duration + (now - last)).milliseconds)
    }

    /// Freezes that have ended, and their length in milliseconds.
    package var closed: (count: Int, milliseconds: Double) { (count, duration.milliseconds) }

    private func isFreeze(_ interval: Interval) -> Bool {
        let mean = Interval(nanoseconds: intervals[..<used].reduce(0, &+) / Int64(used))
        return interval >= max(mean * 3, mean + Self.increase)
    }

    /// The sender is known to have stopped: the interval to its next picture is no freeze.
    package mutating func pause() { last = nil }
}
