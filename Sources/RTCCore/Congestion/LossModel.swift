import RTCWire

/// Limits the rate by the loss of packets: tells what a path loses of itself from what it loses because too much is sent
/// (libwebrtc's second loss-based estimator, with its default parameters).
///
/// A path is two numbers, the share `p` that it loses whatever is sent and the rate `b` that passes. Of packets sent at `r`
/// it then loses p + (1 - p)(1 - b / r) where r is above b, else p. Of a handful of candidates for b, each with the p that
/// fits it best, the one is taken under which the losses of the latest twenty observations, the newest counting most, are
/// the likeliest, with a slight preference for higher rates while little is lost. So a radio link that loses some percent at
/// any rate isn't taken for a full one.
struct LossModel: Sendable {
    private static let window = 20
    /// Packets of an observation were sent over so long at least.
    private static let shortest = Interval.milliseconds(250)
    private static let leastObservations = 3
    private static let weight = 0.9
    private static let factors = [1.02, 1.0, 0.95]
    private static let leastInherent = 1e-3
    private static let newtonStep = 0.75
    /// In kbit/s: what a path may lose of itself is 5 % and this over its rate; what is lost above 5 % allows this over that.
    private static let balance = 75.0
    private static let offset = 0.05
    /// While the rate recovers it grows by this at most in such a time.
    private static let growth = 1.3
    private static let growthSpacing = Interval.milliseconds(300)
    private static let linearBias = 0.0002
    private static let logarithmicBias = 0.02
    /// Above this loss higher rates aren't preferred any more.
    private static let biasEnd = 0.15
    private static let biasWidth = 0.002

    private struct Observation {
        var packets: Double
        var lost: Double
        /// In kbit/s, as are all rates inside.
        var rate: Double
        var weight = 1.0
    }

    private struct Path {
        var bandwidth: Double
        var inherent: Double
    }

    /// The newest last.
    private var observations: [Observation] = []
    private var count = 0
    private var gathered = (packets: 0, lost: 0, bytes: 0)
    private var lastSent: Instant?
    private var path: Path?
    private var ceiling: (rate: Double, since: Instant)?

    /// In bit/s; infinite while losses limit nothing.
    private(set) var limit = Double.infinity
    /// Share of packets lost lately, 0...1.
    private(set) var loss = 0.0

    /// Takes in what one feedback says.
    ///
    /// - Parameters:
    ///   - delayBased: what the delay allows, bit/s.
    ///   - acknowledged: what arrives, bit/s; nil before it is known, or where less is sent than may be.
    ///   - delivered: what arrives, however much is sent; whatever is lost besides, the path bears that.
    ///   - bounds: of the estimate, bit/s.
    mutating func update(
        _ results: [PacketResult], delayBased: Double, acknowledged: Double?, delivered: Double? = nil,
        bounds: ClosedRange<Double>
    ) {
        guard gather(results) else { return }
        loss = weighted { $0.lost } / max(weighted { $0.packets }, 1)
        let delayed = delayBased / 1000
        let old = path ?? Path(bandwidth: delayed, inherent: 0.01)
        var best = likeliest(old, delayed, acknowledged.map { $0 / 1000 }, bounds.upperBound / 1000)
        // What is lost already beyond the path's own share is no reason to send more.
        if loss > best.inherent { best.bandwidth = min(best.bandwidth, old.bandwidth) }
        // What arrives passes, as with libwebrtc's bound by the acknowledged rate.
        let passing = min((delivered ?? 0) / 1000, delayed)
        best.bandwidth = max(best.bandwidth, passing)
        path = best
        guard count >= LossModel.leastObservations else { return }
        let allowed = max(bounds.lowerBound / 1000, passing, min(best.bandwidth, instantBound, delayed))
        limit = allowed < delayed ? allowed * 1000 : .infinity
        raiseCeiling(best.bandwidth)
    }

    // MARK: Observing

