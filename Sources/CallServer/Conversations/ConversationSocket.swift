import ConversationService
import NIOCore

/// A person's socket: what happens in their conversations goes out, one JSON object a message. What comes in is left.
final class ConversationSocket: SignalReceiver {
    private let reader: Task<Void, Never>

    init(channel: SignalChannel, person: ConversationPerson, service: ConversationService) {
        reader = Task {
            do throws(ConversationRefusal) {
                let (number, notices) = try await service.attach(person)
                for await notice in notices {
                    if let bytes = ConversationRoutes.bytes(notice) { channel.send(.binary(bytes)) }
                }
                service.detach(number)
                // Too slow, or the service closes: the client comes back and is told everything.
                channel.close(.goingAway)
            } catch {
                channel.close(.policyViolation, reason: error.description)
            }
        }
    }

    func received(_ message: SignalMessage) {}

    func disconnected() { reader.cancel() }
}
