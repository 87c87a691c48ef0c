import RTCWire

/// Grows the rate while the path is quiet and cuts it when a queue builds up (draft-ietf-rmcat-gcc-02 section 5.5):
/// multiplicatively while the capacity is unknown, by about a packet a response time close to where it lay.
struct RateControl {
    private enum State { case hold, increase, decrease }

    private static let cut = 0.85
    private static let growth = 0.08

    /// In bit/s.
    private(set) var bitrate: Double
    private var state = State.increase
    private var lastChange: Instant?
    private var lastDecrease: Instant?
    /// The path has shown where it ends.
    var hasDecreased: Bool { lastDecrease != nil }
    private var capacity = CapacityMemory()
    /// Probes show what passes beyond what is sent: the rate doesn't grow far beyond it by itself.
    var isProbed = false
    /// Of a receiver, who says no more than one and a half times of what comes (libwebrtc's rule): what there is beyond that its
    /// sender tries.
    var isReceiving = false
    private let bounds: ClosedRange<Double>

    init(start: Double, bounds: ClosedRange<Double>) {
        bitrate = min(max(start, bounds.lowerBound), bounds.upperBound)
        self.bounds = bounds
    }

    /// Sets the rate to what a probe has shown.
    mutating func set(_ bitrate: Double, now: Instant) {
        self.bitrate = min(max(bitrate, bounds.lowerBound), bounds.upperBound)
        lastChange = now
    }

    /// Takes in what the path does.
    ///
    /// - Parameter acknowledged: what the other side gets, in bit/s; nil before it is known.
    mutating func update(_ usage: PathUsage, acknowledged: Double?, roundTrip: Interval, now: Instant) {
        switch usage {
        case .normal:
            if state == .hold { lastChange = now }
            state = .increase
            increase(acknowledged, roundTrip, now)
        case .under: state = .hold
        case .over:
            guard mayDecrease(acknowledged, roundTrip, now) else { return }
            state = .decrease
            decrease(acknowledged, now)
            state = .hold
        }
    }

    private mutating func increase(_ acknowledged: Double?, _ roundTrip: Interval, _ now: Instant) {
        let elapsed = min((now - (lastChange ?? now)).seconds, 1)
        lastChange = now
        if let acknowledged, capacity.isExceeded(by: acknowledged) { capacity.forget() }
        let limit = acknowledged.map { headroom(now) * $0 + 10_000 } ?? .infinity
        // What arrives has been shown to pass; later it may be a queue that drains.
        if !hasDecreased { bitrate = min(max(bitrate, acknowledged ?? 0), bounds.upperBound) }
        guard bitrate < limit else { return }
        let step =
            capacity.estimate == nil
            ? max(bitrate * RateControl.growth, 1000) * elapsed : additiveStep(roundTrip) * elapsed
        bitrate = min(max(bitrate, min(bitrate + step, limit)), bounds.upperBound)
    }

    /// How many times what arrives the rate may become. A sender that has less to send than it may, because its next
    /// larger layer needs more, gets more room while all stays quiet: else it could never try that layer. Where probes try, it
    /// needs none.
    private func headroom(_ now: Instant) -> Double {
        guard !isProbed else { return 1.05 }
        guard !isReceiving, let last = lastDecrease else { return 1.5 }
        return min(max(1.5, 1.5 + 0.25 * ((now - last).seconds - 5)), 4)
    }

    /// A packet a response time, in bit/s each second; never below 4 kbit/s.
    private func additiveStep(_ roundTrip: Interval) -> Double {
        let frame = bitrate / 30
        let packets = (frame / (1200 * 8)).rounded(.up)
        let response = roundTrip.seconds + 0.1
        return max(4000, frame / max(packets, 1) / response)
    }

    private func mayDecrease(_ acknowledged: Double?, _ roundTrip: Interval, _ now: Instant) -> Bool {
        guard let last = lastDecrease else { return true }
        let spacing = min(max(roundTrip, .milliseconds(10)), .milliseconds(200))
        return now - last >= spacing || (acknowledged ?? .infinity) < bitrate / 2
    }

    private mutating func decrease(_ acknowledged: Double?, _ now: Instant) {
        lastDecrease = now
        lastChange = now
        guard let acknowledged else {
            bitrate = max(bitrate / 2, bounds.lowerBound)
            return
        }
        // A little less than the share alone, so that the queue drains at low rates too.
        var target = max(RateControl.cut * acknowledged - 5000, RateControl.cut * acknowledged * 0.9)
        if target > bitrate, let estimate = capacity.estimate { target = RateControl.cut * estimate }
        if capacity.isUndercut(by: acknowledged) { capacity.forget() }
        capacity.note(acknowledged)
        bitrate = max(min(bitrate, target), bounds.lowerBound)
    }
}

/// Where the capacity lay when it was last exceeded, and how far it strays.
struct CapacityMemory {
    /// In bit/s; nil while unknown.
    private(set) var estimate: Double?
    private var deviation = 0.4

    mutating func forget() { estimate = nil }

    mutating func note(_ bitrate: Double) {
        let old = estimate ?? bitrate
        let new = 0.95 * old + 0.05 * bitrate
        estimate = new
        let error = (new - bitrate) / 1000
        let norm = max(new / 1000, 1)
        deviation = min(max(0.95 * deviation + 0.05 * error * error / norm, 0.4), 2.5)
    }

    func isExceeded(by bitrate: Double) -> Bool { estimate.map { bitrate > $0 + spread($0) } ?? false }
    func isUndercut(by bitrate: Double) -> Bool { estimate.map { bitrate < $0 - spread($0) } ?? false }

    /// Three standard deviations.
    private func spread(_ estimate: Double) -> Double { 3 * (deviation * estimate / 1000).squareRoot() * 1000 }
}
