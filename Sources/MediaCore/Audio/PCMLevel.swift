import Glibc

/// Loudness of 16-bit PCM.
package enum PCMLevel {
    /// Root mean square relative to the full scale, 0...1; 0 for no samples.
    package static func rms(_ samples: UnsafeBufferPointer<Int16>) -> Double {
        guard !samples.isEmpty else { return 0 }
        return (Double(sumOfSquares(samples)) / Double(samples.count)).squareRoot() / 32_768
    }

    /// Root mean square of an array.
    package static func rms(_ samples: [Int16]) -> Double { samples.withUnsafeBufferPointer { rms($0) } }

    /// The level as RFC 6464 section 3 writes it: -dBov, 0 (loudest) ... 127 (silence).
    package static func level(_ samples: UnsafeBufferPointer<Int16>) -> UInt8 { level(rms: rms(samples)) }

    /// The RFC 6464 level of a root mean square of 0...1.
    package static func level(rms: Double) -> UInt8 {
        guard rms > 0 else { return 127 }
        return UInt8(min(max((-20 * log10(rms)).rounded(), 0), 127))
    }

    /// Exact for up to 2^33 samples.
    package static func sumOfSquares(_ samples: UnsafeBufferPointer<Int16>) -> Int64 {
        var sum: Int64 = 0
        for sample in samples { sum &+= Int64(Int32(sample) &* Int32(sample)) }
        return sum
    }
}
