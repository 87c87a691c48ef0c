import RTCWire

/// What the delay of the path does.
enum PathUsage: Hashable, Sendable {
    case normal
    /// A queue grows.
    case over
    /// A queue drains.
    case under
}

/// Tells from the slope of the one-way delay whether a queue grows: the trendline filter and the adaptive threshold of
/// Google's congestion control (draft-ietf-rmcat-gcc-02 section 5.4; the filter is libwebrtc's later one).
struct TrendDetector {
    private static let points = 20
    private static let smoothing = 0.9
    private static let gain = 4.0

    private(set) var usage = PathUsage.normal
    private var history: [(time: Double, delay: Double)] = []
    private var first: Instant?
    private var count = 0
    private var accumulated = 0.0
    private var smoothed = 0.0
    private var previousTrend = 0.0
    /// In milliseconds, as are all that follow.
    private var threshold = 12.5
    private var overTime: Double?
    private var overCount = 0
    private var lastUpdate: Instant?

    /// Takes in what two neighbouring groups show.
    mutating func update(_ delta: PacketGroups.Delta) {
        count = min(count + 1, 1000)
        accumulated += (delta.received - delta.sent).milliseconds
        smoothed = TrendDetector.smoothing * smoothed + (1 - TrendDetector.smoothing) * accumulated
        let origin = first ?? delta.arrival
        first = origin
        history.append(((delta.arrival - origin).milliseconds, smoothed))
        if history.count > TrendDetector.points { history.removeFirst() }
        let trend = history.count == TrendDetector.points ? slope ?? previousTrend : previousTrend
        detect(trend, delta.sent.milliseconds, delta.arrival)
    }

    /// Of the line through the points with the least squares.
    private var slope: Double? {
        let n = Double(history.count)
        let meanTime = history.reduce(0) { $0 + $1.time } / n
        let meanDelay = history.reduce(0) { $0 + $1.delay } / n
        var numerator = 0.0
        var denominator = 0.0
        for point in history {
            numerator += (point.time - meanTime) * (point.delay - meanDelay)
            denominator += (point.time - meanTime) * (point.time - meanTime)
        }
        return denominator == 0 ? nil : numerator / denominator
    }

    private mutating func detect(_ trend: Double, _ sentApart: Double, _ now: Instant) {
        guard count >= 2 else { return }
        let modified = Double(min(count, 60)) * trend * TrendDetector.gain
        if modified > threshold {
            overTime = overTime.map { $0 + sentApart } ?? sentApart / 2
            overCount += 1
            if let time = overTime, time > 10, overCount > 1, trend >= previousTrend {
                overTime = 0
                overCount = 0
                usage = .over
            }
        } else {
            overTime = nil
            overCount = 0
            usage = modified < -threshold ? .under : .normal
        }
        previousTrend = trend
        adapt(abs(modified), now)
    }

    /// The threshold follows what is seen, so that a competing flow that fills queues doesn't starve this one.
    private mutating func adapt(_ value: Double, _ now: Instant) {
        defer { lastUpdate = now }
        guard let last = lastUpdate, value <= threshold + 15 else { return }
        let rate = value < threshold ? 0.039 : 0.0087
        threshold += rate * (value - threshold) * min((now - last).milliseconds, 100)
        threshold = min(max(threshold, 6), 600)
    }
}
