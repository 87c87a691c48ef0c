import CCrypto

/// Random numbers fit for keys, passwords and identifiers: libcrypto's generator, seeded from the kernel.
package struct SecureRandom: RandomNumberGenerator, Sendable {
    package init() {}

    /// A random 64-bit number.
    package func next() -> UInt64 {
        var value: UInt64 = 0
        withUnsafeMutableBytes(of: &value) { SecureRandom.fill($0) }
        return value
    }

    /// Fills a buffer with random bytes.
    package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        if RAND_bytes(start, Int32(truncatingIfNeeded: buffer.count)) == 1 { return }
        // Only a libcrypto without entropy gets here; the kernel's own generator is as good.
        ERR_clear_error()
        var system = SystemRandomNumberGenerator()
        for index in buffer.indices { buffer[index] = UInt8.random(in: .min ... .max, using: &system) }
    }

    /// `count` random bytes.
    package static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(buffer))
            initialized = count
        }
    }
}
