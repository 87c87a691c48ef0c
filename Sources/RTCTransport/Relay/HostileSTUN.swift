import RTCWire

/// STUN messages that almost hold: built from real ones, with a right FINGERPRINT, so that they get past the first look.
enum HostileSTUN {
    /// Longest message that is built.
    private static let capacity = 1500

    /// The same attributes and another MESSAGE-INTEGRITY; a request gets another transaction too. Nil for what is no
    /// message with MESSAGE-INTEGRITY.
    static func wrongIntegrity(_ sample: [UInt8], _ random: inout SeededChoice) -> [UInt8]? {
        guard let message = parse(sample), message.integrityOffset != nil else { return nil }
        let wrong = random.bytes(STUNMessage.integrityLength)
        let fresh = STUNTransactionID(high: UInt32(truncatingIfNeeded: random.word()), low: random.word())
        let transaction = message.messageClass == .request ? fresh : message.transactionID
        return rebuild(message, sample, transaction, integrity: wrong)
    }

    /// The same message under a FINGERPRINT that fits its changed bytes; nil where it can't be read as a message.
    static func refingerprinted(_ mutated: [UInt8]) -> [UInt8]? {
        guard let message = parse(mutated) else { return nil }
        var integrity: [UInt8]?
        if let offset = message.integrityOffset {
            integrity = Array(mutated[(offset + 4)..<(offset + 4 + STUNMessage.integrityLength)])
        }
        return rebuild(message, mutated, message.transactionID, integrity: integrity)
    }

    /// An answer to a binding request by somebody who has no password: an error, or a success that maps the asker to
    /// another address. Nil for what is no request.
    static func forgedResponse(to request: [UInt8], _ random: inout SeededChoice) -> [UInt8]? {
        guard let message = parse(request), message.messageClass == .request else { return nil }
        let codes: [UInt16] = [400, 401, 420, 487, 500]
        let choice = random.below(codes.count + 1)
        let isError = choice < codes.count
        let wrong = random.isOne(in: 2) ? random.bytes(STUNMessage.integrityLength) : nil
        let mapped = TransportAddress(
            ipv4: UInt32(truncatingIfNeeded: random.word()), port: UInt16(truncatingIfNeeded: random.word()))
        return build(isError ? .error : .success, message.transactionID, integrity: wrong) { builder in
            if isError {
                builder.addErrorCode(codes[choice], reason: "no")
            } else {
                builder.addXOR(.xorMappedAddress, mapped)
            }
        }
    }

    /// Whether a datagram is a STUN request.
    static func isRequest(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= STUNMessage.headerLength && bytes[0] == 0 && bytes[1] == 1
    }

    private static func parse(_ bytes: [UInt8]) -> STUNMessage? {
        bytes.withUnsafeBytes { try? STUNMessage(parsing: $0.bytes) }
    }

    private static func rebuild(
        _ message: STUNMessage, _ bytes: [UInt8], _ transaction: STUNTransactionID, integrity: [UInt8]?
    ) -> [UInt8]? {
        let end = message.integrityOffset ?? message.fingerprintOffset ?? bytes.count
        return build(message.messageClass, transaction, integrity: integrity) { builder in
            var offset = STUNMessage.headerLength
            while offset + 4 <= end {
                let type = UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
                let count = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
                guard offset + 4 + count <= end else { return }
                bytes[(offset + 4)..<(offset + 4 + count)].withUnsafeBytes {
                    builder.add(STUNAttribute(rawValue: type), $0)
                }
                offset += 4 + (count + 3) & ~3
            }
        }
    }

    private static func build(
        _ messageClass: STUNClass, _ transaction: STUNTransactionID, integrity: [UInt8]?,
        _ attributes: (inout STUNMessageBuilder) -> Void
    ) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: capacity)
        let length = result.withUnsafeMutableBytes { buffer in
            var builder = STUNMessageBuilder(messageClass, .binding, transaction, into: buffer)
            attributes(&builder)
            integrity?.withUnsafeBytes { builder.add(.messageIntegrity, $0) }
            builder.addFingerprint()
            return builder.finish()
        }
        return length > 0 ? Array(result[..<length]) : nil
    }
}
