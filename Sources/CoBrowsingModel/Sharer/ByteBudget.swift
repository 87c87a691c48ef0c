/// What a session may send: by the sources' budget a frame has up to 20 KB, so many times a second. What was saved for two
/// seconds may be spent at once; what was overspent is waited for.
package struct ByteBudget: Sendable, Hashable {
    package static let bytesPerFrame = 20 * 1_024

    /// Bytes a second.
    package let rate: Int
    /// Bytes that may be sent now; below 0 after a large frame.
    private var level: Int
    private var updated: Int64

    /// - Parameter now: milliseconds.
    package init(framesPerSecond: Int, now: Int64) {
        rate = framesPerSecond * Self.bytesPerFrame
        level = rate * 2
        updated = now
    }

    private var capacity: Int { rate * 2 }

    package mutating func available(_ now: Int64) -> Int {
        let elapsed = min(max(now - updated, 0), 1_000_000)
        level = min(capacity, level + rate * Int(elapsed) / 1_000)
        updated = max(updated, now)
        return level
    }

    package mutating func spend(_ bytes: Int, _ now: Int64) { level = available(now) - bytes }

    /// When there will be something to spend, at the earliest `now`.
    package mutating func ready(_ now: Int64) -> Int64 {
        let level = available(now)
        return level >= 0 ? now : now + Int64((-level * 1_000 + rate - 1) / rate)
    }

    package mutating func isFull(_ now: Int64) -> Bool { available(now) == capacity }
}

/// How good tiles are, and what that costs. A worse quality is taken where a better one costs more than there is, and what
/// was sent so is sent again when there is nothing else to send.
package struct QualityLadder: Sendable, Hashable {
    /// Best first, as encoders of JPEG and WebP count, 1 to 100.
    package static let lossy = [80, 60, 45, 30]
    package static let lossless = [100]

    package let steps: [Int]
    /// Bytes of a thousand pixels at each step: a running mean.
    private var densities: [Int]

    package init(isLossless: Bool) {
        steps = isLossless ? Self.lossless : Self.lossy
        densities = isLossless ? [400] : [150, 110, 90, 70]
    }

    package func density(_ step: Int) -> Int { densities[step] }

    /// The best step at which so many pixels cost no more than `bytes`, or the last one.
    package func step(pixels: Int, bytes: Int) -> Int {
        densities.firstIndex { pixels / 1_000 * $0 <= bytes } ?? steps.count - 1
    }

    package mutating func learn(_ step: Int, pixels: Int, bytes: Int) {
        guard pixels >= 1_000 else { return }
        let seen = max(1, bytes * 1_000 / pixels)
        densities[step] = (densities[step] * 3 + seen) / 4
    }
}
