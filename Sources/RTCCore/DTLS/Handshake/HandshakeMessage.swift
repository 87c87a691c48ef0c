import RTCWire

/// A whole handshake message.
struct HandshakeMessage: Hashable {
    var type: TLSHandshakeType
    var sequence: UInt16
    var body: [UInt8]

    /// As one fragment: so it goes into the transcript, however it was cut (RFC 6347 section 4.2.6).
    var encoded: [UInt8] {
        let header = DTLSHandshakeHeader(
            type: type, messageLength: body.count, messageSequence: sequence, fragmentOffset: 0,
            fragmentLength: body.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(DTLSHandshakeHeader.length + body.count)
        header.append(to: &bytes)
        bytes += body
        return bytes
    }
}
