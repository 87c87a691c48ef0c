import RTCWire

/// The transcript, and the numbers of the messages that we add to it.
struct HandshakeLog {
    private(set) var transcript = HandshakeTranscript()
    /// The peer's messages in the clear, as they were believed.
    private(set) var heard: [HandshakeMessage] = []
    private var nextSequence: UInt16 = 0

    /// Makes a message of ours and notes it.
    mutating func write(_ type: TLSHandshakeType, _ body: [UInt8], epoch: UInt16 = 0) -> Flight.Item {
        let message = HandshakeMessage(type: type, sequence: nextSequence, body: body)
        nextSequence &+= 1
        transcript.append(message)
        return Flight.Item(type: .handshake, epoch: epoch, bytes: message.encoded)
    }

    /// Notes a message of the peer.
    mutating func read(_ message: HandshakeMessage) {
        transcript.append(message)
        heard.append(message)
    }

    /// Begins anew, but for the numbers.
    mutating func restart() {
        transcript.removeAll()
        heard = []
    }
}
