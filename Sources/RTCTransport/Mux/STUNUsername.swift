import RTCWire

/// Finds what a STUN datagram says of whom it is for: the receiving side's user name fragment in a binding request, which is
/// the part before the colon of USERNAME (RFC 8445 section 7.2.2), or the transaction of a response. A cheap look at a
/// datagram whose peer isn't known yet; nothing is trusted before the peer has checked its MESSAGE-INTEGRITY.
enum STUNUsername {
    /// Whether a datagram is a success or error response to a binding request (RFC 8489 section 5).
    static func isResponse(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 20 && bytes[0] == 1 && (bytes[1] == 0x01 || bytes[1] == 0x11)
    }

    /// Of a datagram of 20 bytes at least.
    static func transactionID(_ bytes: UnsafeRawBufferPointer) -> STUNTransactionID {
        STUNTransactionID(
            high: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self).bigEndian,
            low: bytes.loadUnaligned(fromByteOffset: 12, as: UInt64.self).bigEndian)
    }

    static func localFragment(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= 20, bytes[0] == 0, bytes[1] == 1 else { return nil }
        guard bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self).bigEndian == 0x2112_a442 else { return nil }
        var offset = 20
        while offset + 4 <= bytes.count {
            let type = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self).bigEndian
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self).bigEndian)
            let value = offset + 4
            guard value + length <= bytes.count else { return nil }
            if type == 0x0006 {
                let text = UnsafeRawBufferPointer(rebasing: bytes[value..<(value + min(length, 256))])
                guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
                return String(decoding: UnsafeRawBufferPointer(rebasing: text[..<colon]), as: UTF8.self)
            }
            offset = value + (length + 3) & ~3
        }
        return nil
    }
}
