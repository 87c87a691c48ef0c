import Foundation
import Testing

@testable import callagent

/// The configuration service, as `descriptor` and `join` ask it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ServiceTests {
    private static func asking(_ server: ServerProcess, _ subcommand: String, _ arguments: [String]) -> [String] {
        [subcommand, "--server", server.service, "--conversation", "support-42"] + ServerProcess.credentials + arguments
    }

    private static func object(_ ending: AgentProcess.Ending) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
    }

    /// What lets somebody in is shown to those alone who ask for it.
    @Test func theDescriptorIsPrinted() async throws {
        let server = try await ServerProcess.start()
        let plain = try await AgentProcess.run(Self.asking(server, "descriptor", ["--identity", "ada", "--json"]))
        let said = try Self.object(plain)
        #expect(
            plain.code == 0 && said["provider"] as? String == "LIVEKIT" && said["endpoint"] as? String == server.url)
        #expect(said["conversationId"] as? String == "support-42")
        #expect((said["credentials"] as? [String: Any])?.isEmpty == true)
        let whole = try await AgentProcess.run(
            Self.asking(server, "descriptor", ["--identity", "ada", "--json", "--with-token"]))
        let token = try #require((try Self.object(whole)["credentials"] as? [String: Any])?["token"] as? String)
        #expect(token.split(separator: ".").count == 3)
        let text = try await AgentProcess.run(Self.asking(server, "descriptor", ["--identity", "ada"]))
        #expect(text.output.contains("provider      LIVEKIT") && !text.output.contains("ey"), "\(text.output)")
        try await server.stop()
    }

    @Test func aProviderThatIsNotConfiguredIsNamed() async throws {
        let server = try await ServerProcess.start()
        let ending = try await AgentProcess.run(
            Self.asking(server, "descriptor", ["--identity", "ada", "--provider", "elsewhere"]))
        #expect(ending.code == 3 && ending.output.isEmpty && ending.errors.contains("ELSEWHERE"), "\(ending.errors)")
        try await server.stop()
    }

    /// The server says where the call is, and makes the token.
    @Test func aConversationIsJoined() async throws {
        let server = try await ServerProcess.start()
        let stay = ["--duration", "4", "--json"]
        let bob = try AgentProcess(Self.asking(server, "join", ["--identity", "bob", "--tone", "440"] + stay))
        let ada = try await AgentProcess.run(
            Self.asking(server, "join", ["--identity", "ada", "--tone", "660"] + stay))
        let report = try Self.object(ada)
        #expect(ada.code == 0 && report["identity"] as? String == "ada", "\(ada.errors)")
        #expect(report["provider"] as? String == "LIVEKIT" && report["met"] as? [String] == ["bob"], "\(report)")
        #expect(try await bob.ending().code == 0)
        try await server.stop()
    }
}
