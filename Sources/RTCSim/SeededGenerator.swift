/// A small reproducible generator (SplitMix64): the same seed gives the same run on every machine.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return SeededGenerator.mix(state)
    }

    /// Uniform in 0..<1.
    package mutating func uniform() -> Double { SeededGenerator.unit(next()) }

    /// Exponentially distributed with this mean.
    package mutating func exponential(mean: Double) -> Double { mean * unitExponential(uniform()) }

    /// A number that depends on its arguments alone: what happens at one time can't shift what happens at another.
    package static func hash(_ seed: UInt64, _ a: UInt64, _ b: UInt64) -> UInt64 {
        mix(mix(seed &+ 0x9e37_79b9_7f4a_7c15 &* (a &+ 1)) &+ 0xd1b5_4a32_d192_ed03 &* (b &+ 1))
    }

    /// The upper bits as a fraction in 0..<1.
    package static func unit(_ value: UInt64) -> Double { Double(value >> 11) / 9_007_199_254_740_992 }

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// -ln(1 - u) for u in 0..<1, without a mathematics library: halving the argument adds ln 2 each time, a series does the rest.
private func unitExponential(_ u: Double) -> Double {
    var rest = 1 - u
    var sum = 0.0
    while rest < 0.5 {
        rest *= 2
        sum += 0.693_147_180_559_945_3
    }
    // ln(x) = 2 artanh((x - 1) / (x + 1)), which converges fast for x in 0.5...1.
    let z = (rest - 1) / (rest + 1)
    let square = z * z
    let series = 1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square * (1.0 / 9 + square / 11))))
    return sum - 2 * z * series
}
