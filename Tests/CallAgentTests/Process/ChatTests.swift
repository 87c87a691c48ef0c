import Foundation
import Testing

@testable import callagent

/// `chat` and `chat-server` as processes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ChatTests {
    private static let key = "security-key-of-ada-0123456789"

    /// A service desk of its own, which ends with the test.
    private struct Desk {
        let process: AgentProcess
        let url: String

        static func start(_ arguments: [String] = []) async throws -> Desk {
            let process = try AgentProcess(["chat-server", "--port", "0"] + arguments)
            let line = try await process.line { $0.hasPrefix("listening on ") }
            let url = try #require(line.split(separator: " ").dropFirst(2).first).dropLast()
            return Desk(process: process, url: String(url))
        }

        func chat(_ arguments: [String]) -> [String] { ["chat", "--server", url, "--app", "shop"] + arguments }

        func stop() async throws {
            process.send(SIGTERM)
            let ending = try await process.ending()
            #expect(ending.code == 0, "\(ending.errors)")
        }
    }

    private static func object(_ ending: AgentProcess.Ending) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
    }

    private static func temporary(_ name: String) -> String { NSTemporaryDirectory() + "\(UUID().uuidString)-\(name)" }

    @Test func aCommentIsAnswered() async throws {
        let desk = try await Desk.start(["--auto-reply", "We are on it.", "--support-name", "Ada"])
        let file = Self.temporary("photo.jpg")
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(repeating: 7, count: 3_000).write(to: URL(fileURLWithPath: file))
        let ending = try await AgentProcess.run(
            desk.chat(["--say", "Where is it?", "--attach", file, "--wait", "60", "--json"]))
        #expect(ending.code == 0, "\(ending.errors)")
        let report = try Self.object(ending)
        #expect(report["answers"] as? Int == 1)
        let received = try #require(report["received"] as? [[String: Any]])
        #expect(received.map { $0["body"] as? String } == ["We are on it."])
        let line = try await desk.process.line { $0.hasPrefix("ticket 1, device ") }
        #expect(line.contains("Guest: Where is it? [") && line.contains("photo.jpg, 3000 bytes]"), "\(line)")
        try await desk.stop()
    }

    /// A chat that is not opened is told of replies, and the state file brings it back.
    @Test func repliesAndState() async throws {
        let desk = try await Desk.start(["--auto-reply", "We are on it."])
        let state = Self.temporary("chats.json")
        defer { try? FileManager.default.removeItem(atPath: state) }
        let first = try await AgentProcess.run(desk.chat(["--say", "one", "--state", state]))
        #expect(first.code == 0 && first.output == "Guest: one\n", "\(first.errors)")
        let told = try await AgentProcess.run(desk.chat(["--replies", "--wait", "60", "--state", state]))
        #expect(told.code == 0 && told.output == "unread: We are on it.\n", "\(told.output) \(told.errors)")
        let open = try await AgentProcess.run(desk.chat(["--wait", "60", "--state", state, "--json"]))
        let received = try #require(try Self.object(open)["received"] as? [[String: Any]])
        #expect(open.code == 0 && received.map { $0["body"] as? String } == ["We are on it."], "\(open.output)")
        let stranger = try await AgentProcess.run(desk.chat(["--wait", "0.3"]))
        #expect(stranger.code == 1 && stranger.errors.contains("no answer came in 0.3 s"), "\(stranger.errors)")
        try await desk.stop()
    }

    /// Users of the application, a refused key, and no key in any message.
    @Test func usersAreVouchedFor() async throws {
        let users = Self.temporary("users.json")
        defer { try? FileManager.default.removeItem(atPath: users) }
        try Data(#"{"ada":"\#(Self.key)"}"#.utf8).write(to: URL(fileURLWithPath: users))
        let desk = try await Desk.start(["--app", "shop", "--users", users, "--auto-reply", "Yes."])
        let ada = ["--user", "ada", "--security-key", Self.key]
        let known = try await AgentProcess.run(desk.chat(ada + ["--say", "Hello", "--wait", "60"]))
        #expect(known.code == 0 && known.output == "Guest: Hello\nSupport: Yes.\n", "\(known.output) \(known.errors)")
        #expect(try await desk.process.line { $0.hasPrefix("ticket 1, user ada, ") }.contains("Hello"))
        let wrong = "wrong-key-0123456789"
        let refused = try await AgentProcess.run(
            desk.chat(["--user", "ada", "--say", "Hello"]), environment: ["CALLBRIDGE_SECURITY_KEY": wrong])
        #expect(refused.code == 3 && refused.output.isEmpty && !refused.errors.contains(wrong), "\(refused.errors)")
        #expect(refused.errors.contains("let this user in"))
        let check = ["chat-server", "check", "--url", desk.url + "/authorize", "--app", "shop"] + ada
        let right = try await AgentProcess.run(check)
        #expect(right.code == 0 && !right.output.contains("WRONG"), "\(right.output)\(right.errors)")
        let elsewhere = try await AgentProcess.run(check.map { $0.replacing("/authorize", with: "/nothing") })
        #expect(elsewhere.code == 1 && elsewhere.output.contains("WRONG") && !elsewhere.output.contains(Self.key))
        try await desk.stop()
        let away = try await AgentProcess.run(check)
        #expect(away.code == 3 && away.errors.contains("does not answer"), "\(away.errors)")
    }

    @Test func webhooksAreHeard() async throws {
        let secret = "webhook-secret-0123456789"
        let environment = ["CALLBRIDGE_WEBHOOK_SECRET": secret]
        let listener = try AgentProcess(
            ["chat-server", "webhooks", "--port", "0", "--count", "1"], environment: environment)
        let said = try await listener.message { $0.contains("listening on ") }
        let url = try #require(said.split(separator: " ").last)
        let desk = try AgentProcess(
            ["chat-server", "--port", "0", "--auto-reply", "Yes.", "--webhook", String(url)], environment: environment)
        let line = try await desk.line { $0.hasPrefix("listening on ") }
        let server = String(try #require(line.split(separator: " ").dropFirst(2).first).dropLast())
        let chat = try await AgentProcess.run(["chat", "--server", server, "--app", "shop", "--say", "Hello"])
        #expect(chat.code == 0, "\(chat.errors)")
        let ending = try await listener.ending()
        #expect(ending.code == 0 && ending.output == "ticket 1, comment 2, Support: Yes.\n", "\(ending.output)")
        desk.send(SIGTERM)
        #expect(try await desk.ending().code == 0)
    }
}
