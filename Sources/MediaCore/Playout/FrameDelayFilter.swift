import Glibc

/// Explains how much longer a frame was under way than the one before: by its size, and by a queue that grows or drains.
///
/// A Kalman filter of two states, milliseconds a byte and milliseconds, over the inter-frame delay variation: the model
/// behind libwebrtc's receiver (draft-alvestrand-rmcat-congestion-03 section 4). A value.
struct FrameDelayFilter {
    /// Milliseconds that each further byte takes: the inverse of the bottleneck's rate. Begins as if there were none, at
    /// 512 Mbit/s: where sizes hardly differ nothing is learnt of it, and nobody is to wait for a key frame of old.
    private(set) var slope = 8.0 / 512_000
    /// Milliseconds by which the queue has grown between two frames.
    private(set) var offset = 0.0
    /// Covariance of the two: of the slope, of the offset, between them.
    private var slopeVariance = 1e-4
    private var offsetVariance = 1e2
    private var covariance = 0.0

    private static let slopeNoise = 2.5e-10
    private static let offsetNoise = 1e-10
    /// A rate above 8 Gbit/s is none.
    private static let leastSlope = 1e-6

    /// What a size difference explains of a variation, ms.
    func explained(sizeChange: Double) -> Double { slope * sizeChange + offset }

    /// - Parameters:
    ///   - variation: ms by which the frame was longer under way.
    ///   - sizeChange: bytes by which it was larger.
    ///   - largest: bytes of the largest frame lately: frames that differ little from each other say little of the slope.
    ///   - noise: variance of what neither explains, ms squared.
    mutating func update(variation: Double, sizeChange: Double, largest: Double, noise: Double) {
        slopeVariance += Self.slopeNoise
        offsetVariance += Self.offsetNoise
        let innovation = variation - explained(sizeChange: sizeChange)
        // P * h, with h = (sizeChange, 1).
        let slopeGain = slopeVariance * sizeChange + covariance
        let offsetGain = covariance * sizeChange + offsetVariance
        let similarity = exp(-sizeChange.magnitude / max(largest, 1))
        let observation = max(1, (300 * similarity + 1) * noise.squareRoot())
        let total = observation + sizeChange * slopeGain + offsetGain
        guard total > 1e-9 else { return }
        slope = max(Self.leastSlope, slope + slopeGain / total * innovation)
        offset += offsetGain / total * innovation
        slopeVariance -= slopeGain / total * slopeGain
        covariance -= slopeGain / total * offsetGain
        offsetVariance -= offsetGain / total * offsetGain
        // Rounding must not make a variance negative.
        slopeVariance = max(slopeVariance, 0)
        offsetVariance = max(offsetVariance, 0)
    }
}
