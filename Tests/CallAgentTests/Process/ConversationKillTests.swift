import ConversationModel
import ConversationService
import Foundation
import LiveKitProtocol
import Synchronization
import Testing
import TransportSecurity
import WebClient

/// `serve --data`: what the server has acknowledged is there after a kill in the middle of writing.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ConversationKillTests {
    private struct Writer: Sendable {
        let service: String
        let person: String
        let acknowledged = Acknowledged()

        func request(_ method: WebRequest.Method, _ path: String, _ body: some Encodable) throws -> WebRequest {
            let url = try #require(URLComponents(string: service + "/callbridge/v1/conversations" + path))
            var request = WebRequest(method, url, trust: TLSTrust(rootsFile: nil))
            var claims = TokenClaims(
                issuer: "devkey", subject: person, expires: Int64(Date().timeIntervalSince1970 + 600))
            claims.attributes = ["role": "visitor"]
            let token = AccessToken.mint(claims, secret: ServerProcess.secret)
            request.headers = [("Authorization", "Bearer \(token)")]
            request.body = Array(try JSONEncoder().encode(body))
            return request
        }

        func begin() async throws -> String {
            let asked = ConversationRequest(clientId: "k-\(person)", type: .chat)
            let answer = try await WebClient.send(try request(.post, "", asked))
            return try JSONDecoder().decode(Conversation.self, from: Data(answer.body)).id
        }

        /// Writes until the server is gone.
        func writeOn(_ conversation: String, first: Int, progress: AsyncStream<Void>.Continuation) async throws {
            var number = first
            while true {
                number += 1
                let path = "/\(conversation)/messages/m\(number)"
                let outgoing = try request(.put, path, ["text": "\(person) \(number)"])
                guard let answer = try? await WebClient.send(outgoing) else { return }
                #expect(answer.status == 200)
                acknowledged.add(try JSONDecoder().decode(ConversationMessage.self, from: Data(answer.body)))
                progress.yield()
            }
        }
    }

    /// What the server said that it has.
    private final class Acknowledged: Sendable {
        private let messages = Mutex<[ConversationMessage]>([])

        func add(_ message: ConversationMessage) { messages.withLock { $0.append(message) } }
        var all: [ConversationMessage] { messages.withLock { $0 } }
    }

    @Test func nothingAcknowledgedIsLost() async throws {
        let directory = NSTemporaryDirectory() + "killed-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var all: [ConversationMessage] = []
        // The same conversations, over several lives of the server.
        for life in 0..<3 {
            let server = try await ServerProcess.start(["--data", directory])
            let (steps, progress) = AsyncStream.makeStream(of: Void.self)
            let writers = ["vera", "victor", "viola", "viktor"].map { Writer(service: server.service, person: $0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in writers {
                    group.addTask {
                        try await writer.writeOn(try await writer.begin(), first: life * 10_000, progress: progress)
                    }
                }
                var count = 0
                for await _ in steps {
                    count += 1
                    if count == 60 + 37 * life { break }
                }
                server.process.send(SIGKILL)
                try await group.waitForAll()
            }
            #expect(try await server.process.ending().code == 128 + SIGKILL)
            for writer in writers { all += writer.acknowledged.all }
            try await Self.check(directory, all)
        }
        #expect(all.count >= 60 + 97 + 134)
    }

    /// Opens what the server left and looks for everything that it has acknowledged.
    private static func check(_ directory: String, _ acknowledged: [ConversationMessage]) async throws {
        var settings = ConversationService.Settings()
        settings.directory = directory
        let service = try ConversationService(settings) { 0 }
        for (conversation, messages) in Dictionary(grouping: acknowledged, by: \.conversationId) {
            let person = ConversationPerson(id: messages[0].author, role: .visitor)
            var kept: [Int64: ConversationMessage] = [:]
            var page = MessagePage(messages: [], hasMore: true)
            while page.hasMore {
                let last = page.messages.last?.number ?? 0
                page = try await service.messages(in: conversation, after: last, for: person)
                for message in page.messages { kept[message.number] = message }
            }
            for message in messages { #expect(kept[message.number] == message, "acknowledged and lost") }
            #expect(kept.keys.sorted() == Array(1...Int64(kept.count)), "numbers without gaps")
            // One more at most for each life: written, and not yet acknowledged.
            #expect(kept.count - messages.count <= 3)
        }
        service.close()
    }

    @Test func withoutAFolderItIsMemory() async throws {
        for _ in 0..<2 {
            let server = try await ServerProcess.start()
            let writer = Writer(service: server.service, person: "vera")
            let id = try await writer.begin()
            let answer = try await WebClient.send(try writer.request(.put, "/\(id)/messages/m", ["text": "hello"]))
            #expect(try JSONDecoder().decode(ConversationMessage.self, from: Data(answer.body)).number == 1)
            try await server.stop()
        }
    }

    @Test func aFolderThatIsNone() async throws {
        let ending = try await AgentProcess.run(
            ["serve", "--port", "0", "--data", "/proc/nowhere"] + ServerProcess.credentials)
        #expect(ending.code != 0 && ending.errors.contains("/proc/nowhere"), "\(ending.errors)")
        let empty = try await AgentProcess.run(["serve", "--data", ""] + ServerProcess.credentials)
        #expect(empty.code != 0 && empty.errors.contains("--data"))
    }
}
