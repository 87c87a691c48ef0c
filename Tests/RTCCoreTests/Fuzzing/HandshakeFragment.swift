import RTCWire

/// A handshake message, or a piece of one, whose header can be changed.
struct HandshakeFragment {
    let type: TLSHandshakeType
    var number: UInt8
    /// Of the whole message.
    var length: Int
    var offset: Int
    var body: [UInt8]

    init(_ type: TLSHandshakeType, number: UInt8, length: Int, offset: Int, _ body: [UInt8]) {
        (self.type, self.number, self.length, self.offset, self.body) = (type, number, length, offset, body)
    }

    func cut(_ range: Range<Int>) -> HandshakeFragment {
        HandshakeFragment(
            type, number: number, length: length, offset: offset + range.lowerBound, Array(body[range]))
    }

    func append(to bytes: inout [UInt8]) {
        DTLSHandshakeHeader(
            type: type, messageLength: length, messageSequence: UInt16(number), fragmentOffset: offset,
            fragmentLength: body.count
        ).append(to: &bytes)
        bytes += body
    }
}

extension HandshakePair.Record {
    /// The message in it; nil where none is, or a sealed one.
    var fragment: HandshakeFragment? {
        guard let message, let type = TLSHandshakeType(rawValue: message[13]) else { return nil }
        let body = Array(message.dropFirst(12))
        return HandshakeFragment(type, number: message[18], length: body.count, offset: 0, body)
    }
}
