extension Int64 {
    /// The unwrapped number of a TSN or request sequence number that stands within half a circle of `reference`
    /// (RFC 9260 section 1.6).
    @inline(__always)
    init(unwrapping wire: UInt32, near reference: Int64) {
        self = reference &+ Int64(Int32(bitPattern: wire &- UInt32(truncatingIfNeeded: reference)))
    }

    /// The same for a stream sequence number.
    @inline(__always)
    init(unwrapping wire: UInt16, near reference: Int64) {
        self = reference &+ Int64(Int16(bitPattern: wire &- UInt16(truncatingIfNeeded: reference)))
    }

    /// As it stands on the wire.
    var serial32: UInt32 { UInt32(truncatingIfNeeded: self) }
    var serial16: UInt16 { UInt16(truncatingIfNeeded: self) }
}
