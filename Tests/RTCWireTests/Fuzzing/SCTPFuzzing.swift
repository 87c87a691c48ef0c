import RTCWire

extension WireFuzzing {
    /// A packet, whatever its checksum, and an announcement of a channel. What is read is written again and read the same.
    package static func sctp(_ input: UnsafeRawBufferPointer) {
        announcement(input)
        guard input.count >= SCTPCommonHeader.length else { return }
        // A wrong checksum would hide everything behind it.
        var bytes = Array(input)
        let sum = CRC32C.checksum(bytes.span.bytes, zeroed: SCTPCommonHeader.checksumRange)
        for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
        guard let packet = try? SCTPPacket(parsing: bytes.span.bytes) else { return }
        let encoded = packet.encoded
        guard let again = try? SCTPPacket(parsing: encoded.span.bytes) else { preconditionFailure("unreadable packet") }
        precondition(again == packet)
        for case .initiate(let chunk) in packet.chunks {
            _ = (chunk.supportsForwardTSN, chunk.supportsReconfig, chunk.stateCookie)
        }
    }

    private static func announcement(_ input: UnsafeRawBufferPointer) {
        guard let open = try? DataChannelOpen(parsing: input.bytes) else { return }
        let encoded = open.encoded
        precondition((try? DataChannelOpen(parsing: encoded.span.bytes)) == open)
    }
}
