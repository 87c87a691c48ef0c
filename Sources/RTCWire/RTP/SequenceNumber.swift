extension UInt16 {
    /// Whether this sequence number stands ahead of `other` on the circle (RFC 3550 appendix A.1): by 1 to 32,767.
    ///
    /// At the exact opposite point (a difference of 32,768) the larger number counts as newer, so that of two
    /// different numbers exactly one is newer than the other.
    @inlinable
    public func isNewer(than other: UInt16) -> Bool {
        let difference = self &- other
        return difference == 0x8000 ? self > other : difference != 0 && difference < 0x8000
    }

    /// Signed distance from `other` to this number, -32,768...32,767: positive where this one is ahead.
    @inlinable
    public func distance(after other: UInt16) -> Int { Int(Int16(bitPattern: self &- other)) }
}

extension UInt32 {
    /// Whether this RTP timestamp stands ahead of `other` on the circle.
    @inlinable
    public func isNewer(than other: UInt32) -> Bool {
        let difference = self &- other
        return difference == 0x8000_0000 ? self > other : difference != 0 && difference < 0x8000_0000
    }

    /// Signed distance from `other` to this RTP timestamp in ticks.
    @inlinable
    public func distance(after other: UInt32) -> Int { Int(Int32(bitPattern: self &- other)) }
}

/// Turns 16-bit sequence numbers into 64-bit ones that never wrap.
///
/// Each number is placed within half a circle of the highest seen so far; the first one stands for itself, so an
/// unwrapped number modulo 65,536 is always the wire number (negative ones occur when packets older than the first
/// arrive after a wrap).
package struct SequenceUnwrapper: Hashable, Sendable {
    /// The highest unwrapped number so far, `nil` before the first.
    package private(set) var highest: Int64?

    package init() {}

    /// Continues from a known highest number.
    package init(highest: Int64) { self.highest = highest }

    /// The unwrapped number, without advancing.
    package func peek(_ sequence: UInt16) -> Int64 {
        guard let highest else { return Int64(sequence) }
        let step = Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: highest))
        return highest &+ Int64(step)
    }

    /// The unwrapped number; moves the highest on when this one is ahead of it.
    package mutating func unwrap(_ sequence: UInt16) -> Int64 {
        let unwrapped = peek(sequence)
        if let highest, unwrapped <= highest { return unwrapped }
        highest = unwrapped
        return unwrapped
    }
}

/// Turns 32-bit RTP timestamps into 64-bit ones that never wrap, as `SequenceUnwrapper` does for sequence numbers.
package struct TimestampUnwrapper: Hashable, Sendable {
    /// The highest unwrapped timestamp so far, `nil` before the first.
    package private(set) var highest: Int64?

    package init() {}

    /// The unwrapped timestamp, without advancing.
    package func peek(_ timestamp: UInt32) -> Int64 {
        guard let highest else { return Int64(timestamp) }
        let step = Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: highest))
        return highest &+ Int64(step)
    }

    /// The unwrapped timestamp; moves the highest on when this one is ahead of it.
    package mutating func unwrap(_ timestamp: UInt32) -> Int64 {
        let unwrapped = peek(timestamp)
        if let highest, unwrapped <= highest { return unwrapped }
        highest = unwrapped
        return unwrapped
    }
}
