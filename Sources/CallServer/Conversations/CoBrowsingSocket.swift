import ConversationModel
import ConversationService
import NIOCore

/// A participant's socket for co-browsing: envelopes go out, messages come in (docs/co-browsing.md). Who does not keep to the
/// protocol is closed with 1008.
final class CoBrowsingSocket: SignalReceiver {
    private let number: Int?
    private let hub: CoBrowsingHub

    init(
        channel: SignalChannel, person: ConversationPerson, _ conversation: Conversation, _ service: ConversationService
    ) {
        let hub = service.coBrowsing
        self.hub = hub
        number = hub.connect(
            conversation, person.id,
            .init {
                channel.send(.binary($0))
            } close: {
                channel.close(.policyViolation, reason: $0)
            })
        if number == nil {
            channel.close(.policyViolation, reason: "too many sockets of this conversation are open")
        }
        // It may have ended while the socket was opened.
        Task {
            let info = try? await service.conversation(conversation.id, for: person)
            if info?.conversation.state == .ended { hub.endConversation(conversation.id) }
        }
    }

    func received(_ message: SignalMessage) {
        guard let number, case .binary(let bytes) = message else { return }
        hub.receive(bytes, from: number)
    }

    func disconnected() { if let number { hub.disconnect(number) } }
}
