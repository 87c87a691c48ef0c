import Glibc

/// A radix-2 fast Fourier transform of fixed length, in place, with its tables computed once.
package struct FourierTransform: Sendable {
    /// Points, a power of two.
    package let size: Int
    private let cosines: [Float]
    private let sines: [Float]
    private let reversed: [Int32]

    /// - Parameter size: rounded up to a power of two, 2...65,536.
    package init(size: Int) {
        var points = 2
        while points < min(size, 65_536) { points *= 2 }
        self.size = points
        let count = points
        cosines = (0..<count / 2).map { Float(cos(2 * Double.pi * Double($0) / Double(count))) }
        sines = (0..<count / 2).map { Float(-sin(2 * Double.pi * Double($0) / Double(count))) }
        let shift = Int32.bitWidth - count.trailingZeroBitCount
        reversed = (0..<count).map { Int32(bitPattern: Self.reverse(UInt32($0)) >> UInt32(shift)) }
    }

    /// Transforms `real + i * imaginary`; both hold ``size`` values.
    package func transform(_ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>) {
        reorder(real, imaginary)
        var half = 1
        while half < size {
            butterflies(real, imaginary, half: half)
            half *= 2
        }
    }

    private func reorder(_ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>) {
        reversed.withUnsafeBufferPointer { reversed in
            for index in 0..<size {
                let other = Int(reversed[index])
                guard other > index else { continue }
                swap(&real[index], &real[other])
                swap(&imaginary[index], &imaginary[other])
            }
        }
    }

    private func butterflies(
        _ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>, half: Int
    ) {
        let step = size / (2 * half)
        cosines.withUnsafeBufferPointer { cosines in
            sines.withUnsafeBufferPointer { sines in
                for start in stride(from: 0, to: size, by: 2 * half) {
                    for offset in 0..<half {
                        let low = start &+ offset
                        let high = low &+ half
                        let c = cosines[offset &* step]
                        let s = sines[offset &* step]
                        let re = real[high] * c - imaginary[high] * s
                        let im = real[high] * s + imaginary[high] * c
                        real[high] = real[low] - re
                        imaginary[high] = imaginary[low] - im
                        real[low] += re
                        imaginary[low] += im
                    }
                }
            }
        }
    }

    private static func reverse(_ value: UInt32) -> UInt32 {
        var result: UInt32 = 0
        for bit in 0..<32 where value & (1 << UInt32(bit)) != 0 { result |= 1 << UInt32(31 - bit) }
        return result
    }
}
