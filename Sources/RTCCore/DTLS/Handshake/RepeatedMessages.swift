import RTCWire

/// Messages that come once more, put together to be compared with what they said before. Bounded as
/// `HandshakeReassembly` is.
struct RepeatedMessages {
    private var partial: [PartialMessage] = []

    /// Takes a fragment in. Gives its message where that is whole now.
    mutating func take(_ header: DTLSHandshakeHeader, _ fragment: UnsafeRawBufferPointer) -> HandshakeMessage? {
        guard header.messageLength <= HandshakeReassembly.largestMessage else { return nil }
        if header.fragmentLength == header.messageLength {
            return HandshakeMessage(type: header.type, sequence: header.messageSequence, body: Array(fragment))
        }
        let index = place(of: header)
        partial[index].take(fragment, at: header.fragmentOffset)
        guard partial[index].isWhole else { return nil }
        let whole = partial.remove(at: index)
        return HandshakeMessage(type: whole.type, sequence: whole.sequence, body: whole.bytes)
    }

    /// The oldest goes where there is no room.
    private mutating func place(of header: DTLSHandshakeHeader) -> Int {
        if let index = partial.firstIndex(where: { $0.sequence == header.messageSequence }) {
            if partial[index].type == header.type, partial[index].bytes.count == header.messageLength { return index }
            partial.remove(at: index)
        }
        while !partial.isEmpty,
            partial.reduce(header.messageLength, { $0 + $1.bytes.count }) > HandshakeReassembly.byteLimit
                || partial.count >= HandshakeReassembly.lookAhead
        {
            partial.removeFirst()
        }
        partial.append(PartialMessage(header))
        return partial.count - 1
    }
}
