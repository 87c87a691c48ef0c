import RTCWire

/// How much may be sent over a path, from what becomes of the packets: Google's congestion control, with a controller by
/// delay and one by loss (draft-ietf-rmcat-gcc-02). A value in virtual time.
package struct BandwidthEstimator: Sendable {
    /// Bounds and the beginning, in bit/s.
    package struct Configuration: Sendable, Hashable {
        package var start = 300_000
        package var minimum = 50_000
        package var maximum = 30_000_000

        package init() {}
    }

    private var groups = PacketGroups()
    private var trend = TrendDetector()
    private var acknowledged = AcknowledgedRate()
    private var rate: RateControl
    private var loss = LossControl()
    private var standing = StandingQueue()
    private var lastFeedback: Instant?
    private let configuration: Configuration

    package init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        rate = RateControl(
            start: Double(configuration.start),
            bounds: Double(configuration.minimum)...Double(max(configuration.minimum, configuration.maximum)))
    }

    /// What may be sent now, in bit/s.
    package var bitrate: Int {
        let allowed = min(rate.bitrate, loss.limit)
        return Int(min(max(allowed, Double(configuration.minimum)), Double(configuration.maximum)))
    }

    /// The path has shown a limit. Before that `bitrate` is only what has been shown to pass.
    package var isLimited: Bool { rate.hasDecreased || loss.limit.isFinite }

    /// What the other side really gets, in bit/s; nil until it is known.
    package var acknowledgedBitrate: Int? { acknowledged.bitrate.map { Int($0) } }

    /// Share of packets lost lately, 0...1.
    package var lossShare: Double { loss.loss }

    /// Takes in what one feedback says, ascending by sequence.
    package mutating func update(_ results: [PacketResult], roundTrip: Interval?, now: Instant) {
        let trip = roundTrip ?? .milliseconds(100)
        if let last = lastFeedback, now - last > .seconds(2) { restart() }
        lastFeedback = now
        var usage = PathUsage.normal
        var leastDelay: Interval?
        for result in results {
            guard let received = result.received else { continue }
            acknowledged.add(result.size, received: received)
            leastDelay = min(leastDelay ?? received - result.sent, received - result.sent)
            guard let delta = groups.add(sent: result.sent, received: received) else { continue }
            trend.update(delta)
            if trend.usage == .over { usage = .over }
        }
        if usage == .normal { usage = trend.usage }
        if let leastDelay, standing.update(leastDelay, now: now) { usage = .over }
        rate.update(usage, acknowledged: acknowledged.bitrate, roundTrip: trip, now: now)
        let lost = results.count { $0.received == nil }
        let found = results.count { $0.wasLost }
        loss.update(
            lost: lost, found: found, total: results.count - found, bitrate: rate.bitrate, roundTrip: trip, now: now)
        if loss.limit < rate.bitrate { rate.set(min(rate.bitrate, loss.limit * 1.2), now: now) }
    }

    /// After a silence the old delays say nothing.
    private mutating func restart() {
        groups = PacketGroups()
        trend = TrendDetector()
    }
}
