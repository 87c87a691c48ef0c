/// A parsed STUN message, RFC 8489 section 5, with the attributes of ICE (RFC 8445 section 16.1).
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |0 0|     STUN Message Type     |         Message Length        |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                         Magic Cookie  0x2112A442              |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                     Transaction ID (96 bits)                  |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
/// The value holds no bytes: ranges point into the datagram it was parsed from, which the methods are given again.
/// Nothing in it may be believed before `hasValidIntegrity` holds.
package struct STUNMessage: Hashable, Sendable {
    package static let headerLength = 20
    package static let magicCookie: UInt32 = 0x2112_A442

    package let messageClass: STUNClass
    package let method: STUNMethod
    package let transactionID: STUNTransactionID
    /// Length of the whole message in bytes, header included.
    package let length: Int

    /// USERNAME: where its UTF-8 stands, at most 508 bytes.
    package private(set) var username: Range<Int>?
    package private(set) var priority: UInt32?
    package private(set) var useCandidate = false
    /// The tie-breaker of ICE-CONTROLLING.
    package private(set) var iceControlling: UInt64?
    /// The tie-breaker of ICE-CONTROLLED.
    package private(set) var iceControlled: UInt64?
    /// XOR-MAPPED-ADDRESS, or MAPPED-ADDRESS where only that is there.
    package private(set) var mappedAddress: TransportAddress?
    /// ERROR-CODE, 300...699.
    package private(set) var errorCode: UInt16?
    /// The first types below 0x8000 that are not understood here, at most eight; a request with any is answered 420.
    package private(set) var unknownRequired = SIMD8<UInt16>(repeating: 0)
    package private(set) var unknownRequiredCount = 0
    /// Offset of the MESSAGE-INTEGRITY attribute, `nil` where there is none.
    package private(set) var integrityOffset: Int?
    /// Offset of the FINGERPRINT attribute, `nil` where there is none.
    package private(set) var fingerprintOffset: Int?

    /// Parses a whole datagram.
    ///
    /// - Throws: `truncated`, `invalidVersion` (top bits or cookie), `invalidLength` (not the datagram's, or an attribute
    ///   that reaches behind the message), `invalidValue` (an attribute's value is malformed).
    package init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= STUNMessage.headerLength else { throw .truncated }
        let type = bytes.uint16(0)
        guard type & 0xc000 == 0, bytes.uint32(4) == STUNMessage.magicCookie else { throw .invalidVersion }
        let body = Int(bytes.uint16(2))
        guard body % 4 == 0, body + STUNMessage.headerLength == bytes.byteCount else { throw .invalidLength }
        length = bytes.byteCount
        let bits = UInt8(truncatingIfNeeded: type >> 7 & 2 | type >> 4 & 1)
        messageClass = STUNClass(rawValue: bits) ?? .request
        method = STUNMethod(rawValue: type & 0x000f | type >> 1 & 0x0070 | type >> 2 & 0x0f80)
        transactionID = STUNTransactionID(high: bytes.uint32(8), low: bytes.uint64(12))
        try readAttributes(bytes)
    }

    /// Where the value of the first attribute of `type` stands; what follows MESSAGE-INTEGRITY is not looked at.
    package func range(of type: STUNAttribute, in bytes: RawSpan) -> Range<Int>? {
        let end = min(integrityOffset ?? length, bytes.byteCount)
        var offset = STUNMessage.headerLength
        while offset + 4 <= end {
            let count = Int(bytes.uint16(offset + 2))
            guard offset + 4 + count <= end else { return nil }
            if bytes.uint16(offset) == type.rawValue { return (offset + 4)..<(offset + 4 + count) }
            offset += 4 + (count + 3) & ~3
        }
        return nil
    }

    /// The UTF-8 of USERNAME, `nil` where there is none.
    package func usernameText(in bytes: RawSpan) -> String? {
        guard let username, username.upperBound <= bytes.byteCount else { return nil }
        return bytes.extracting(username).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func readAttributes(_ bytes: RawSpan) throws(WireError) {
        var offset = STUNMessage.headerLength
        while offset < length {
            guard offset + 4 <= length else { throw .invalidLength }
            let type = STUNAttribute(rawValue: bytes.uint16(offset))
            let count = Int(bytes.uint16(offset + 2))
            let next = offset + 4 + (count + 3) & ~3
            guard next <= length else { throw .invalidLength }
            if type == .fingerprint {
                // It must be the last one (section 14.7); bytes behind it would be covered by nothing.
                guard count == 4, next == length else { throw .invalidValue }
                fingerprintOffset = offset
            } else if integrityOffset == nil {
                try read(type, bytes, at: offset, count)
            }
            offset = next
        }
    }

    private mutating func read(
        _ type: STUNAttribute, _ bytes: RawSpan, at offset: Int, _ count: Int
    ) throws(WireError) {
        let at = offset + 4
        switch (type, count) {
        case (.username, ...508): if username == nil { username = at..<(at + count) }
        case (.priority, 4): priority = bytes.uint32(at)
        case (.useCandidate, 0): useCandidate = true
        case (.iceControlling, 8): iceControlling = bytes.uint64(at)
        case (.iceControlled, 8): iceControlled = bytes.uint64(at)
        case (.messageIntegrity, 20): integrityOffset = offset
        case (.xorMappedAddress, 8), (.xorMappedAddress, 20):
            mappedAddress = try address(bytes, at, count, xored: true)
        case (.mappedAddress, 8), (.mappedAddress, 20):
            let plain = try address(bytes, at, count, xored: false)
            if mappedAddress == nil { mappedAddress = plain }
        case (.errorCode, 4...):
            let value = bytes.uint32(at)
            guard (3...6).contains(value >> 8 & 7), value & 0xff < 100 else { throw .invalidValue }
            errorCode = UInt16((value >> 8 & 7) * 100 + value & 0xff)
        case (.username, _), (.priority, _), (.useCandidate, _), (.iceControlling, _), (.iceControlled, _),
            (.messageIntegrity, _), (.xorMappedAddress, _), (.mappedAddress, _), (.errorCode, _):
            throw .invalidValue
        default: noteUnknown(type)
        }
    }

    private mutating func noteUnknown(_ type: STUNAttribute) {
        guard type.isComprehensionRequired, !type.isKnown, unknownRequiredCount < 8 else { return }
        unknownRequired[unknownRequiredCount] = type.rawValue
        unknownRequiredCount += 1
    }

    /// An address attribute's value, RFC 8489 section 14.1 and, XORed with cookie and transaction, 14.2.
    func address(_ bytes: RawSpan, _ at: Int, _ count: Int, xored: Bool) throws(WireError) -> TransportAddress {
        let family = bytes.byte(at + 1)
        let cookie = xored ? STUNMessage.magicCookie : 0
        let port = bytes.uint16(at + 2) ^ UInt16(truncatingIfNeeded: cookie >> 16)
        switch (family, count) {
        case (1, 8): return TransportAddress(ipv4: bytes.uint32(at + 4) ^ cookie, port: port)
        case (2, 20):
            let highMask = UInt64(cookie) << 32 | UInt64(xored ? transactionID.high : 0)
            return TransportAddress(
                high: bytes.uint64(at + 4) ^ highMask, low: bytes.uint64(at + 12) ^ (xored ? transactionID.low : 0),
                port: port)
        default: throw .invalidValue
        }
    }
}
