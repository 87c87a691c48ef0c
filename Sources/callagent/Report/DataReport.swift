import CallBridge

/// What went beside the media, in `join`.
struct DataReport: Codable {
    /// Data messages that we sent.
    var sent = 0
    /// What came, in order.
    var received: [Received] = []
    /// Answers to our remote procedure calls.
    var rpc: [Answer] = []
    /// How many of our own methods were called.
    var rpcAnswered = 0

    /// A message or a text.
    struct Received: Codable {
        var from: String?
        var topic: String
        /// Nil for a text stream.
        var reliable: Bool?
        /// At most 200 characters of it.
        var text: String
        var bytes: Int
    }

    /// One call of ours.
    struct Answer: Codable {
        var to: String
        var answer: String
    }

    mutating func note(_ message: DataMessage, from participant: Participant?) {
        received.append(
            Received(
                from: participant?.identity, topic: message.topic, reliable: message.isReliable,
                text: String((message.text ?? "").prefix(200)), bytes: message.bytes.count))
    }

    mutating func note(_ text: TextMessage, from participant: Participant?) {
        received.append(
            Received(
                from: participant?.identity, topic: text.topic, reliable: nil, text: String(text.text.prefix(200)),
                bytes: text.text.utf8.count))
    }
}