    /// Adds up what was told; true where an observation is complete.
    private mutating func gather(_ results: [PacketResult]) -> Bool {
        for result in results {
            if result.wasLost {
                // It was only overtaken: it had been counted, as lost.
                gathered.lost -= 1
                continue
            }
            gathered.packets += 1
            gathered.bytes += result.size
            if result.received == nil { gathered.lost += 1 }
        }
        guard let newest = results.map(\.sent).max() else { return false }
        guard let since = lastSent else {
            lastSent = results.map(\.sent).min()
            return false
        }
        guard newest - since >= LossModel.shortest, gathered.packets > 0 else { return false }
        lastSent = newest
        for index in observations.indices { observations[index].weight *= LossModel.weight }
        if observations.count == LossModel.window { observations.removeFirst() }
        let packets = Double(gathered.packets)
        observations.append(
            Observation(
                packets: packets, lost: min(max(Double(gathered.lost), 0), packets),
                rate: Double(gathered.bytes * 8) / 1000 / (newest - since).seconds))
        // What was found of earlier observations is taken from the next one's losses.
        gathered = (0, min(gathered.lost, 0), 0)
        count += 1
        return true
    }

    private func weighted(_ value: (Observation) -> Double) -> Double {
        observations.reduce(0) { $0 + $1.weight * value($1) }
    }

    // MARK: The model

    private func likeliest(_ old: Path, _ delayed: Double, _ acknowledged: Double?, _ most: Double) -> Path {
        var rates = LossModel.factors.map { $0 * old.bandwidth }
        if let acknowledged { rates.append(acknowledged) }
        if delayed > old.bandwidth { rates.append(delayed) }
        let bound = max(old.bandwidth, limit.isFinite ? ceiling?.rate ?? most : most)
        var best = old
        var bestValue = -Double.infinity
        for rate in rates {
            var path = Path(bandwidth: max(min(rate, bound), 1), inherent: old.inherent)
            path.inherent = feasible(path.inherent, path.bandwidth)
            path.inherent = feasible(improved(path), path.bandwidth)
            let value = likelihood(path)
            if value > bestValue { (best, bestValue) = (path, value) }
        }
        return best
    }

    private func feasible(_ inherent: Double, _ bandwidth: Double) -> Double {
        let most = min(1, LossModel.offset + LossModel.balance / bandwidth)
        return min(max(inherent, LossModel.leastInherent), most)
    }

    private func lossProbability(_ path: Path, _ rate: Double) -> Double {
        let excess = rate > path.bandwidth ? (rate - path.bandwidth) / rate : 0
        let probability = path.inherent + (1 - path.inherent) * excess
        return min(max(probability, 1e-6), 1 - 1e-6)
    }

    /// One step of Newton's method towards the share that makes the losses the likeliest.
    private func improved(_ path: Path) -> Double {
        var slope = 0.0
        var curvature = 0.0
        for one in observations {
            let probability = lossProbability(path, one.rate)
            let arrived = one.packets - one.lost
            slope += one.weight * (one.lost / probability - arrived / (1 - probability))
            curvature -=
                one.weight
                * (one.lost / (probability * probability) + arrived / ((1 - probability) * (1 - probability)))
        }
        return path.inherent - LossModel.newtonStep * slope / min(curvature, -1e-6)
    }

    private func likelihood(_ path: Path) -> Double {
        let bias =
            preference(LossModel.linearBias) * path.bandwidth
            + preference(LossModel.logarithmicBias) * logarithm(1 + path.bandwidth)
        return weighted { one in
            let probability = lossProbability(path, one.rate)
            return one.lost * logarithm(probability) + (one.packets - one.lost) * logarithm(1 - probability)
                + bias * one.packets
        }
    }

    /// For higher rates, while little is lost.
    private func preference(_ bias: Double) -> Double {
        let distance = LossModel.biasEnd - loss
        return bias * distance / (LossModel.biasWidth + abs(distance))
    }

    // MARK: Bounds

    private var instantBound: Double {
        loss > LossModel.offset ? LossModel.balance / (loss - LossModel.offset) : .infinity
    }

    private mutating func raiseCeiling(_ bandwidth: Double) {
        guard limit.isFinite, let now = lastSent else {
            ceiling = nil
            return
        }
        if let ceiling, now - ceiling.since <= LossModel.growthSpacing { return }
        ceiling = (bandwidth * LossModel.growth, now)
    }

    /// The natural logarithm of a positive number, from its exponent and a series: this target links no mathematics library.
    private func logarithm(_ value: Double) -> Double {
        let exponent = Double(value.exponent)
        // 1...2, moved around 1 so that the series is short.
        let fraction = value.significand
        let x = (fraction - 1) / (fraction + 1)
        let square = x * x
        var term = x
        var sum = 0.0
        var divisor = 1.0
        while divisor < 20 {
            sum += term / divisor
            term *= square
            divisor += 2
        }
        return exponent * 0.693_147_180_559_945_3 + 2 * sum
    }
}
