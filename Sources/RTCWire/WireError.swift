/// Why bytes are not the wire unit they were taken for.
///
/// Small and trivial, so that throwing one costs a few nanoseconds: a bad datagram is counted and dropped, never
/// reported upward.
package enum WireError: UInt8, Error, Hashable, Sendable, CaseIterable {
    /// Fewer bytes than the unit's fixed part or than its own length field needs.
    case truncated
    /// A length field that contradicts the bytes around it.
    case invalidLength
    /// A version field, magic cookie or fixed bit pattern of something else.
    case invalidVersion
    /// A field with a value its specification forbids.
    case invalidValue
    /// A padding count of zero, or larger than the space it stands in.
    case invalidPadding
    /// The unit is well formed but of a type the caller didn't ask for.
    case unexpectedType
}
