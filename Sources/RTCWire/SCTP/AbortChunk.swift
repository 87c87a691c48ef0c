/// ABORT, RFC 9260 section 3.3.7.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   Type = 6    |  Reserved   |T|            Length             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                   zero or more Error Causes                   \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct AbortChunk: Hashable, Sendable {
    /// T: the packet carries the receiver's peer's tag, because the sender had none for it.
    package var hasReflectedTag: Bool
    package var causes: [SCTPErrorCause]

    package init(hasReflectedTag: Bool = false, causes: [SCTPErrorCause]) {
        self.hasReflectedTag = hasReflectedTag
        self.causes = causes
    }

    init(parsing bytes: RawSpan, flags: UInt8) throws(WireError) {
        hasReflectedTag = flags & 1 != 0
        causes = try SCTPErrorCause.list(bytes, from: SCTPChunkHeader.length)
    }

    func append(to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: SCTPChunk.Kind.abort, flags: hasReflectedTag ? 1 : 0, to: &bytes)
        SCTPErrorCause.append(causes, to: &bytes)
    }
}
