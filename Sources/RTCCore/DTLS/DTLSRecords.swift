import RTCWire

/// A look at the record headers of a datagram before libssl sees it, RFC 6347 section 4.1.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |     type      |            version            |    epoch ...  |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  ... epoch    |       sequence number (48 bits) ...           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |      ... sequence number                      |   length ...  |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  ... length   |  fragment ...
///  +-+-+-+-+-+-+-+-+
/// ```
enum DTLSRecords {
    static let headerLength = 13
    /// The only epoch with keys: nobody renegotiates.
    private static let sealedEpoch: UInt16 = 1

    /// Splits a datagram into the records in the clear (epoch 0) and what follows from the first encrypted record on.
    ///
    /// Nil where a record doesn't fit the datagram, is of no kind or epoch that DTLS 1.2 has here, or where one in the
    /// clear follows an encrypted one.
    static func split(
        _ datagram: UnsafeRawBufferPointer
    ) -> (clear: UnsafeRawBufferPointer, sealed: UnsafeRawBufferPointer)? {
        var offset = 0
        var firstSealed: Int?
        while offset < datagram.count {
            guard let record = header(datagram, at: offset) else { return nil }
            if record.epoch == sealedEpoch {
                firstSealed = firstSealed ?? offset
            } else if record.epoch != 0 || firstSealed != nil {
                return nil
            }
            offset += headerLength + record.length
        }
        let end = firstSealed ?? offset
        return (UnsafeRawBufferPointer(rebasing: datagram[..<end]), UnsafeRawBufferPointer(rebasing: datagram[end...]))
    }

    /// Whether each record of `sealed`, as `split` gave it, holds at least `overhead` bytes: explicit nonce and tag.
    static func areOpenable(_ sealed: UnsafeRawBufferPointer, overhead: Int) -> Bool {
        var offset = 0
        while offset < sealed.count {
            guard let record = header(sealed, at: offset), record.length >= overhead else { return false }
            offset += headerLength + record.length
        }
        return true
    }

    private static func header(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> (epoch: UInt16, length: Int)? {
        guard bytes.count - offset >= headerLength, (20...23).contains(bytes[offset]) else { return nil }
        let version = uint16(bytes, offset + 1)
        guard version == 0xfeff || version == 0xfefd else { return nil }
        let length = Int(uint16(bytes, offset + 11))
        guard length <= bytes.count - offset - headerLength else { return nil }
        return (uint16(bytes, offset + 3), length)
    }

    private static func uint16(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt16 {
        UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }
}
