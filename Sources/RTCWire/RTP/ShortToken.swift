/// A token of 1 to 16 bytes kept inline: a media identification (RFC 8843) or an RTP stream id (RFC 8852).
public struct ShortToken: Hashable, Sendable, CustomStringConvertible {
    /// The longest token, in bytes: what one element of the one-byte extension form holds.
    package static let capacity = 16

    /// The bytes from the most significant end on, the rest zero.
    @usableFromInline var high: UInt64 = 0
    @usableFromInline var low: UInt64 = 0
    @usableFromInline let length: UInt8
    /// Length in bytes, 1...16.
    package var count: Int { Int(length) }

    /// `nil` where the UTF-8 of `string` is empty or longer than 16 bytes.
    package init?(_ string: String) {
        let utf8 = string.utf8
        guard (1...ShortToken.capacity).contains(utf8.count) else { return nil }
        length = UInt8(utf8.count)
        var index = 0
        for byte in utf8 {
            put(byte, at: index)
            index += 1
        }
    }

    /// `nil` where `bytes` are none or more than 16.
    package init?(_ bytes: RawSpan) {
        guard (1...ShortToken.capacity).contains(bytes.byteCount) else { return nil }
        length = UInt8(bytes.byteCount)
        for index in 0..<bytes.byteCount { put(bytes.byte(index), at: index) }
    }

    /// Whether both have the same bytes.
    @inlinable public static func == (a: ShortToken, b: ShortToken) -> Bool {
        a.high == b.high && a.low == b.low && a.length == b.length
    }

    /// The token as text; bytes that are not UTF-8 appear as replacement characters.
    public var description: String {
        String(unsafeUninitializedCapacity: ShortToken.capacity) { target in
            for index in 0..<count { target[index] = self[index] }
            return count
        }
    }

    /// The byte at `index`; zero behind the end.
    package subscript(index: Int) -> UInt8 {
        index < 8
            ? UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
            : UInt8(truncatingIfNeeded: low >> UInt64(120 - 8 * index))
    }

    /// Writes the bytes at `offset`; the caller has checked that `count` bytes fit.
    func write(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        for index in 0..<count { buffer[offset + index] = self[index] }
    }

    private mutating func put(_ byte: UInt8, at index: Int) {
        if index < 8 {
            high |= UInt64(byte) << UInt64(56 - 8 * index)
        } else {
            low |= UInt64(byte) << UInt64(120 - 8 * index)
        }
    }
}
