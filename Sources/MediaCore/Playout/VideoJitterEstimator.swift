import RTCWire

/// How long frames have to wait so that nearly all of them are there when they are to be shown.
///
/// What a frame needs beyond the fastest has two causes: its size, for a large one takes longer through the bottleneck, and
/// noise. `FrameDelayFilter` tells them apart; the estimate is the wait of the largest frame lately plus 2.33 standard
/// deviations of the noise (one frame in a hundred is later). Frames that were repaired by retransmission say nothing of either
/// (`RepairWait`). A value.
struct VideoJitterEstimator {
    private var filter = FrameDelayFilter()
    private var sizes = FrameSizes()
    private var noise = DelayNoise()
    private var last: (timestamp: UInt32, arrival: Instant, size: Double)?

    private static let longest = 10_000.0
    private static let clampDeviations = 3.5
    private static let outlierDeviations = 15.0

    /// Takes in a frame that came whole by itself.
    ///
    /// - Parameter arrival: of its last packet.
    mutating func observe(timestamp: UInt32, arrival: Instant, bytes: Int, isKeyFrame: Bool = false) {
        let size = Double(bytes)
        defer { last = (timestamp, arrival, size) }
        sizes.observe(size)
        // Another layer may have begun, whose frames are nothing like the ones before.
        if isKeyFrame { sizes.begin(with: size) }
        guard let last else { return }
        let ticks = Int32(bitPattern: timestamp &- last.timestamp)
        // Out of order, or after a pause: nothing is learnt of two frames so far apart.
        guard ticks > 0, ticks < 90_000 * 2 else { return }
        let period = Double(ticks) / 90
        let bound = Self.clampDeviations * noise.deviation + 0.5 + 100
        let measured = (arrival - last.arrival).milliseconds - period
        learn(min(max(measured, -bound), bound), sizeChange: size - last.size, size: size, period: period)
    }

    private mutating func learn(_ variation: Double, sizeChange: Double, size: Double, period: Double) {
        let deviation = variation - filter.explained(sizeChange: sizeChange)
        let limit = Self.outlierDeviations * noise.deviation
        guard deviation.magnitude < limit || sizes.isLarge(size) else {
            return noise.observe(min(max(deviation, -limit), limit), period: period)
        }
        noise.observe(deviation, period: period)
        // After a large frame the queue drains: how fast says little of the slope.
        guard sizeChange > -0.25 * sizes.largest else { return }
        filter.update(
            variation: variation, sizeChange: sizeChange, largest: sizes.largest, noise: noise.variance)
    }

    /// The wait that frames need.
    var estimate: Interval {
        let bySize = max(0, filter.slope * (sizes.largest - sizes.mean))
        let jitter = min(bySize + 2.33 * noise.deviation, Self.longest)
        return .seconds(max(jitter, 0) / 1000)
    }
}

/// The usual size of frames, and the largest lately.
private struct FrameSizes {
    private(set) var mean = 500.0
    private(set) var largest = 500.0
    private var variance = 100.0
    private var count = 0
    private static let first = 5

    mutating func observe(_ size: Double) {
        if count < Self.first {
            count += 1
            mean += (size - mean) / Double(count)
        } else if size < mean + 2 * variance.squareRoot() {
            mean += 0.03 * (size - mean)
        }
        variance = max(1, 0.97 * variance + 0.03 * (size - mean) * (size - mean))
        largest = max(0.9999 * largest, size)
    }

    /// A key frame: no later frame refers to the ones before it.
    mutating func begin(with size: Double) { largest = size }

    /// Key frames, usually.
    func isLarge(_ size: Double) -> Bool { size > mean + 3 * variance.squareRoot() }
}

/// Mean and variance of what the filter does not explain, ms.
private struct DelayNoise {
    private(set) var variance = 4.0
    private var mean = 0.0
    private var count = 1
    private static let memory = 400

    var deviation: Double { variance.squareRoot() }

    mutating func observe(_ value: Double, period: Double) {
        count = min(count + 1, Self.memory)
        // At low frame rates each sample stands for more time, once the start is over.
        let weight = min(1, (count > 30 ? max(period, 1) * 30 / 1000 : 1) / Double(count))
        mean += weight * (value - mean)
        variance = max(0.05, variance + weight * ((value - mean) * (value - mean) - variance))
    }
}
