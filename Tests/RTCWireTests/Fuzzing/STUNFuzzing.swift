import RTCWire

extension WireFuzzing {
    /// A message, its checks, and an answer to it.
    package static func stun(_ input: UnsafeRawBufferPointer) {
        let bytes = input.bytes
        guard let message = try? STUNMessage(parsing: bytes) else { return }
        _ = message.usernameText(in: bytes)
        _ = message.hasValidFingerprint(in: bytes)
        for type in 0...0x30 as ClosedRange<UInt16> {
            _ = message.range(of: STUNAttribute(rawValue: type), in: bytes)
            _ = message.range(of: STUNAttribute(rawValue: 0x8000 | type), in: bytes)
        }
        var checked = 0
        _ = message.hasValidIntegrity(in: bytes) { input, output in
            checked = input.count
            precondition(output.count == STUNMessage.integrityLength)
        }
        precondition(checked == message.integrityOffset ?? 0)
        answer(message)
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
