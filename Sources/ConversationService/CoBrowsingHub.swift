package import CoBrowsingModel
package import ConversationModel
import Synchronization

/// The co-browsing sessions of a service: a relay, and the sockets that it sends to.
///
/// Messages of one socket go out in their order. Sockets are sent to and closed outside of the lock: closing one may come back
/// here at once.
package final class CoBrowsingHub: Sendable {
    /// Where messages of the relay go.
    package struct Sink: Sendable {
        package var send: @Sendable ([UInt8]) -> Void
        package var close: @Sendable (String) -> Void

        package init(send: @escaping @Sendable ([UInt8]) -> Void, close: @escaping @Sendable (String) -> Void) {
            self.send = send
            self.close = close
        }
    }

    private struct State: Sendable {
        var relay: CoBrowsingRelay
        var sinks: [Int: Sink] = [:]
        var changed: (@Sendable (String) -> Void)?
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Int64

    init(_ properties: CoBrowsingProperties, now: @escaping @Sendable () -> Int64) {
        state = Mutex(State(relay: CoBrowsingRelay(properties)))
        self.now = now
    }

    /// Called with a conversation in which somebody shares from now on, or nobody does.
    func whenSharingChanges(_ body: @escaping @Sendable (String) -> Void) { state.withLock { $0.changed = body } }

    /// Who shares in a conversation.
    package func sharer(in conversation: String) -> String? { state.withLock { $0.relay.sharer(in: conversation) } }

    /// A participant's socket is there; nil where too many are.
    package func connect(_ conversation: Conversation, _ person: String, _ sink: Sink) -> Int? {
        guard let participant = CoBrowsingParticipant(of: person, in: conversation) else { return nil }
        var number: Int?
        perform { state in
            guard let joined = state.relay.connect(conversation.id, person, participant, now: now()) else { return [] }
            number = joined.channel
            state.sinks[joined.channel] = sink
            return joined.actions
        }
        return number
    }

    package func receive(_ bytes: [UInt8], from number: Int) {
        perform { $0.relay.receive(bytes, from: number, now: now()) }
    }

    package func disconnect(_ number: Int) {
        perform { state in
            state.sinks[number] = nil
            return state.relay.disconnect(number)
        }
    }

    /// A conversation is over, and its session with it.
    package func endConversation(_ conversation: String) { perform { $0.relay.endConversation(conversation) } }

    private func perform(_ body: (inout State) -> [CoBrowsingRelay.Action]) {
        var work: [() -> Void] = []
        state.withLock { state in
            let actions = body(&state)
            let changed = state.changed
            work.reserveCapacity(actions.count)
            for action in actions {
                switch action {
                case .send(let channel, let envelope):
                    if let sink = state.sinks[channel] { work.append { sink.send(envelope.bytes) } }
                case .close(let channel, let reason):
                    if let sink = state.sinks[channel] { work.append { sink.close(reason) } }
                case .sharing(let conversation, _):
                    if let changed { work.append { changed(conversation) } }
                }
            }
        }
        for one in work { one() }
    }
}

extension CoBrowsingParticipant {
    /// What somebody is in a conversation: the first visitor is the one whose it is, the first agent the one who has it. Nil
    /// where they are not in it.
    package init?(of person: String, in conversation: Conversation) {
        guard let own = conversation.participant(person) else { return nil }
        let isFirst = conversation.participants.first { $0.role == own.role }?.personId == person
        switch own.role {
        case .agent: self = isFirst ? .assignedAgent : .secondaryAgent
        case .visitor: self = isFirst ? .contextPerson : .secondaryVisitor
        }
    }
}
