/// SHUTDOWN COMPLETE, RFC 9260 section 3.3.13.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   Type = 14   |  Reserved   |T|          Length = 4           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct ShutdownCompleteChunk: Hashable, Sendable {
    /// T: the packet carries the tag that the sender's peer uses, because the association is gone.
    package var hasReflectedTag: Bool

    package init(hasReflectedTag: Bool = false) { self.hasReflectedTag = hasReflectedTag }

    init(flags: UInt8) { hasReflectedTag = flags & 1 != 0 }

    func append(to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(
            type: SCTPChunk.Kind.shutdownComplete, flags: hasReflectedTag ? 1 : 0, to: &bytes)
    }
}
