import RTCWire

/// When what a newcomer begins with is no longer paced, where nobody estimates its way, and how much that is. A value.
package struct JoinPacing: Sendable {
    /// What came in one moment has left long before.
    private static let length = Interval.milliseconds(500)
    /// In seconds: when estimates are held against what has been sent since then. A receiver's are about the second before, so
    /// that they are about the same.
    private static let early = 0.2...1.0
    /// A receiver's cut is to 0.85.
    private static let fall = 0.9
    /// What comes varies, and so does what layers cost.
    private static let room = 0.95

    /// When the latest pictures began, on a way that nobody has told anything of, and the bytes of all that had been sent before.
    private var start: (at: Instant, bytes: Int)?
    /// The first of all were to begin and haven't: they wait for a key frame.
    private var isWaiting = false
    /// What the client has said of its way since then, in bit/s; nil for nothing.
    package private(set) var estimate: Int?
    /// The largest of it.
    private var largestEstimate = 0
    /// Packets that it has asked for since then for the first time.
    package private(set) var missing = 0

    package init() {}

    /// Whether it has said much less than before, because it saw a queue: as much as came until then passes, and that is less than
    /// the layers cost. A key frame is a queue, too, which drains where they cost less.
    ///
    /// - Parameter cost: of the layers, in bit/s.
    package func hasFallen(below cost: Int) -> Bool {
        guard let estimate, Double(largestEstimate) < JoinPacing.room * Double(cost) else { return false }
        return Double(estimate) < JoinPacing.fall * Double(largestEstimate)
    }

    package mutating func note(estimate: Int) {
        self.estimate = estimate
        largestEstimate = max(largestEstimate, estimate)
    }

    package mutating func note(missing count: Int) { missing += count }

    /// Pictures begin.
    ///
    /// - Parameter bytes: of all pictures that were sent before.
    package mutating func begin(bytes: Int, now: Instant) {
        start = (now, bytes)
        isWaiting = bytes == 0
        (estimate, largestEstimate, missing) = (nil, 0, 0)
    }

    /// Takes in when the first picture of all left, nil where none has: what is known of it counts from there.
    package mutating func note(first: @autoclosure () -> Instant?) {
        guard isWaiting, let start, let first = first() else { return }
        self.start = (max(start.at, first), 0)
        isWaiting = false
    }

    /// What has been sent since then, in bit/s; nil where that is long ago, or just now.
    package func average(_ bytes: @autoclosure () -> Int, now: Instant) -> Int? {
        guard let start, !isWaiting, JoinPacing.early.contains((now - start.at).seconds) else { return nil }
        return Int(Double(max(0, bytes() - start.bytes) * 8) / (now - start.at).seconds)
    }

    /// Whether pacing is over, or never was.
    package func hasEnded(now: Instant) -> Bool {
        start.map { !isWaiting && now - $0.at >= JoinPacing.length } ?? true
    }
}
