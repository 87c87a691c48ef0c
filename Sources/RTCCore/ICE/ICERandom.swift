import RTCWire

/// The agent's draws: from the system's generator, or repeatable from a seed.
struct ICERandom {
    private enum Source {
        case system
        /// SplitMix64's counter.
        case seeded(UInt64)
    }

    private var source: Source

    init(seed: UInt64?) {
        source = seed.map { .seeded($0) } ?? .system
    }

    mutating func next() -> UInt64 {
        switch source {
        case .system:
            return SecureRandom().next()
        case .seeded(let state):
            let counter = state &+ 0x9e37_79b9_7f4a_7c15
            source = .seeded(counter)
            var z = counter
            z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
            return z ^ z >> 31
        }
    }

    mutating func transactionID() -> STUNTransactionID {
        STUNTransactionID(high: UInt32(truncatingIfNeeded: next()), low: next())
    }

    /// `mean` times a factor drawn evenly from 0.8 to 1.2.
    mutating func spread(_ mean: Interval) -> Interval {
        mean * (0.8 + 0.4 * Double(next() >> 11) / Double(1 << 53))
    }

    /// `count` ice-chars of six bits each.
    mutating func text(count: Int) -> String {
        var bytes: [UInt8] = []
        var bits: UInt64 = 0
        for index in 0..<count {
            if index % 10 == 0 { bits = next() }
            bytes.append(ICERandom.alphabet[Int(bits & 63)])
            bits >>= 6
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
