/// COOKIE ECHO, RFC 9260 section 3.3.11. COOKIE ACK (3.3.12) has a head only.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   Type = 10   |  Chunk Flags  |            Length             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                            Cookie                             \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct CookieEchoChunk: Hashable, Sendable {
    package var cookie: [UInt8]

    package init(cookie: [UInt8]) { self.cookie = cookie }

    init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount > SCTPChunkHeader.length else { throw .truncated }
        cookie = bytes.array(SCTPChunkHeader.length..<bytes.byteCount)
    }

    func append(to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: SCTPChunk.Kind.cookieEcho, to: &bytes)
        bytes += cookie
    }
}
