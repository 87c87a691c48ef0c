import RTCWire

/// The least of the values of the last one to two spans of time. A value.
struct LeastLately {
    private let span: Interval
    private var begun: Instant?
    private var present: Interval?
    private var before: Interval?

    init(span: Interval) { self.span = span }

    /// Nil before the first value.
    var value: Interval? {
        guard let present, let before else { return present ?? before }
        return min(present, before)
    }

    mutating func note(_ value: Interval, at time: Instant) {
        if let begun, time - begun >= span {
            // What is older than two spans says nothing any more.
            before = time - begun < span * 2 ? present : nil
            (present, self.begun) = (nil, time)
        }
        begun = begun ?? time
        present = present.map { min($0, value) } ?? value
    }
}
