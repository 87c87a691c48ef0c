/// Writes a STUN message into memory of the caller's, attribute after attribute.
///
/// What doesn't fit makes `finish` give 0; no call traps. MESSAGE-INTEGRITY and then FINGERPRINT come last.
package struct STUNMessageBuilder {
    private let buffer: UnsafeMutableRawBufferPointer
    private let transactionID: STUNTransactionID
    private var offset = STUNMessage.headerLength
    private var overflowed = false

    /// Starts a message at the beginning of `buffer`, which must outlive the builder.
    package init(
        _ messageClass: STUNClass, _ method: STUNMethod, _ transactionID: STUNTransactionID,
        into buffer: UnsafeMutableRawBufferPointer
    ) {
        self.buffer = buffer
        self.transactionID = transactionID
        guard buffer.count >= STUNMessage.headerLength else {
            overflowed = true
            return
        }
        let m = method.rawValue
        let c = UInt16(messageClass.rawValue)
        let type = (m & 0x000f) | (m & 0x0070) << 1 | (m & 0x0f80) << 2 | (c & 1) << 4 | (c & 2) << 7
        buffer.store(type, at: 0)
        buffer.store(UInt16(0), at: 2)
        buffer.store(STUNMessage.magicCookie, at: 4)
        buffer.store(transactionID.high, at: 8)
        buffer.store(transactionID.low, at: 12)
    }

    /// A binding request with a fresh transaction.
    package static func bindingRequest(
        _ transactionID: STUNTransactionID, into buffer: UnsafeMutableRawBufferPointer
    ) -> STUNMessageBuilder {
        STUNMessageBuilder(.request, .binding, transactionID, into: buffer)
    }

    /// Any attribute whose value is the UTF-8 of `text` (USERNAME, SOFTWARE, REALM, NONCE).
    package mutating func add(_ type: STUNAttribute, _ text: String) {
        var text = text
        text.withUTF8 { add(type, UnsafeRawBufferPointer($0)) }
    }

    /// Any attribute, with its raw value.
    package mutating func add(_ type: STUNAttribute, _ value: UnsafeRawBufferPointer) {
        guard let at = open(type, value.count) else { return }
        for index in 0..<value.count { buffer[at + index] = value[index] }
    }

    /// An attribute without a value (USE-CANDIDATE).
    package mutating func add(_ type: STUNAttribute) { _ = open(type, 0) }

    /// An attribute of four bytes (PRIORITY, LIFETIME).
    package mutating func add(_ type: STUNAttribute, _ value: UInt32) {
        if let at = open(type, 4) { buffer.store(value, at: at) }
    }

    /// An attribute of eight bytes (ICE-CONTROLLING, ICE-CONTROLLED).
    package mutating func add(_ type: STUNAttribute, _ value: UInt64) {
        if let at = open(type, 8) { buffer.store(value, at: at) }
    }

    /// An address XORed with cookie and transaction (XOR-MAPPED-ADDRESS, XOR-PEER-ADDRESS), section 14.2.
    package mutating func addXOR(_ type: STUNAttribute, _ address: TransportAddress) {
        guard let at = open(type, address.isIPv4 ? 8 : 20) else { return }
        buffer.store(UInt16(address.isIPv4 ? 1 : 2), at: at)
        buffer.store(address.port ^ UInt16(STUNMessage.magicCookie >> 16), at: at + 2)
        if address.isIPv4 {
            buffer.store(address.ipv4 ^ STUNMessage.magicCookie, at: at + 4)
        } else {
            let mask = UInt64(STUNMessage.magicCookie) << 32 | UInt64(transactionID.high)
            buffer.store(address.high ^ mask, at: at + 4)
            buffer.store(address.low ^ transactionID.low, at: at + 12)
        }
    }

    /// ERROR-CODE, section 14.8; `code` 300...699.
    package mutating func addErrorCode(_ code: UInt16, reason: String) {
        guard let at = open(.errorCode, 4 + reason.utf8.count) else { return }
        buffer.store(UInt32(code / 100 & 7) << 8 | UInt32(code % 100), at: at)
        var index = at + 4
        for byte in reason.utf8 {
            buffer[index] = byte
            index += 1
        }
    }

    /// UNKNOWN-ATTRIBUTES, section 14.9: what made `request` fail with 420.
    package mutating func addUnknownAttributes(of request: STUNMessage) {
        let count = min(request.unknownRequiredCount, 8)
        guard let at = open(.unknownAttributes, 2 * count) else { return }
        for index in 0..<count { buffer.store(request.unknownRequired[index], at: at + 2 * index) }
    }

    /// MESSAGE-INTEGRITY over all before it; `authenticate` computes the HMAC-SHA1.
    package mutating func addIntegrity(_ authenticate: STUNMessage.Authenticator) {
        let end = offset
        guard let at = open(.messageIntegrity, STUNMessage.integrityLength) else { return }
        let output = UnsafeMutableRawBufferPointer(rebasing: buffer[at..<(at + STUNMessage.integrityLength)])
        authenticate(UnsafeRawBufferPointer(rebasing: buffer[..<end]), output)
    }

    /// FINGERPRINT over all before it.
    package mutating func addFingerprint() {
        let end = offset
        guard let at = open(.fingerprint, 4) else { return }
        let length = UInt16(truncatingIfNeeded: offset - STUNMessage.headerLength)
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<end])
        buffer.store(STUNFingerprint.value(of: bytes.bytes, count: end, length: length), at: at)
    }

    /// Length of the message in bytes, 0 where the buffer was too small.
    package func finish() -> Int { overflowed ? 0 : offset }

    /// Writes an attribute's head and zeroes its last word's padding; gives where its value goes.
    private mutating func open(_ type: STUNAttribute, _ count: Int) -> Int? {
        let padded = (count + 3) & ~3
        let end = offset + 4 + padded
        guard !overflowed, count <= 0xffff, end <= buffer.count, end - STUNMessage.headerLength <= 0xffff else {
            overflowed = true
            return nil
        }
        buffer.store(type.rawValue, at: offset)
        buffer.store(UInt16(count), at: offset + 2)
        for index in count..<padded { buffer[offset + 4 + index] = 0 }
        let value = offset + 4
        offset = end
        buffer.store(UInt16(offset - STUNMessage.headerLength), at: 2)
        return value
    }
}
