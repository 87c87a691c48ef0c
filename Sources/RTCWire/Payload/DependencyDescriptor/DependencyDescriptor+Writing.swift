// Rewriting for one subscriber: another frame number, and the decode targets that are still sent.

extension DependencyDescriptor {
    /// Writes a copy of `bytes`, which this was read from, with another frame number and gives its length.
    ///
    /// - Parameter activeTargets: a bit mask to say in place of the original's; nil keeps what is there. `decodeTargets` is
    ///   how many the stream's structure has.
    /// - Returns: 0, having written nothing of use, where `buffer` is too small.
    package func write(
        copyOf bytes: RawSpan, frameNumber: UInt16, activeTargets newTargets: UInt32? = nil, decodeTargets: Int = 0,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard buffer.count >= bytes.byteCount + 5, bytes.byteCount >= 3 else { return 0 }
        for index in 0..<bytes.byteCount { buffer[index] = bytes.byte(index) }
        buffer.store(frameNumber, at: 1)
        guard let newTargets, (1...32).contains(decodeTargets) else { return bytes.byteCount }
        var writer = BitWriter(buffer, at: 24)
        writer.put(structureBits == nil ? 0 : 1, count: 1)
        writer.put(1, count: 1)
        writer.put(UInt32(customFlags), count: 3)
        if let structureBits { writer.copy(structureBits, of: bytes) }
        writer.put(newTargets, count: decodeTargets)
        writer.copy(customBits, of: bytes)
        return writer.finish()
    }
}

/// Writes numbers of any width from the most significant bit on. The caller has checked that there is room.
private struct BitWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private var position: Int

    init(_ buffer: UnsafeMutableRawBufferPointer, at position: Int) {
        self.buffer = buffer
        self.position = position
    }

    mutating func put(_ value: UInt32, count: Int) {
        for shift in stride(from: count - 1, through: 0, by: -1) {
            let mask = UInt8(0x80) >> UInt8(position & 7)
            let byte = position >> 3
            guard byte < buffer.count else { return }
            buffer[byte] = value >> UInt32(shift) & 1 != 0 ? buffer[byte] | mask : buffer[byte] & ~mask
            position += 1
        }
    }

    mutating func copy(_ bits: Range<Int>, of bytes: RawSpan) {
        for bit in bits { put(UInt32(bytes.byte(bit >> 3) >> UInt8(7 - bit & 7) & 1), count: 1) }
    }

    /// Fills the last byte with zeros and gives the length in bytes.
    mutating func finish() -> Int {
        while position & 7 != 0 { put(0, count: 1) }
        return position >> 3
    }
}
