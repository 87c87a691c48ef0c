import ClientModel
import ConversationModel
import Synchronization
import Testing

@testable import ClientCore

private struct Adding: ConversationInterceptor {
    var more: [String: String]

    func conversationIsPreparing(type: ConversationType, data: [String: String]) async throws -> [String: String] {
        more
    }
}

private struct Refusing: ConversationInterceptor {
    struct No: Error {}

    func conversationIsPreparing(type: ConversationType, data: [String: String]) async throws -> [String: String] {
        throw No()
    }
}

/// Answers when the test is over.
private struct Hanging: ConversationInterceptor {
    let gate: AsyncStream<Void>

    func conversationIsPreparing(type: ConversationType, data: [String: String]) async throws -> [String: String] {
        for await _ in gate {}
        return [:]
    }
}

@Suite(.timeLimit(.minutes(10))) struct ClientConversationTests {
    @Test func beginOpenCloseEnd() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service)
        await #expect(throws: ClientError.self) { try await client.beginConversation(.chat) }
        try await client.start()
        #expect(await client.openConversation == nil)
        let first = try await client.beginConversation(.chat, data: ["tier": "gold"])
        #expect(await client.openConversation?.id == first.id)
        let error = await #expect(throws: ClientError.self) { try await client.beginConversation(.chat) }
        #expect(error?.code == .conversationOpen)
        await client.closeConversation()
        #expect(await client.openConversation == nil)
        #expect(await client.conversations.map(\.conversation.id) == [first.id])
        try await client.openConversation(first.id)
        try await client.endConversation(first.id)
        #expect(await client.openConversation == nil)
        #expect(await client.conversations.isEmpty)
        let gone = await #expect(throws: ClientError.self) { try await client.endConversation("nowhere") }
        #expect(gone?.code == .requestRefused)
        #expect(service.state.withLock { $0.begun.map(\.data) } == [["tier": "gold"]])
        await client.stop()
    }

    @Test func theInterceptor() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service)
        try await client.start()
        try await client.setInterceptor(Adding(more: ["page": "loans"]))
        let conversation = try await client.beginConversation(.chat, data: ["tier": "gold"])
        #expect(service.state.withLock { $0.begun.last?.data } == ["tier": "gold", "page": "loans"])
        try await client.endConversation(conversation.id)
        try await client.setInterceptor(Refusing())
        let error = await #expect(throws: ClientError.self) { try await client.beginConversation(.chat) }
        #expect(error?.code == .interceptorFailed)
        await client.stop()
        let agent = try CallClient.scripted(service, .agent)
        let wrong = await #expect(throws: ClientError.self) { try await agent.setInterceptor(Refusing()) }
        #expect(wrong?.code == .wrongRole)
    }

    @Test(arguments: [ClientConfiguration.InterceptorTimeout.proceed, .refuse])
    func anInterceptorThatNeverAnswers(policy: ClientConfiguration.InterceptorTimeout) async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service) { configuration, _ in
            configuration.interceptorTimeout = 5
            configuration.interceptorTimeoutPolicy = policy
        }
        try await client.start()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await client.setInterceptor(Hanging(gate: gate))
        if policy == .proceed {
            _ = try await client.beginConversation(.chat)
        } else {
            let error = await #expect(throws: ClientError.self) { try await client.beginConversation(.chat) }
            #expect(error?.code == .interceptorFailed)
        }
        open.finish()
        await client.stop()
    }

    @Test func messagesWrittenWithoutAConnectionArriveOnceInOrder() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service)
        try await client.start()
        let conversation = try await client.beginConversation(.chat)
        try await client.write("0", in: conversation.id)
        service.change { $0.isReachable = false }
        service.drop()
        await client.waitOnline(false)
        for number in 1..<20 { try await client.write("\(number)", in: conversation.id) }
        #expect(await client.phase == .ready, "a lost connection is no error")
        let events = client.events
        service.change { $0.isReachable = true }
        var sent: [Int64] = []
        for await event in events {
            if case .conversation(.messageFate(_, .sent(let number))) = event { sent.append(number) }
            if sent.last == 20 { break }
        }
        #expect(service.texts(conversation.id) == (0..<20).map(String.init))
        #expect(await client.waitingMessages.isEmpty && sent == sent.sorted())
        await client.stop()
    }

    @Test func aServiceThatIsSilentIsAskedAgain() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service)
        try await client.start()
        let conversation = try await client.beginConversation(.chat)
        service.change { $0.answersRequests = false }
        let events = client.events
        try await client.write("hello", in: conversation.id)
        while !service.state.withLock({ $0.requests.contains { $0.hasPrefix("PUT ") } }) { await Task.yield() }
        #expect(await client.waitingMessages.count == 1)
        service.change { $0.answersRequests = true }
        for await event in events {
            if case .conversation(.messageFate(_, .sent)) = event { break }
        }
        #expect(service.texts(conversation.id) == ["hello"])
        await client.stop()
    }

    @Test func whatCantBeWritten() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service) { configuration, _ in configuration.queuedMessages = 1 }
        try await client.start()
        let conversation = try await client.beginConversation(.chat)
        func code(_ text: String, _ place: String) async -> ClientError.Code? {
            do { try await client.write(text, in: place) } catch { return error.code }
            return nil
        }
        #expect(await code("", conversation.id) == .messageRefused)
        #expect(await code(String(repeating: "x", count: 8_193), conversation.id) == .messageRefused)
        #expect(await code("hello", "nowhere") == .conversationUnavailable)
        service.change { $0.answersRequests = false }
        #expect(await code("one", conversation.id) == nil)
        #expect(await code("two", conversation.id) == .messageRefused, "the queue is full")
        await client.stop()
    }

    @Test func whatOthersSayIsHeard() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service)
        try await client.start()
        var conversation = try await client.beginConversation(.chat)
        conversation.lastMessage = 1
        let message = ConversationMessage(
            conversationId: conversation.id, number: 1, clientId: "m", author: "ada", text: "hello", sentAt: 1)
        let events = client.events
        service.say(.message(message, ConversationInfo(conversation: conversation, unread: 1)))
        service.say(.availability(false))
        var heard: [ConversationEvent] = []
        for await event in events {
            guard case .conversation(let event) = event else { continue }
            heard.append(event)
            if event == .availability(false) { break }
        }
        #expect(heard.contains(.message(message)) && heard.contains(.unread(1)))
        #expect(await client.unreadCount == 1)
        #expect(await client.isAgentAvailable == false)
        await client.stop()
    }

    @Test func onlyAgentsAreAvailable() async throws {
        let service = ScriptedService()
        let visitor = try CallClient.scripted(service)
        let agent = try CallClient.scripted(service, .agent)
        try await visitor.start()
        try await agent.start()
        let error = await #expect(throws: ClientError.self) { try await visitor.setAvailable(true) }
        #expect(error?.code == .wrongRole)
        try await agent.setAvailable(true)
        #expect(service.state.withLock { $0.requests.last } == "PUT /availability")
        await visitor.stop()
        await agent.stop()
    }

    @Test func whoWaitsIsToldOfTheStop() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service)
        try await client.start()
        service.change { $0.answersRequests = false }
        let beginning = Task { try await client.beginConversation(.chat) }
        while service.state.withLock({ $0.requests.isEmpty }) { await Task.yield() }
        await client.stop()
        await #expect(throws: ClientError.self) { try await beginning.value }
    }
}
