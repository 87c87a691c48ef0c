import RTCWire

/// How long packets are under way beyond the fastest, and the delay that lets a wanted share of them come in time.
///
/// *Transit* is arrival minus RTP time. Its minimum over some ten seconds is the base line, which thereby follows the
/// drift of the sender's clock and changes of route. What packets need beyond it goes into a histogram that forgets;
/// the target is a high quantile of it. When the base line moves, the histogram moves along.
struct PlayoutDelayEstimator {
    private static let bucket: Int64 = 4_000_000
    private static let blockLength: Int64 = 1_250_000_000
    /// No packet outruns the fastest by that much, nor falls behind it by the other: the sender's clock was set anew.
    private static let earlyJump: Int64 = 300_000_000
    private static let lateJump: Int64 = 3_000_000_000
    /// Over the quantile: what one bucket's width hides, and the scheduling of both ends.
    private static let margin: Int64 = 4_000_000

    private let configuration: AudioPlayoutConfiguration
    private var weights: [Float]
    private var total: Float = 0
    /// Weight of the next packet. It grows instead of all others shrinking.
    private var weight: Float = 1
    private var observed = 0
    /// The transit that the histogram's first bucket stands for.
    private var origin: Int64 = 0
    /// Minimum transit per block of time, newest last.
    private var minima: [Int64] = []
    private var blockEnd: Int64 = .min

    /// Counts the sender's time lines: rises when its clock jumps.
    private(set) var epoch: Int32 = 0
    /// Minimum transit in ns; nil before the first packet.
    private(set) var base: Int64?
    /// The quantile of the delays beyond the fastest, rounded up to the bucket.
    private(set) var spread = Interval.zero
    /// What lip sync adds.
    var syncDelay = Interval.zero

    init(_ configuration: AudioPlayoutConfiguration) {
        self.configuration = configuration
        let longest = min(max(configuration.maximumDelay.nanoseconds, 0), 1_000_000_000)
        weights = [Float](repeating: 0, count: Int(longest / Self.bucket) + 1)
    }

    /// The delay to aim at; `allowance` is added for packets that wait for their successor's redundancy.
    func target(allowance: Interval = .zero) -> Interval {
        let wanted = spread + Interval(nanoseconds: Self.margin) + allowance
        return min(max(wanted, configuration.minimumDelay) + syncDelay, configuration.maximumDelay)
    }

    /// How long after its earliest possible arrival `timestamp` stands at `now`.
    func delay(of timestamp: Int64, at now: Instant) -> Interval {
        guard let base else { return .zero }
        return Interval(nanoseconds: Self.transit(timestamp, now) &- base)
    }

    /// Takes in a packet; true where its time stamp begins a new time line, as the caller says or the delay shows.
    mutating func observe(timestamp: Int64, arrival: Instant, isNewLine: Bool = false) -> Bool {
        let transit = Self.transit(timestamp, arrival)
        let jumped = isNewLine || isJump(transit)
        if jumped { beginEpoch() }
        updateBase(transit, at: arrival.nanoseconds)
        record(transit)
        return jumped
    }

    /// Forgets everything: another sender.
    mutating func reset() {
        if base != nil { beginEpoch() }
    }

    private static func transit(_ timestamp: Int64, _ time: Instant) -> Int64 {
        time.nanoseconds &- (timestamp &* 62_500) / 3
    }

    private func isJump(_ transit: Int64) -> Bool {
        guard let base else { return false }
        let step = transit &- base
        return step < -Self.earlyJump || step > Self.lateJump
    }

    private mutating func beginEpoch() {
        epoch &+= 1
        base = nil
        minima.removeAll(keepingCapacity: true)
        clearHistogram()
    }

    private mutating func clearHistogram() {
        for index in weights.indices { weights[index] = 0 }
        total = 0
        weight = 1
        observed = 0
        spread = .zero
    }

    private mutating func updateBase(_ transit: Int64, at time: Int64) {
        if minima.isEmpty || time >= blockEnd {
            // A whole block beyond every permitted delay: the old base line means nothing any more.
            if let last = minima.last, let base, last &- base > configuration.maximumDelay.nanoseconds {
                minima.removeAll(keepingCapacity: true)
            }
            if minima.count == 8 { minima.removeFirst() }
            minima.append(transit)
            blockEnd = time &+ Self.blockLength
        } else {
            minima[minima.count - 1] = min(minima[minima.count - 1], transit)
        }
        let minimum = minima.min() ?? transit
        if base == nil { origin = minimum }
        base = minimum
        moveOrigin(to: minimum)
    }

    /// Shifts the histogram by whole buckets, so that it keeps standing for the same transits.
    private mutating func moveOrigin(to minimum: Int64) {
        let steps = (minimum &- origin) / Self.bucket
        guard steps != 0 else { return }
        origin = origin &+ steps &* Self.bucket
        let count = weights.count
        var moved = [Float](repeating: 0, count: count)
        for index in 0..<count where weights[index] > 0 {
            let target = min(max(Int64(index) &- steps, 0), Int64(count - 1))
            moved[Int(target)] += weights[index]
        }
        weights = moved
    }

    /// Delays that no permitted target could absorb are outages; they don't teach anything about jitter.
    private mutating func record(_ transit: Int64) {
        let index = Int(max(0, transit &- origin) / Self.bucket)
        guard index < weights.count else { return }
        weights[index] += weight
        total += weight
        observed += 1
        let memory = min(configuration.forgetting, 1 - 1 / Double(observed + 2))
        weight /= Float(max(memory, 0.5))
        if weight > 1e12 { rescale() }
        spread = Interval(nanoseconds: Int64(quantileIndex() + 1) &* Self.bucket)
    }

    private mutating func rescale() {
        for index in weights.indices { weights[index] /= weight }
        total /= weight
        weight = 1
    }

    private func quantileIndex() -> Int {
        let beyond = total * Float(1 - configuration.quantile)
        var sum: Float = 0
        for index in stride(from: weights.count - 1, to: 0, by: -1) {
            sum += weights[index]
            if sum > beyond { return index }
        }
        return 0
    }
}
