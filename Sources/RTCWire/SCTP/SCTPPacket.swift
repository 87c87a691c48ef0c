/// An SCTP packet: the common header and chunks, RFC 9260 section 3.
package struct SCTPPacket: Hashable, Sendable {
    package var header: SCTPCommonHeader
    package var chunks: [SCTPChunk]

    package init(header: SCTPCommonHeader, chunks: [SCTPChunk]) {
        self.header = header
        self.chunks = chunks
    }

    /// Reads a whole packet. Throws `.invalidValue` for a wrong checksum, and for chunks that are no chunks: nothing of a
    /// packet is used where its structure is broken.
    package init(parsing bytes: RawSpan) throws(WireError) {
        header = try SCTPCommonHeader(parsing: bytes)
        let sum = CRC32C.checksum(bytes, zeroed: SCTPCommonHeader.checksumRange)
        guard bytes.uint32(8).byteSwapped == sum else { throw .invalidValue }
        chunks = []
        var offset = SCTPCommonHeader.length
        while offset < bytes.byteCount {
            let chunk = try SCTPChunkHeader(parsing: bytes, at: offset)
            chunks.append(try SCTPChunk(parsing: bytes, chunk, at: offset))
            // The last chunk's padding may be missing.
            offset += (chunk.length + 3) & ~3
        }
    }

    /// The packet as it goes out, checksum included.
    package var encoded: [UInt8] {
        var writer = SCTPPacketWriter(header: header, limit: .max)
        for chunk in chunks { writer.add(chunk) }
        return writer.finish()
    }
}

/// Fills one packet with chunks.
package struct SCTPPacketWriter {
    private var bytes: [UInt8] = []
    private let limit: Int

    /// - Parameter limit: most bytes that the packet may have.
    package init(header: SCTPCommonHeader, limit: Int) {
        self.limit = limit
        bytes.reserveCapacity(min(limit, 1280))
        header.append(to: &bytes)
    }

    package var isEmpty: Bool { bytes.count == SCTPCommonHeader.length }

    /// Bytes of a chunk, its header included and padding not, for which there is room.
    package var room: Int { (limit - bytes.count) & ~3 }

    /// Appends a chunk, padded. The caller has looked at `room`.
    package mutating func add(_ chunk: SCTPChunk) {
        let start = bytes.count
        chunk.append(to: &bytes)
        SCTPChunkHeader.setLength(of: start, in: &bytes)
        bytes.padToWord()
    }

    /// The packet with its checksum; the writer is used up.
    package consuming func finish() -> [UInt8] {
        let sum = CRC32C.checksum(bytes.span.bytes)
        for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
        return bytes
    }
}
