import RTCWire

/// Puts the peer's handshake messages together and in order, RFC 6347 sections 4.2.2 and 4.2.3: fragments may overlap,
/// overtake each other and come twice.
///
/// Whoever sends fragments in the clear is unknown, so memory is bounded. Where two fragments of one message contradict
/// each other about its type or length the later one begins anew: a forgery blocks the genuine message until it is
/// sent again, and no longer.
struct HandshakeReassembly {
    /// Messages ahead of the next that are held: no flight has more.
    static let lookAhead = 6
    /// Bytes of all messages that are being put together.
    static let byteLimit = 24 * 1024
    /// Bytes of the longest message, a chain of certificates.
    static let largestMessage = 16 * 1024

    /// What came of a fragment.
    enum Outcome: Hashable {
        case taken
        /// Of a message that has been read: the peer has sent a flight again.
        case repeated
        /// Too large, too far ahead, or in the wrong epoch.
        case refused
    }

    /// The number of the message that is to be read next.
    private(set) var next: UInt16
    private var partial: [PartialMessage] = []
    /// Until the next message is there nothing ahead of it is held: the rest of a flight of which something was refused would
    /// be read after the beginning of another one, where the peer answers two flights of ours, and be refused itself.
    private var isFromFirst: Bool

    init(next: UInt16 = 0, isFromFirst: Bool = false) {
        self.next = next
        self.isFromFirst = isFromFirst
    }

    /// Takes a fragment in. All messages but Finished stand in epoch 0, and it in epoch 1 (RFC 6347 section 4.1).
    mutating func take(
        _ header: DTLSHandshakeHeader, _ fragment: UnsafeRawBufferPointer, epoch: UInt16
    ) -> Outcome {
        guard (header.type == .finished) == (epoch == 1) else { return .refused }
        guard header.messageSequence >= next else { return .repeated }
        guard Int(header.messageSequence - next) < (isFromFirst ? 1 : HandshakeReassembly.lookAhead),
            header.messageLength <= HandshakeReassembly.largestMessage
        else { return .refused }
        let index = place(of: header)
        guard let index else { return .refused }
        partial[index].take(fragment, at: header.fragmentOffset)
        return .taken
    }

    /// The next message, once it is whole. It stays the next until `advance` or `discard`.
    var message: HandshakeMessage? {
        guard let whole = partial.first(where: { $0.sequence == next }), whole.isWhole else { return nil }
        return HandshakeMessage(type: whole.type, sequence: whole.sequence, body: whole.bytes)
    }

    /// The message has been read.
    mutating func advance() {
        discard()
        isFromFirst = false
        next &+= 1
    }

    /// The message was none of the peer's: its place is free again.
    mutating func discard() { partial.removeAll { $0.sequence == next } }

    /// Where the fragment's message is being put together; nil where there is no room for it.
    private mutating func place(of header: DTLSHandshakeHeader) -> Int? {
        if let index = partial.firstIndex(where: { $0.sequence == header.messageSequence }) {
            if partial[index].type == header.type, partial[index].bytes.count == header.messageLength { return index }
            partial.remove(at: index)
        }
        // What comes next goes before what comes later.
        while held + header.messageLength > HandshakeReassembly.byteLimit {
            guard let last = partial.indices.max(by: { partial[$0].sequence < partial[$1].sequence }),
                partial[last].sequence > header.messageSequence
            else { return nil }
            partial.remove(at: last)
        }
        partial.append(PartialMessage(header))
        return partial.count - 1
    }

    private var held: Int { partial.reduce(0) { $0 + $1.bytes.count } }
}
