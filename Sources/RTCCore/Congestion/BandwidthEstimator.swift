import RTCWire

/// How much may be sent over a path, from what becomes of the packets: Google's congestion control, with a controller by
/// delay (draft-ietf-rmcat-gcc-02), one by loss, and probes. A value in virtual time.
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
    /// In place of `loss` where the sender is paced and probes.
    private var model: LossModel?
    private var standing = StandingQueue()
    private var outages = OutageFilter()
    private var probed = ProbeEstimator()
    /// What leaves without a transport-wide number, audio mostly, and takes its part of the path all the same.
    private var uncounted = WindowedRate()
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
        let allowed = min(rate.bitrate, lossLimit)
        return Int(min(max(allowed, Double(configuration.minimum)), Double(configuration.maximum)))
    }

    /// The path has shown a limit. Before that `bitrate` is only what has been shown to pass.
    package var isLimited: Bool { rate.hasDecreased || lossLimit.isFinite }

    /// What the other side really gets, in bit/s; nil until it is known.
    package var acknowledgedBitrate: Int? { delivered.map { Int($0) } }

    /// The last feedback told of a queue that grows.
    private(set) var isOverused = false

    /// A queue stands in the path, or grows: whatever is sent again takes its place from what is new.
    var isQueueing: Bool { isOverused || standing.excess > StandingQueue.height }

    /// Together with what isn't numbered, of which as much gets lost as of the rest.
    private var delivered: Double? { acknowledged.bitrate.map { $0 + uncounted.bitrate * (1 - min(lossShare, 1)) } }

    /// Share of packets lost lately, 0...1.
    package var lossShare: Double { model?.loss ?? loss.loss }

    /// What the losses allow; infinite where they limit nothing.
    private var lossLimit: Double { model?.limit ?? loss.limit }

    /// Whether the path has come back, after a second or more in which nothing came through, since this was asked last.
    mutating func takeEndOfOutage() -> Bool { outages.takeEnd() }

    /// Counts what was sent without a number.
    mutating func noteUncounted(_ bytes: Int, now: Instant) { uncounted.add(bytes, now: now) }

    /// Whether probes show what passes, instead of growth beyond what is sent.
    mutating func setProbed(_ isProbed: Bool) {
        rate.isProbed = isProbed
        if isProbed, model == nil { model = LossModel() }
        if !isProbed { model = nil }
    }

    /// A probe cluster is going to be sent.
    mutating func expect(_ cluster: ProbeCluster) { probed.expect(cluster) }

    /// Takes in what one feedback says, ascending by sequence.
    package mutating func update(_ results: [PacketResult], roundTrip: Interval?, now: Instant) {
        let trip = roundTrip ?? .milliseconds(100)
        if let last = lastFeedback, now - last > .seconds(2) { restart() }
        lastFeedback = now
        uncounted.advance(to: now)
        var shown: Double?
        var usage = PathUsage.normal
        var leastDelay: Interval?
        for result in results {
            guard let received = result.received else { continue }
            acknowledged.add(result.size, received: received)
            if result.probe != 0, let rate = probed.add(result) { shown = rate + uncounted.bitrate }
            leastDelay = min(leastDelay ?? received - result.sent, received - result.sent)
            guard let delta = groups.add(sent: result.sent, received: received) else { continue }
            trend.update(delta)
            if trend.usage == .over { usage = .over }
        }
        if usage == .normal { usage = trend.usage }
        let counted = outages.strip(results)
        let isDropping = BandwidthEstimator.isDropping(counted)
        if let leastDelay, standing.update(leastDelay, isDropping: isDropping, now: now) {
            usage = .over
            if isDropping { acknowledged.collapse() }
        }
        isOverused = usage == .over
        rate.update(usage, acknowledged: delivered, roundTrip: trip, now: now)
        // A probe only shows what passes beyond what is sent already.
        if let shown, usage != .over, shown > rate.bitrate { rate.set(shown, now: now) }
        let passing = delivered
        let arriving = fillsTheRate ? passing : nil
        model?.update(
            counted, delayBased: rate.bitrate, acknowledged: arriving, delivered: passing,
            bounds: Double(configuration.minimum)...Double(max(configuration.minimum, configuration.maximum)))
        if model == nil { limitByLoss(counted, trip, now) }
    }

    /// Most of what a feedback tells of was lost.
    private static func isDropping(_ results: [PacketResult]) -> Bool {
        results.count >= 8 && results.count { $0.received == nil } * 2 > results.count
    }

    private mutating func limitByLoss(_ results: [PacketResult], _ trip: Interval, _ now: Instant) {
        let lost = results.count { $0.received == nil }
        let found = results.count { $0.wasLost }
        loss.update(
            lost: lost, found: found, total: results.count - found, bitrate: rate.bitrate, roundTrip: trip, now: now)
        if loss.limit < rate.bitrate { rate.set(min(rate.bitrate, loss.limit * 1.2), now: now) }
    }

    /// What arrives is what the path bears, and not only what there was to send.
    private var fillsTheRate: Bool { (delivered ?? 0) > 0.65 * Double(bitrate) }

    /// After a silence the old delays say nothing.
    private mutating func restart() {
        groups = PacketGroups()
        trend = TrendDetector()
    }
}
