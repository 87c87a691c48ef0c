import CallBridge

/// What went beside the media, in `join`.
struct DataReport: Codable {
    /// Data messages that we sent.
    var sent = 0
    /// What came, in order; at most the first 10,000.
    var received: [Received] = []
    /// All that came.
    var receivedCount = 0
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
        /// At most 200 scalars of it.
        var text: String
        var bytes: Int
    }

    /// One call of ours.
    struct Answer: Codable {
        var to: String
        var answer: String
    }

    mutating func note(_ message: DataMessage, from participant: Participant?) {
        add(
            Received(
                from: participant?.identity, topic: Self.beginning(message.topic), reliable: message.isReliable,
                text: Self.beginning(message.text ?? ""), bytes: message.bytes.count))
    }

    mutating func note(_ text: TextMessage, from participant: Participant?) {
        add(
            Received(
                from: participant?.identity, topic: Self.beginning(text.topic), reliable: nil,
                text: Self.beginning(text.text), bytes: text.text.utf8.count))
    }

    private static let maximumReceived = 10_000

    /// A character can be made of any number of scalars.
    private static func beginning(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(200)))
    }

    private mutating func add(_ message: Received) {
        receivedCount += 1
        if received.count < Self.maximumReceived { received.append(message) }
    }
}
