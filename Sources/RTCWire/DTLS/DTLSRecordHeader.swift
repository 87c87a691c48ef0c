/// The header of a record, RFC 6347 section 4.1.
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
package struct DTLSRecordHeader: Hashable, Sendable {
    package static let length = 13
    /// The last sequence number of an epoch.
    package static let lastSequence: UInt64 = 1 << 48 - 1

    /// What a record holds, RFC 5246 section 6.2.1.
    package enum ContentType: UInt8, Hashable, Sendable, CaseIterable {
        case changeCipherSpec = 20
        case alert = 21
        case handshake = 22
        case applicationData = 23
    }

    package var type: ContentType
    /// DTLS 1.2; the first ClientHello says 1.0.
    package var version: UInt16
    package var epoch: UInt16
    /// 48 bits.
    package var sequence: UInt64
    /// Bytes behind the header.
    package var bodyLength: Int

    package init(
        type: ContentType, version: UInt16 = DTLSVersion.v12, epoch: UInt16, sequence: UInt64, bodyLength: Int
    ) {
        self.type = type
        self.version = version
        self.epoch = epoch
        self.sequence = sequence
        self.bodyLength = bodyLength
    }

    /// Reads the header at the start of `bytes`, whose body must be there whole.
    package init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= DTLSRecordHeader.length else { throw .truncated }
        guard let type = ContentType(rawValue: bytes.byte(0)) else { throw .unexpectedType }
        version = bytes.uint16(1)
        guard version == DTLSVersion.v12 || version == DTLSVersion.v10 else { throw .invalidVersion }
        self.type = type
        epoch = bytes.uint16(3)
        sequence = UInt64(bytes.uint16(5)) << 32 | UInt64(bytes.uint32(7))
        bodyLength = Int(bytes.uint16(11))
        guard bodyLength <= bytes.byteCount - DTLSRecordHeader.length else { throw .invalidLength }
    }

    /// Writes the 13 bytes to the start of `target`, which has room for them.
    package func store(to target: UnsafeMutableRawBufferPointer) {
        target.store(type.rawValue, at: 0)
        target.store(version, at: 1)
        target.store(epoch, at: 3)
        target.store(UInt16(truncatingIfNeeded: sequence >> 32), at: 5)
        target.store(UInt32(truncatingIfNeeded: sequence), at: 7)
        target.store(UInt16(truncatingIfNeeded: bodyLength), at: 11)
    }
}

/// Versions on the wire: ones' complements, so that a later one is a smaller number (RFC 6347 section 4.1).
package enum DTLSVersion {
    package static let v10: UInt16 = 0xfeff
    package static let v12: UInt16 = 0xfefd
}
