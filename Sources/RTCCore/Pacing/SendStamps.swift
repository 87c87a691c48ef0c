import RTCWire

/// The extensions that say when a packet leaves and which one it is of all, written over those that it was made with.
enum SendStamps {
    /// - Parameters:
    ///   - packet: an RTP packet, not sealed, whose payload begins at `payloadOffset`.
    ///   - sendTime: 24 bits (abs-send-time); nil leaves what is there.
    ///   - number: of the transport-wide sequence; nil leaves what is there.
    static func write(
        sendTime: UInt32?, number: UInt16?, map: RTPExtensionMap, in packet: UnsafeMutableRawBufferPointer,
        payloadOffset: Int
    ) {
        guard packet.count >= 12, packet[0] & 0x10 != 0 else { return }
        var offset = 12 + 4 * Int(packet[0] & 0x0f) + 4
        let end = min(payloadOffset, packet.count)
        guard offset <= end else { return }
        let isOneByte = packet[offset - 4] == 0xbe && packet[offset - 3] == 0xde
        let timeID = map.id(for: .absSendTime)
        let numberID = map.id(for: .transportSequenceNumber)
        while offset < end {
            guard packet[offset] != 0 else {
                offset += 1
                continue
            }
            let id = isOneByte ? packet[offset] >> 4 : packet[offset]
            guard isOneByte || offset + 1 < end else { return }
            let length = isOneByte ? Int(packet[offset] & 0x0f) + 1 : Int(packet[offset + 1])
            let data = offset + (isOneByte ? 1 : 2)
            guard data + length <= end else { return }
            if id == timeID, length == 3, let sendTime {
                packet[data] = UInt8(truncatingIfNeeded: sendTime >> 16)
                packet[data + 1] = UInt8(truncatingIfNeeded: sendTime >> 8)
                packet[data + 2] = UInt8(truncatingIfNeeded: sendTime)
            } else if id == numberID, length == 2, let number {
                packet[data] = UInt8(number >> 8)
                packet[data + 1] = UInt8(truncatingIfNeeded: number)
            }
            offset = data + length
        }
    }
}
