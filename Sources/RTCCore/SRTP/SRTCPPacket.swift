import RTCWire

/// Where things stand in a sealed RTCP compound. The two families put tag and index word the other way round.
///
/// RFC 3711 section 3.4 (AES-CM), then RFC 7714 section 9.2 (AES-GCM):
/// ```
///  +----------------+---------------------+-+-------------+------------+
///  | 8 bytes header | encrypted           |E| SRTCP index | tag        |
///  +----------------+---------------------+-+-------------+------------+
///  +----------------+---------------------+------------+-+-------------+
///  | 8 bytes header | encrypted           | tag        |E| SRTCP index |
///  +----------------+---------------------+------------+-+-------------+
/// ```
enum SRTCPPacket {
    /// The part in the clear: the first header word and the sender's SSRC.
    static let headerLength = 8
    /// Set where the packet is encrypted.
    static let encryptedFlag: UInt32 = 0x8000_0000
    /// The index has 31 bits.
    static let largestIndex: UInt32 = 0x7fff_ffff

    /// Offset of the index word behind a compound of `length` bytes.
    static func wordOffset(_ profile: SRTPProfile, length: Int) -> Int {
        profile.isAEAD ? length + profile.tagLength : length
    }

    /// Offset of the tag behind a compound of `length` bytes.
    static func tagOffset(_ profile: SRTPProfile, length: Int) -> Int {
        profile.isAEAD ? length : length + 4
    }

    /// The parts of a compound of `length` bytes whose index word is `word`.
    static func parts(
        of buffer: UnsafeMutableRawBufferPointer, length: Int, profile: SRTPProfile, ssrc: UInt32, word: UInt32
    ) -> SRTPPacketParts {
        let tag = tagOffset(profile, length: length)
        return SRTPPacketParts(
            header: UnsafeRawBufferPointer(rebasing: buffer[..<headerLength]),
            body: UnsafeMutableRawBufferPointer(rebasing: buffer[headerLength..<length]),
            tag: UnsafeMutableRawBufferPointer(rebasing: buffer[tag..<(tag + profile.tagLength)]),
            ssrc: ssrc, index: UInt64(word & largestIndex), controlWord: word)
    }
}
