// Network byte order. All multi-byte loads and stores of the room stand here. The loads are bounds-checked by
// `RawSpan` itself: a caller that forgot to check a length would trap, not read foreign memory.

extension RawSpan {
    /// The byte at `offset`. The caller has checked that it exists.
    @inline(__always)
    package func byte(_ offset: Int) -> UInt8 {
        unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// The big-endian 16-bit number at `offset`.
    @inline(__always)
    package func uint16(_ offset: Int) -> UInt16 {
        UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The big-endian 24-bit number at `offset`.
    @inline(__always)
    package func uint24(_ offset: Int) -> UInt32 {
        UInt32(uint16(offset)) << 8 | UInt32(byte(offset + 2))
    }

    /// The big-endian 32-bit number at `offset`.
    @inline(__always)
    package func uint32(_ offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The big-endian 64-bit number at `offset`.
    @inline(__always)
    package func uint64(_ offset: Int) -> UInt64 {
        UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Stores a byte. The caller has checked that there is room.
    @inline(__always)
    package func store(_ value: UInt8, at offset: Int) { self[offset] = value }

    /// Stores a 16-bit number in network order.
    @inline(__always)
    package func store(_ value: UInt16, at offset: Int) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Stores the low 24 bits of a number in network order.
    @inline(__always)
    package func store24(_ value: UInt32, at offset: Int) {
        store(UInt16(truncatingIfNeeded: value >> 8), at: offset)
        self[offset + 2] = UInt8(truncatingIfNeeded: value)
    }

    /// Stores a 32-bit number in network order.
    @inline(__always)
    package func store(_ value: UInt32, at offset: Int) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Stores a 64-bit number in network order.
    @inline(__always)
    package func store(_ value: UInt64, at offset: Int) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// The part from `offset` on; empty where `offset` lies behind the end.
    @inline(__always)
    package func suffix(from offset: Int) -> UnsafeMutableRawBufferPointer {
        offset < count
            ? UnsafeMutableRawBufferPointer(rebasing: self[offset...])
            : UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }
}
