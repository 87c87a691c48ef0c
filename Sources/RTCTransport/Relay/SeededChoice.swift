import RTCSim

/// Reproducible choices of small numbers and bytes.
struct SeededChoice {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Uniform in 0..<limit; 0 where `limit` is below 2.
    mutating func below(_ limit: Int) -> Int { limit > 1 ? Int(generator.next() % UInt64(limit)) : 0 }

    mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

    mutating func word() -> UInt64 { generator.next() }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count {
            let word = generator.next()
            for shift in 0..<min(8, count - result.count) {
                result.append(UInt8(truncatingIfNeeded: word >> UInt64(shift * 8)))
            }
        }
        return result
    }
}
