// Writing into growing arrays, in network byte order. Data channels carry messages, not media: their packets are built
// some hundred times a second, so an array for each is cheap enough.

extension [UInt8] {
    mutating func append16(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    mutating func append32(_ value: UInt32) {
        append16(UInt16(truncatingIfNeeded: value >> 16))
        append16(UInt16(truncatingIfNeeded: value))
    }

    /// Zeros up to a multiple of four, counted from the array's beginning.
    mutating func padToWord() { while count & 3 != 0 { append(0) } }
}

extension RawSpan {
    /// A copy of some of the bytes. The caller has checked that they exist.
    func array(_ range: Range<Int>) -> [UInt8] {
        guard !range.isEmpty else { return [] }
        return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            extracting(range).withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            count = range.count
        }
    }
}
