/// ERROR, RFC 9260 section 3.3.10.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   Type = 9    |  Chunk Flags  |            Length             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                    one or more Error Causes                   \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct ErrorChunk: Hashable, Sendable {
    package var causes: [SCTPErrorCause]

    package init(causes: [SCTPErrorCause]) { self.causes = causes }

    init(parsing bytes: RawSpan) throws(WireError) {
        causes = try SCTPErrorCause.list(bytes, from: SCTPChunkHeader.length)
    }

    func append(to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: SCTPChunk.Kind.error, to: &bytes)
        SCTPErrorCause.append(causes, to: &bytes)
    }
}
