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

    /// Splits a datagram into the records in the clear (epoch 0) and what follows from the first encrypted record on.
    /// Nil where the records in front of that don't fit the datagram or are of no kind that DTLS 1.2 has.
    static func split(
        _ datagram: UnsafeRawBufferPointer
    ) -> (clear: UnsafeRawBufferPointer, sealed: UnsafeRawBufferPointer)? {
        var offset = 0
        while offset < datagram.count {
            guard let record = header(datagram, at: offset) else { return nil }
            if record.epoch > 0 { break }
            offset += headerLength + record.length
        }
        return (
            UnsafeRawBufferPointer(rebasing: datagram[..<offset]), UnsafeRawBufferPointer(rebasing: datagram[offset...])
        )
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
