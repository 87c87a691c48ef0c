import RTCWire

extension WireFuzzing {
    /// A message, its checks, and an answer to it.
    package static func stun(_ input: UnsafeRawBufferPointer) {
        let bytes = input.bytes
        turn(bytes)
        guard let message = try? STUNMessage(parsing: bytes) else { return }
        _ = message.usernameText(in: bytes)
        _ = message.hasValidFingerprint(in: bytes)
        for type in 0...0x30 as ClosedRange<UInt16> {
            _ = message.range(of: STUNAttribute(rawValue: type), in: bytes)
            _ = message.range(of: STUNAttribute(rawValue: 0x8000 | type), in: bytes)
        }
        _ = (message.lifetime(in: bytes), message.channelNumber(in: bytes), message.requestedTransport(in: bytes))
        _ = (message.relayedAddress(in: bytes), message.peerAddress(in: bytes), message.alternateServer(in: bytes))
        _ = (message.text(.realm, in: bytes), message.text(.nonce, in: bytes))
        var checked = 0
        _ = message.hasValidIntegrity(in: bytes) { input, output in
            checked = input.count
            precondition(output.count == STUNMessage.integrityLength)
        }
        precondition(checked == message.integrityOffset ?? 0)
        answer(message)
    }

    /// The same bytes as ChannelData, and as the beginning of a stream.
    private static func turn(_ bytes: RawSpan) {
        let framed = try? TURNFraming.length(bytes)
        guard let message = try? ChannelData(parsing: bytes) else { return }
        precondition(
            message.payload.lowerBound == ChannelData.headerLength && message.payload.upperBound <= bytes.byteCount)
        guard let framed = framed ?? nil else { preconditionFailure("ChannelData is no message of a stream") }
        precondition(framed >= message.payload.upperBound && framed < message.payload.upperBound + 4)
        precondition(ChannelData.header(number: message.number, length: message.payload.count) == bytes.uint32(0))
    }

    private static func answer(_ message: STUNMessage) {
        let copy = written(512) { buffer in
            var builder = STUNMessageBuilder(.error, message.method, message.transactionID, into: buffer)
            builder.addErrorCode(message.errorCode ?? 420, reason: "Unknown Attribute")
            builder.addUnknownAttributes(of: message)
            if let address = message.mappedAddress { builder.addXOR(.xorMappedAddress, address) }
            builder.addIntegrity { _, output in output.initializeMemory(as: UInt8.self, repeating: 7) }
            builder.addFingerprint()
            return builder.finish()
        }
        copy.withUnsafeBytes { copy in
            guard let again = try? STUNMessage(parsing: copy.bytes) else { preconditionFailure("unreadable answer") }
            precondition(again.hasValidFingerprint(in: copy.bytes) && again.transactionID == message.transactionID)
            precondition(again.method == message.method && again.mappedAddress == message.mappedAddress)
            precondition(again.errorCode == message.errorCode ?? 420)
        }
    }
}
