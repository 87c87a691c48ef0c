import CoBrowsingModel
import ConversationModel
import Synchronization
import Testing

@testable import ConversationService

/// Sharing through the service: who shares is seen in the conversation, and ends with it.
@Suite(.timeLimit(.minutes(10))) struct CoBrowsingHubTests {
    /// What a socket was sent, and why it was closed.
    private final class Socket: Sendable {
        let heard = Mutex<[CoBrowsingMessage.Body]>([])
        let closed = Mutex<[String]>([])

        var sink: CoBrowsingHub.Sink {
            .init { [self] bytes in
                guard let envelope = CoBrowsingEnvelope(parsing: bytes),
                    let message = try? CoBrowsingMessage(parsing: envelope.message)
                else { return }
                heard.withLock { $0.append(message.body) }
            } close: { [self] reason in
                closed.withLock { $0.append(reason) }
            }
        }
    }

    @Test func sharingIsSeenInTheConversation() async throws {
        let service = try ConversationService(.init()) { 0 }
        let vera = ConversationPerson(id: "vera", role: .visitor)
        let ada = ConversationPerson(id: "ada", role: .agent)
        let id = try await service.begin(.init(clientId: "one", type: .coBrowsing), by: vera).conversation.id
        let conversation = try await service.change(id, .join, by: ada).conversation
        let (_, notices) = try await service.attach(ada)
        var reader = notices.makeAsyncIterator()
        #expect(await reader.next()?.snapshot?.conversations.first?.conversation.sharedBy == nil)
        let (first, second) = (Socket(), Socket())
        let number = try #require(service.coBrowsing.connect(conversation, "vera", first.sink))
        #expect(service.coBrowsing.connect(conversation, "ada", second.sink) != nil)
        #expect(service.coBrowsing.connect(conversation, "mallory", second.sink) == nil, "not in it")
        let size = try #require(FrameSize(width: 10, height: 10))
        service.coBrowsing.receive(CoBrowsingMessage(7, .start(size)).bytes, from: number)
        #expect(await reader.next()?.info?.conversation.sharedBy == "vera")
        #expect(second.heard.withLock { $0.last } == .start(size))
        #expect(try await service.snapshot(ada).conversations.first?.conversation.sharedBy == "vera")
        _ = try await service.change(id, .end, by: ada)
        #expect(await reader.next()?.info?.conversation.state == .ended)
        for socket in [first, second] {
            #expect(socket.heard.withLock { $0.last } == .stop(.conversationEnded))
            #expect(socket.closed.withLock { $0 } == ["the conversation is over"])
        }
        service.close()
    }

    @Test func participants() {
        var conversation = Conversation(id: "c", type: .chat)
        conversation.participants = [
            .init(personId: "v1", role: .visitor), .init(personId: "a1", role: .agent),
            .init(personId: "v2", role: .visitor), .init(personId: "a2", role: .agent),
        ]
        let types = ["v1", "a1", "v2", "a2", "x"].map { CoBrowsingParticipant(of: $0, in: conversation) }
        #expect(types == [.contextPerson, .assignedAgent, .secondaryVisitor, .secondaryAgent, nil])
    }
}
