/// The header of a handshake fragment, RFC 6347 section 4.2.2.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |   msg_type    |                    length                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |          message_seq          |        fragment_offset ...    |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  | ... offset    |                fragment_length                |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct DTLSHandshakeHeader: Hashable, Sendable {
    package static let length = 12

    package var type: TLSHandshakeType
    /// Bytes of the whole message behind its header.
    package var messageLength: Int
    package var messageSequence: UInt16
    package var fragmentOffset: Int
    package var fragmentLength: Int

    /// The header of a fragment.
    package init(
        type: TLSHandshakeType, messageLength: Int, messageSequence: UInt16, fragmentOffset: Int, fragmentLength: Int
    ) {
        self.type = type
        self.messageLength = messageLength
        self.messageSequence = messageSequence
        self.fragmentOffset = fragmentOffset
        self.fragmentLength = fragmentLength
    }

    /// Reads the header at the start of `bytes`, whose fragment must be there whole.
    package init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= DTLSHandshakeHeader.length else { throw .truncated }
        guard let type = TLSHandshakeType(rawValue: bytes.byte(0)) else { throw .unexpectedType }
        self.type = type
        messageLength = Int(bytes.uint24(1))
        messageSequence = bytes.uint16(4)
        fragmentOffset = Int(bytes.uint24(6))
        fragmentLength = Int(bytes.uint24(9))
        guard fragmentLength <= bytes.byteCount - DTLSHandshakeHeader.length,
            fragmentOffset + fragmentLength <= messageLength
        else { throw .invalidLength }
    }

    /// Appends the 12 bytes.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(type.rawValue)
        bytes.append24(messageLength)
        bytes.append16(messageSequence)
        bytes.append24(fragmentOffset)
        bytes.append24(fragmentLength)
    }

    /// Writes the 12 bytes to the start of `target`, which has room for them.
    package func store(to target: UnsafeMutableRawBufferPointer) {
        target.store(type.rawValue, at: 0)
        target.store24(UInt32(truncatingIfNeeded: messageLength), at: 1)
        target.store(messageSequence, at: 4)
        target.store24(UInt32(truncatingIfNeeded: fragmentOffset), at: 6)
        target.store24(UInt32(truncatingIfNeeded: fragmentLength), at: 9)
    }
}

/// What a handshake message is, RFC 5246 section 7.4 and RFC 6347 section 4.3.2. Those that only resumption, OCSP or
/// TLS 1.3 know are none here.
public enum TLSHandshakeType: UInt8, Hashable, Sendable, CaseIterable {
    case helloRequest = 0
    case clientHello = 1
    case serverHello = 2
    case helloVerifyRequest = 3
    case certificate = 11
    case serverKeyExchange = 12
    case certificateRequest = 13
    case serverHelloDone = 14
    case certificateVerify = 15
    case clientKeyExchange = 16
    case finished = 20
}
