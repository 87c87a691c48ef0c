public import ClientModel
public import CoBrowsingModel
import ConversationModel
import Synchronization

/// What a client has to say.
public enum ClientEvent: Sendable, Hashable {
    /// Where the client stands.
    case phase(ClientPhase)
    /// Whether the service can be reached.
    case link(isOnline: Bool)
    /// Something went wrong.
    case error(ClientError)
    /// Something happened in conversations.
    case conversation(ConversationEvent)
    /// Something is asked about the view.
    case ui(UIRequest)
    /// A call of a conversation began.
    case callStarted(conversation: String)
    /// A call of a conversation is over.
    case callEnded(conversation: String)
    /// This client shares its screen in a conversation, or watches there.
    case coBrowsingStarted(conversation: String)
    /// It does so no longer.
    case coBrowsingEnded(conversation: String, CoBrowsingEnd)
}

/// Hands a client's events to any number of readers, each of which is first told how things stand.
final class ClientEvents: Sendable {
    /// A reader that falls this far behind loses the oldest events.
    static let capacity = 1_024

    private struct State {
        var phase = ClientPhase.idle
        var isOnline = false
        var open: Conversation?
        var availability: Bool?
        var unread = 0
        var calls: Set<String> = []
        var readers: [Int: AsyncStream<ClientEvent>.Continuation] = [:]
        var nextID = 0

        /// How things stand, as events.
        var present: [ClientEvent] {
            var events: [ClientEvent] = [.phase(phase), .link(isOnline: isOnline), .conversation(.openChanged(open))]
            if let availability { events.append(.conversation(.availability(availability))) }
            events.append(.conversation(.unread(unread)))
            return events + calls.sorted().map { .callStarted(conversation: $0) }
        }

        mutating func apply(_ event: ClientEvent) {
            switch event {
            case .phase(let phase):
                self.phase = phase
                if phase != .ready { isOnline = false }
            case .link(let isOnline): self.isOnline = isOnline
            case .conversation(.openChanged(let conversation)): open = conversation
            case .conversation(.availability(let isAvailable)): availability = isAvailable
            case .conversation(.unread(let count)): unread = count
            case .callStarted(let conversation): calls.insert(conversation)
            case .callEnded(let conversation): calls.remove(conversation)
            case .error, .ui, .conversation, .coBrowsingStarted, .coBrowsingEnded: break
            }
        }
    }

    private let state = Mutex(State())

    deinit { state.withLock { for reader in $0.readers.values { reader.finish() } } }

    /// A new reader's events.
    func stream() -> AsyncStream<ClientEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ClientEvent.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        let id = state.withLock { state in
            for event in state.present { continuation.yield(event) }
            state.nextID += 1
            state.readers[state.nextID] = continuation
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
        }
        return stream
    }

    func send(_ event: ClientEvent) {
        let readers = state.withLock { state in
            state.apply(event)
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield(event) }
    }
}
