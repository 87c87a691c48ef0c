import RTCWire

/// Notices a queue that begins to fill because the way bears much less than before: from moment to moment packets come later, and
/// less comes than did. That takes some 150 ms, where a filter for slopes needs the ends of five to ten groups of packets, a
/// quarter of a second and more of pictures. After a pause packets come ever less late, on a longer way as late all the time,
/// and a large picture that leaves at once brings more than usual: none of them is one. A value.
struct QueueOnset: Sendable {
    /// Delays are compared by the least of a window: what leaves as a burst waits for itself.
    private static let shortest = Interval.milliseconds(50)
    private static let packets = 2
    /// What comes so rarely says nothing.
    private static let longest = Interval.milliseconds(150)
    /// How much of the time that goes by delays rise by.
    private static let slope = 0.4
    /// How high the queue is at least.
    private static let height = Interval.milliseconds(60)
    /// What comes meanwhile is less than this part of what came before.
    private static let share = 0.75

    private struct Window {
        var start: Instant
        var least: Interval
        var bytes = 0
        var count = 0

        func rises(from other: Window) -> Bool {
            (least - other.least).seconds >= QueueOnset.slope * (start - other.start).seconds
        }
    }

    private var current: Window?
    /// The latest two before it.
    private var last: Window?
    private var first: Window?

    /// Takes a packet in.
    ///
    /// - Parameters:
    ///   - excess: how much later it came than the earliest ones.
    ///   - rate: what has come in the second before, in bit/s.
    /// - Returns: where a queue has begun, the bytes that have come of it before this packet, and since when.
    mutating func note(
        _ excess: Interval, _ size: Int, _ arrival: Instant, rate: Double?
    ) -> (bytes: Int, start: Instant)? {
        let new = Window(start: arrival, least: excess, bytes: size, count: 1)
        guard var window = current, arrival - window.start <= QueueOnset.longest else {
            self = QueueOnset()
            current = new
            return nil
        }
        guard arrival - window.start >= QueueOnset.shortest, window.count >= QueueOnset.packets else {
            window.least = min(window.least, excess)
            window.bytes += size
            window.count += 1
            current = window
            return nil
        }
        let (before, begin) = (first, last)
        (first, last, current) = (last, window, new)
        guard let before, let begin, let rate, window.least >= QueueOnset.height,
            begin.rises(from: before), window.rises(from: begin)
        else { return nil }
        let bytes = begin.bytes + window.bytes
        guard Double(bytes * 8) < QueueOnset.share * rate * (arrival - begin.start).seconds else { return nil }
        self = QueueOnset()
        return (bytes, begin.start)
    }
}
