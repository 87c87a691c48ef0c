import ConversationModel
import Foundation
import Testing

@testable import ConversationService

private let vera = ConversationPerson(id: "vera", role: .visitor)
private let eve = ConversationPerson(id: "eve", role: .visitor)
private let ada = ConversationPerson(id: "ada", role: .agent)

private func service(
    _ directory: String? = nil, _ change: (inout ConversationService.Settings) -> Void = { _ in }
) throws -> ConversationService {
    var settings = ConversationService.Settings()
    settings.directory = directory
    change(&settings)
    return try ConversationService(settings) { 1_000 }
}

private func temporaryDirectory() -> String { NSTemporaryDirectory() + "conversations-\(UUID().uuidString)" }

private func kind(_ body: () async throws(ConversationRefusal) -> Void) async -> ConversationRefusal.Kind? {
    do { try await body() } catch { return error.kind }
    return nil
}

extension ConversationService {
    fileprivate func begin(_ person: ConversationPerson, _ clientId: String = "k") async throws -> Conversation {
        try await begin(ConversationRequest(clientId: clientId, type: .chat), by: person).conversation
    }
}

@Suite(.timeLimit(.minutes(10))) struct ConversationServiceTests {
    @Test func begunOnce() async throws {
        let service = try service()
        let request = ConversationRequest(clientId: "k", type: .video, area: "loans", data: ["a": "1"])
        let first = try await service.begin(request, by: vera)
        let again = try await service.begin(request, by: vera)
        #expect(first.isNew && !again.isNew && first.conversation == again.conversation)
        #expect(first.conversation.data == ["a": "1"] && first.conversation.area == "loans")
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try await service.begin(ConversationRequest(clientId: "k2", type: .chat), by: vera)
            } == .conflict, "a visitor has one open")
        _ = try await service.change(first.conversation.id, .end, by: vera)
        let second = try await service.begin(vera, "k2")
        #expect(second.id != first.conversation.id)
        let late = try await service.begin(request, by: vera)
        #expect(late.conversation.state == .ended, "its name is taken")
        service.close()
    }

    @Test func writtenOnce() async throws {
        let service = try service()
        let id = try await service.begin(vera).id
        let first = try await service.write("hello", clientId: "m1", in: id, by: vera)
        #expect(first.number == 1 && first.sentAt == 1_000)
        #expect(try await service.write("hello", clientId: "m1", in: id, by: vera) == first)
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try await service.write("other", clientId: "m1", in: id, by: vera)
            } == .conflict)
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try await service.write("", clientId: "m2", in: id, by: vera)
            } == .invalid)
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try await service.write("x", clientId: "../m", in: id, by: vera)
            } == .invalid)
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try await service.write("x", clientId: "m2", in: id, by: eve)
            } == .unknown)
        _ = try await service.change(id, .join, by: ada)
        #expect(try await service.write("yes?", clientId: "m1", in: id, by: ada).number == 2, "names are the author's")
        _ = try await service.change(id, .end, by: ada)
        #expect(try await service.write("hello", clientId: "m1", in: id, by: vera) == first, "it was taken")
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try await service.write("late", clientId: "m9", in: id, by: vera)
            } == .conflict)
        service.close()
    }

    @Test func unreadCounts() async throws {
        let service = try service()
        let id = try await service.begin(vera).id
        _ = try await service.change(id, .join, by: ada)
        for number in 1...3 { _ = try await service.write("v\(number)", clientId: "m\(number)", in: id, by: vera) }
        _ = try await service.write("a", clientId: "m", in: id, by: ada)
        #expect(try await service.conversation(id, for: ada).unread == 3)
        #expect(try await service.conversation(id, for: vera).unread == 1)
        #expect(try await service.change(id, .read(2), by: ada).unread == 1)
        #expect(try await service.snapshot(ada).conversations.map(\.unread) == [1])
        service.close()
    }

    @Test func pagesOfMessages() async throws {
        let service = try service()
        let id = try await service.begin(vera).id
        for number in 1...250 { _ = try await service.write("\(number)", clientId: "m\(number)", in: id, by: vera) }
        let first = try await service.messages(in: id, after: 0, for: vera)
        #expect(first.messages.map(\.number) == Array(1...200) && first.hasMore)
        let second = try await service.messages(in: id, after: 200, for: vera)
        #expect(second.messages.map(\.number) == Array(201...250) && !second.hasMore)
        #expect(try await service.messages(in: id, after: .max, for: vera).messages.isEmpty)
        #expect(try await service.messages(in: id, after: -5, for: vera).messages.count == 200)
        service.close()
    }

    @Test func socketsHearWhatIsTheirBusiness() async throws {
        let service = try service()
        let ofVera = try await service.attach(vera)
        let ofEve = try await service.attach(eve)
        let ofAda = try await service.attach(ada)
        let id = try await service.begin(vera).id
        _ = try await service.write("hello", clientId: "m1", in: id, by: vera)
        _ = try await service.change(id, .join, by: ada)
        _ = try await service.write("yes?", clientId: "m1", in: id, by: ada)
        try service.setAvailable(true, ada)
        _ = try await service.change(id, .end, by: vera)
        for number in [ofVera.number, ofEve.number, ofAda.number] { service.detach(number) }
        func lines(_ notices: AsyncStream<ConversationNotice>) async -> [String] {
            var lines: [String] = []
            for await notice in notices {
                let state = notice.info?.conversation.state.rawValue ?? notice.isAvailable.map { "\($0)" } ?? ""
                lines.append(
                    [notice.type.rawValue, state, notice.message?.text ?? ""].filter { !$0.isEmpty }.joined(
                        separator: " "))
            }
            return lines
        }
        #expect(
            await lines(ofVera.notices) == [
                "SNAPSHOT", "CONVERSATION QUEUED", "MESSAGE QUEUED hello", "CONVERSATION ACTIVE", "MESSAGE ACTIVE yes?",
                "AVAILABILITY true", "CONVERSATION ENDED",
            ])
        #expect(await lines(ofEve.notices) == ["SNAPSHOT", "AVAILABILITY true"])
        // Agents see the queue; what is said in a conversation is for those in it.
        #expect(
            await lines(ofAda.notices) == [
                "SNAPSHOT", "CONVERSATION QUEUED", "CONVERSATION QUEUED", "CONVERSATION ACTIVE", "MESSAGE ACTIVE yes?",
                "AVAILABILITY true", "CONVERSATION ENDED",
            ])
        service.close()
    }

    @Test func availabilityGoesWithTheLastSocket() async throws {
        let service = try service()
        #expect(await kind { () throws(ConversationRefusal) in try service.setAvailable(true, vera) } == .forbidden)
        #expect(await kind { () throws(ConversationRefusal) in try service.setAvailable(true, ada) } == .conflict)
        let first = try await service.attach(ada)
        let second = try await service.attach(ada)
        try service.setAvailable(true, ada)
        service.detach(first.number)
        #expect(try await service.snapshot(vera).isAvailable)
        service.detach(second.number)
        #expect(try await service.snapshot(vera).isAvailable == false)
        service.close()
    }

    @Test func bounds() async throws {
        let service = try service { $0.openConversations = 1 }
        _ = try await service.begin(vera)
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try await service.begin(ConversationRequest(clientId: "k", type: .chat), by: eve)
            } == .unavailable)
        for _ in 0..<ConversationListeners.perPerson { _ = try await service.attach(vera) }
        #expect(await kind { () throws(ConversationRefusal) in _ = try await service.attach(vera) } == .conflict)
        service.close()
        #expect(await kind { () throws(ConversationRefusal) in _ = try await service.snapshot(vera) } == .unavailable)
    }

    @Test func aSocketThatDoesNotReadIsClosed() async throws {
        let service = try service()
        let slow = try await service.attach(vera)
        let id = try await service.begin(vera).id
        for number in 0..<ConversationListeners.queued {
            _ = try await service.write("\(number)", clientId: "m\(number)", in: id, by: vera)
        }
        var count = 0
        for await _ in slow.notices { count += 1 }
        #expect(count == ConversationListeners.queued)
        service.close()
    }

    @Test func inMemoryTheOldestAreForgotten() async throws {
        let service = try service { $0.endedInMemory = 2 }
        var ids: [String] = []
        for number in 0..<4 {
            ids.append(try await service.begin(vera, "k\(number)").id)
            _ = try await service.change(ids[number], .end, by: vera)
        }
        var known = 0
        for id in ids
        where await kind({ () throws(ConversationRefusal) in _ = try await service.conversation(id, for: vera) }) == nil
        {
            known += 1
        }
        #expect(known == 2)
        service.close()
    }

    @Test func aFileOutlivesTheService() async throws {
        let directory = temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = try service(directory)
        let conversation = try await first.begin(vera)
        let message = try await first.write("hello", clientId: "m1", in: conversation.id, by: vera)
        _ = try await first.change(conversation.id, .call(.audio), by: vera)
        first.close()
        let second = try service(directory)
        #expect(try await second.messages(in: conversation.id, after: 0, for: vera).messages == [message])
        let known = try await second.conversation(conversation.id, for: vera).conversation
        #expect(known.call?.callType == .audio && known.lastMessage == 1)
        #expect(try await second.write("hello", clientId: "m1", in: conversation.id, by: vera) == message)
        second.close()
    }

    @Test func aFolderThatIsNoneIsNamed() throws {
        let path = NSTemporaryDirectory() + "conversations-\(UUID().uuidString)"
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            _ = try service(path)
            Issue.record("no error")
        } catch let refusal as ConversationRefusal {
            #expect(refusal.description.contains(path))
        }
    }

    /// Many at once: numbers without gaps, in each conversation.
    @Test func manyAtOnce() async throws {
        let service = try service()
        let id = try await service.begin(vera).id
        let listening = try await service.attach(vera)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    _ = try await service.write(
                        "\(number)", clientId: "m\(number % 100)-\(number / 100)", in: id, by: vera)
                }
            }
            try await group.waitForAll()
        }
        service.detach(listening.number)
        var numbers: [Int64] = []
        for await notice in listening.notices { if let message = notice.message { numbers.append(message.number) } }
        #expect(numbers == Array(1...200), "heard in order")
        service.close()
    }
}

@Suite struct ConversationListenersTests {
    /// An agent whose socket nobody reads any more is not there.
    @Test func aSocketThatIsGoneIsForgotten() throws {
        var listeners = ConversationListeners()
        let (stream, continuation) = AsyncStream.makeStream(of: ConversationNotice.self)
        _ = try listeners.add(ada, continuation)
        listeners.set("ada", isAvailable: true)
        withExtendedLifetime(stream) { #expect(listeners.isAvailable) }
        continuation.finish()
        listeners.send { _ in .availability(true) }
        #expect(!listeners.isAvailable && listeners.people.isEmpty)
    }
}
