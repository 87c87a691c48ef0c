import RTCWire

/// Opus packets as playout sees them, RFC 6716.
extension OpusDecoder: PlayoutDecoder {
    package static func inspect(_ packet: UnsafeRawBufferPointer) -> PlayoutPacketInfo? {
        guard let payload = try? OpusPayload(parsing: packet.bytes) else { return nil }
        let hasCopy = payload.mode != .celt && hasRedundancy(packet, payload)
        return PlayoutPacketInfo(
            frameCount: payload.samples, redundantFrameCount: hasCopy ? payload.frameSamples : 0,
            isSilenceMarker: payload.isDTX)
    }

    /// Whether the first frame carries a low-bitrate copy of the frame before it (LBRR, RFC 6716 section 4.2.3): after
    /// one voice flag per 20 ms, the flag stands in the plain top bits of a SILK frame, once per channel.
    private static func hasRedundancy(_ packet: UnsafeRawBufferPointer, _ payload: OpusPayload) -> Bool {
        guard let first = firstFrameOffset(of: packet), first < packet.count else { return false }
        let voiceFlags = max(1, payload.frameSamples / 960)
        let bits = packet[first]
        if bits >> UInt8(7 - voiceFlags) & 1 != 0 { return true }
        let side = 6 - 2 * voiceFlags
        return payload.channels == 2 && side >= 0 && bits >> UInt8(side) & 1 != 0
    }

    /// Where the first frame's data begins (RFC 6716 section 3.2).
    private static func firstFrameOffset(of packet: UnsafeRawBufferPointer) -> Int? {
        switch packet[0] & 3 {
        case 0, 1: return 1
        case 2: return packet.count > 1 ? 1 + lengthSize(packet[1]) : nil
        default: return offsetBehindCount(of: packet)
        }
    }

    /// Behind the count byte stand the padding's length, and with variable bit rate all frame lengths but the last.
    private static func offsetBehindCount(of packet: UnsafeRawBufferPointer) -> Int? {
        guard packet.count > 2 else { return nil }
        var offset = 2
        if packet[1] & 0x40 != 0 {
            while offset < packet.count, packet[offset] == 255 { offset += 1 }
            offset += 1
        }
        guard packet[1] & 0x80 != 0 else { return offset }
        for _ in 1..<max(1, Int(packet[1] & 0x3f)) {
            guard offset < packet.count else { return nil }
            offset += lengthSize(packet[offset])
        }
        return offset
    }

    /// A frame length takes one byte below 252 and two from there on.
    private static func lengthSize(_ first: UInt8) -> Int { first < 252 ? 1 : 2 }
}
