/// A message and who sent it: the form in which a relay hands messages on.
///
///     +----------------+-------------------+------------
///     | length: 1 byte | sender: UTF-8     | message ...
///     +----------------+-------------------+------------
public struct CoBrowsingEnvelope: Sendable, Hashable {
    /// A person; empty where it is the relay itself.
    public var sender: String
    /// As it was sent.
    public var message: [UInt8]

    /// An envelope from its parts.
    public init(sender: String, message: [UInt8]) {
        self.sender = sender
        self.message = message
    }

    /// Nil where the bytes are none.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= CoBrowsingBounds.longestMessage + 1 + CoBrowsingBounds.nameBytes else { return nil }
        var reader = WireReader(bytes)
        guard let sender = try? reader.text() else { return nil }
        self.init(sender: sender, message: reader.remainder())
    }

    /// As it is sent; a sender of more than 255 bytes is cut.
    package var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(1 + sender.utf8.count + message.count)
        out.put(text: sender)
        return out + message
    }
}

/// A way between the people of a conversation: a WebSocket through the conversation service, or a data channel.
public protocol CoBrowsingChannel: Sendable {
    /// What comes, until the channel is gone.
    var incoming: AsyncStream<CoBrowsingEnvelope> { get }
    /// Sends a message to whom it concerns. Nothing happens once the channel is gone.
    func send(_ message: [UInt8])
    /// Closes it.
    func close() async
}
