/// How alike two spectrograms are at one place, in the manner of the neurogram similarity index (NSIM) that ViSQOL is built
/// on: levels and their structure over three spectra and three bands, weighted by a bell.
struct NeurogramSimilarity {
    /// Weights of the place itself, of the four beside it, and of the four corners; their sum is 1.
    private static let middle: Float = 0.6193
    private static let side: Float = 0.0838
    private static let corner: Float = 0.0113
    /// Below these variations differences don't count: 1 and 3 % of the range, as in SSIM.
    private static let level: Float = (0.01 * ReferenceSound.range) * (0.01 * ReferenceSound.range)
    private static let structure: Float = (0.03 * ReferenceSound.range) * (0.03 * ReferenceSound.range) / 2

    private var x: Float = 0
    private var y: Float = 0
    private var xx: Float = 0
    private var yy: Float = 0
    private var xy: Float = 0
    private var weight: Float = 0

    /// Adds a place: how far it lies from the middle, and its two levels over the floor, dB.
    @inline(__always)
    mutating func add(_ spectra: Int, _ bands: Int, _ a: Float, _ b: Float) {
        let distance = abs(spectra) + abs(bands)
        let part = distance == 0 ? Self.middle : distance == 1 ? Self.side : Self.corner
        weight += part
        x += part * a
        y += part * b
        xx += part * a * a
        yy += part * b * b
        xy += part * a * b
    }

    /// 0 (nothing in common) ... 1 (the same).
    var value: Float {
        guard weight > 0 else { return 1 }
        let (mx, my) = (x / weight, y / weight)
        let (vx, vy) = (max(0, xx / weight - mx * mx), max(0, yy / weight - my * my))
        let covariance = xy / weight - mx * my
        let level = (2 * mx * my + Self.level) / (mx * mx + my * my + Self.level)
        let structure = (covariance + Self.structure) / ((vx * vy).squareRoot() + Self.structure)
        return max(0, level * structure)
    }
}
