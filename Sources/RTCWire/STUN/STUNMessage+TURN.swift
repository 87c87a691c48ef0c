// Attributes of long-term credentials (RFC 8489 section 14.9, 14.10) and of TURN (RFC 8656 section 18).

extension STUNMessage {
    /// LIFETIME in seconds.
    package func lifetime(in bytes: RawSpan) -> UInt32? { word(.lifetime, bytes) }

    /// CHANNEL-NUMBER; its other two bytes are reserved.
    package func channelNumber(in bytes: RawSpan) -> UInt16? {
        word(.channelNumber, bytes).map { UInt16(truncatingIfNeeded: $0 >> 16) }
    }

    /// REQUESTED-TRANSPORT: the number of an IP protocol; 17 is UDP.
    package func requestedTransport(in bytes: RawSpan) -> UInt8? {
        word(.requestedTransport, bytes).map { UInt8(truncatingIfNeeded: $0 >> 24) }
    }

    /// XOR-RELAYED-ADDRESS: what an allocation is reached at.
    package func relayedAddress(in bytes: RawSpan) -> TransportAddress? { xored(.xorRelayedAddress, bytes) }

    /// XOR-PEER-ADDRESS: whom an indication or a channel is about.
    package func peerAddress(in bytes: RawSpan) -> TransportAddress? { xored(.xorPeerAddress, bytes) }

    /// ALTERNATE-SERVER: where to ask instead (RFC 8489 section 10).
    package func alternateServer(in bytes: RawSpan) -> TransportAddress? {
        guard let range = range(of: .alternateServer, in: bytes), range.count == 8 || range.count == 20 else {
            return nil
        }
        return try? address(bytes, range.lowerBound, range.count, xored: false)
    }

    /// REALM and NONCE, at most 763 bytes each (RFC 8489 sections 14.9 and 14.10).
    package func text(_ type: STUNAttribute, in bytes: RawSpan) -> String? {
        guard let range = range(of: type, in: bytes), range.count <= 763 else { return nil }
        return bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private func word(_ type: STUNAttribute, _ bytes: RawSpan) -> UInt32? {
        guard let range = range(of: type, in: bytes), range.count == 4 else { return nil }
        return bytes.uint32(range.lowerBound)
    }

    private func xored(_ type: STUNAttribute, _ bytes: RawSpan) -> TransportAddress? {
        guard let range = range(of: type, in: bytes), range.count == 8 || range.count == 20 else { return nil }
        return try? address(bytes, range.lowerBound, range.count, xored: true)
    }
}
