import ConversationModel

/// A message that this client writes.
public struct OutgoingMessage: Sendable, Hashable, Codable, Identifiable {
    /// Given by this client; the service takes one message of a name.
    public var id: String
    /// Where it goes.
    public var conversationId: String
    /// What it says.
    public var text: String

    package init(id: String, conversationId: String, text: String) {
        self.id = id
        self.conversationId = conversationId
        self.text = text
    }
}

/// What has become of a message of one's own.
public enum MessageFate: Sendable, Hashable {
    /// It waits for the service.
    case queued
    /// The service has it, under this number.
    case sent(number: Int64)
    /// It will not be sent.
    case failed(ClientError)
}

/// Messages on their way to the service, in the order they were written, without a connection as well as with one.
///
/// One message of a conversation is under way at a time, so that they arrive in order. What was under way when the connection
/// went is sent again, under its name, for nobody knows whether it arrived; the service takes it once.
package struct MessageOutbox: Sendable, Hashable {
    private struct Lane: Sendable, Hashable {
        var waiting: [OutgoingMessage] = []
        /// The first of `waiting` is under way.
        var isSending = false
    }

    private var lanes: [String: Lane] = [:]
    private let capacity: Int
    private(set) var count = 0
    private var isOnline = false

    /// - Parameters:
    ///   - capacity: messages over all conversations.
    ///   - waiting: what waited when the process ended, in the order that `waiting` gives. Beyond `capacity` the later ones
    ///     are left out.
    package init(capacity: Int, waiting: [OutgoingMessage] = []) {
        self.capacity = capacity
        for message in waiting.prefix(capacity) {
            lanes[message.conversationId, default: Lane()].waiting.append(message)
            count += 1
        }
    }

    /// What waits, conversation by conversation in the order of their ids.
    package var waiting: [OutgoingMessage] { lanes.keys.sorted().flatMap { lanes[$0]?.waiting ?? [] } }

    /// Takes a message. Gives it back where it is to be sent now.
    package mutating func add(_ message: OutgoingMessage) throws(ClientError) -> OutgoingMessage? {
        do { try ConversationBounds.check(text: message.text) } catch {
            throw ClientError(.messageRefused, error.description)
        }
        guard count < capacity else {
            throw ClientError(
                .messageRefused, "\(capacity) messages wait already; write again when the service is there")
        }
        count += 1
        lanes[message.conversationId, default: Lane()].waiting.append(message)
        return advance(message.conversationId)
    }

    /// The connection came, or went. Gives what is to be sent now.
    package mutating func connection(isOnline: Bool) -> [OutgoingMessage] {
        self.isOnline = isOnline
        if !isOnline { for id in lanes.keys { lanes[id]?.isSending = false } }
        return lanes.keys.sorted().compactMap { advance($0) }
    }

    /// The service has taken, or refused for good, a message. Gives what is to be sent next; nil also where the answer came
    /// twice.
    package mutating func settle(_ id: String, in conversation: String) -> (
        settled: OutgoingMessage, next: OutgoingMessage?
    )? {
        guard let first = lanes[conversation]?.waiting.first, first.id == id else { return nil }
        count -= 1
        lanes[conversation]?.waiting.removeFirst()
        lanes[conversation]?.isSending = false
        if lanes[conversation]?.waiting.isEmpty == true { lanes[conversation] = nil }
        return (first, advance(conversation))
    }

    /// The message could not be handed over, and nobody knows why. It is sent again with `resend`.
    package mutating func fail(_ id: String, in conversation: String) -> Bool {
        guard let lane = lanes[conversation], lane.isSending, lane.waiting.first?.id == id else { return false }
        lanes[conversation]?.isSending = false
        return true
    }

    /// What is to be sent now of a conversation whose message failed.
    package mutating func resend(_ conversation: String) -> OutgoingMessage? { advance(conversation) }

    /// A conversation is over: gives what it leaves unsent.
    package mutating func drop(_ conversation: String) -> [OutgoingMessage] {
        let dropped = lanes.removeValue(forKey: conversation)?.waiting ?? []
        count -= dropped.count
        return dropped
    }

    private mutating func advance(_ conversation: String) -> OutgoingMessage? {
        guard isOnline, let lane = lanes[conversation], !lane.isSending, let first = lane.waiting.first else {
            return nil
        }
        lanes[conversation]?.isSending = true
        return first
    }
}

/// What a client has heard of a conversation's messages: each once, in order, whatever the socket repeats or leaves out.
package struct MessageLog: Sendable, Hashable {
    package enum Verdict: Sendable, Hashable {
        case deliver
        case known
        /// Messages after this number are missing before it.
        case gap(after: Int64)
    }

    /// The newest number that was delivered.
    package private(set) var last: Int64

    package init(last: Int64 = 0) { self.last = last }

    package mutating func receive(_ number: Int64) -> Verdict {
        if number <= last { return .known }
        guard number == last + 1 else { return .gap(after: last) }
        last = number
        return .deliver
    }
}
