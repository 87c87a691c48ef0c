import RTCWire

/// How many pictures a second the temporal layers of one stream bring, measured over windows of a second.
package struct TemporalRates: Sendable {
    /// Temporal layers told apart.
    package static let count = 4

    private var pictures = InlineArray<4, Int>(repeating: 0)
    private var rates = InlineArray<4, Double>(repeating: 0)
    private var windowStart: Instant?
    private var lastTimestamp: UInt32?

    package init() {}

    /// Pictures a second with this temporal layer and those below it; 0 before the first window is over.
    package func rate(upTo layer: Int) -> Double {
        var sum = 0.0
        for index in 0...min(max(layer, 0), TemporalRates.count - 1) { sum += rates[index] }
        return sum
    }

    /// The smallest temporal layer with which at least so many pictures a second come; the highest one where none does or
    /// nothing is known yet.
    package func layer(covering framesPerSecond: Double) -> Int {
        for layer in 0..<TemporalRates.count where rate(upTo: layer) >= framesPerSecond * TemporalRates.tolerance {
            return layer
        }
        return TemporalRates.count - 1
    }

    /// Counts the picture of a packet, each picture once.
    mutating func count(_ layer: UInt8, timestamp: UInt32, now: Instant) {
        guard timestamp != lastTimestamp else { return }
        lastTimestamp = timestamp
        pictures[min(Int(layer), TemporalRates.count - 1)] += 1
        guard let start = windowStart else {
            windowStart = now
            return
        }
        let elapsed = (now - start).seconds
        guard elapsed >= 1 else { return }
        for index in 0..<TemporalRates.count {
            rates[index] = Double(pictures[index]) / elapsed
            pictures[index] = 0
        }
        windowStart = now
    }

    /// Cameras bring a little less than they say.
    private static let tolerance = 0.9
}
