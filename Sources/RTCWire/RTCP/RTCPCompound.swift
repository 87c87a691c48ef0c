/// An RTCP datagram: one or more packets, RFC 3550 section 6.1, or a reduced-size one, RFC 5506.
///
/// Framing errors make the whole datagram invalid. A packet whose frame holds but whose content doesn't is counted and
/// skipped; one of an unknown type appears as `.unknown`.
package struct RTCPCompound: Hashable, Sendable {
    /// In order of their appearance.
    package private(set) var packets: [RTCPPacket] = []
    /// Packets that were framed rightly and malformed inside.
    package private(set) var malformed = 0

    /// Reads a whole decrypted datagram.
    ///
    /// - Throws: `truncated`, `invalidVersion` or `invalidPadding` where the chain of packets doesn't hold together.
    package init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= RTCPHeader.length else { throw .truncated }
        var offset = 0
        while offset < bytes.byteCount {
            let header = try RTCPHeader(parsing: bytes, at: offset)
            let end = offset + header.packetLength - header.paddingLength
            do throws(WireError) {
                packets.append(try RTCPPacket(parsing: bytes.extracting(offset..<end), header))
            } catch {
                malformed += 1
            }
            offset += header.packetLength
        }
    }

    /// Writes `packets` behind one another and gives the length; 0 where they don't all fit.
    package static func write(_ packets: [RTCPPacket], into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var offset = 0
        for packet in packets {
            let length = packet.write(into: buffer.suffix(from: offset))
            guard length != 0 else { return 0 }
            offset += length
        }
        return offset
    }
}
