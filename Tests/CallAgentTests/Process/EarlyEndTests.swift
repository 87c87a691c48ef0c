import Foundation
import LiveKitProtocol
import Testing
import TransportSecurity
import WebClient

/// Calls that end before we leave them, or never come about: one code, and the report names who it was.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EarlyEndTests {
    private static func join(_ server: ServerProcess, _ identity: String, _ arguments: [String]) throws -> AgentProcess
    {
        try AgentProcess(
            ["join", "--url", server.url, "--room", "r", "--identity", identity, "--json"] + ServerProcess.credentials
                + arguments)
    }

    private static func report(_ ending: AgentProcess.Ending) throws -> [String: Any] {
        let line = try #require(ending.output.split(separator: "\n").last, "no report; \(ending.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    /// Nobody listens on the discard port.
    @Test(arguments: [
        ([], "no usable TURN server is named"), (["--ice-server", "turn:127.0.0.1:9,u,p"], "turn:127.0.0.1:9"),
        (["--ice-server", "turn:127.0.0.1:9?transport=tcp,u,p"], "turn:127.0.0.1:9?transport=tcp"),
        (["--ice-server", "turns:127.0.0.1:9,u,p"], "turns:127.0.0.1:9"),
        (["--ice-server", "turn:nowhere.invalid,u,p"], "turn:nowhere.invalid"),
    ]) func aMissingRelayIsNamed(servers: [String], named: String) async throws {
        let server = try await ServerProcess.start()
        for (media, mode) in [([], []), (["--tone", "440"], []), (["--tone", "440"], ["--two-connections"])] {
            let ending = try await Self.join(
                server, "ada", ["--force-relay", "--duration", "3"] + servers + media + mode
            )
            .ending()
            #expect(ending.code == 1, "\(ending.errors)")
            let failures = try #require(try Self.report(ending)["failures"] as? [String])
            #expect(failures.contains { $0.contains(named) }, "\(failures)")
            for word in ["error set", "errno", "Error("] {
                #expect(!(ending.errors + ending.output).contains(word), "\(ending.errors)")
            }
        }
        try await server.stop()
    }

    @Test func whoIsReplacedByTheSameIdentityIsToldSo() async throws {
        let server = try await ServerProcess.start()
        let first = try Self.join(server, "ada", ["--log-level", "info", "--journal", "/dev/stderr"])
        _ = try await first.message { $0.contains("participant.joined") }
        let second = try Self.join(server, "ada", [])
        let ending = try await first.ending()
        let report = try Self.report(ending)
        let ended = try #require(report["ended"] as? [String: Any])
        #expect(ending.code == 1 && ended["reason"] as? String == "DUPLICATE_IDENTITY", "\(ended)")
        let events = try #require(report["events"] as? [[String: Any]])
        #expect(events.contains { ($0["detail"] as? String)?.hasPrefix("DUPLICATE_IDENTITY: ") == true }, "\(events)")
        second.send(SIGINT)
        _ = try await second.ending()
        try await server.stop()
    }

    @Test func whoIsRemovedIsToldSo() async throws {
        let server = try await ServerProcess.start()
        let ada = try Self.join(server, "ada", ["--journal", "/dev/stderr"])
        _ = try await ada.message { $0.contains("participant.joined") }
        try await Self.remove("ada", from: "r", server)
        let ending = try await ada.ending()
        let ended = try #require(try Self.report(ending)["ended"] as? [String: Any])
        #expect(ending.code == 1 && ended["reason"] as? String == "REMOVED", "\(ended)")
        #expect(ending.errors.contains("\"leftReason\":\"REMOVED\""), "\(ending.errors)")
        try await server.stop()
    }

    /// As a moderator does, by the room service.
    private static func remove(_ identity: String, from room: String, _ server: ServerProcess) async throws {
        var claims = TokenClaims(issuer: "devkey", subject: "mod", expires: Int64(Date().timeIntervalSince1970) + 60)
        claims.video = VideoGrant()
        claims.video?.room = room
        claims.video?.roomAdmin = true
        var request = WebRequest(
            .post, try #require(URLComponents(string: server.service + "/twirp/livekit.RoomService/RemoveParticipant")),
            trust: .environment)
        request.headers = [
            ("Authorization", "Bearer " + AccessToken.mint(claims, secret: ServerProcess.secret)),
            ("Content-Type", "application/json"),
        ]
        request.body = Array(try JSONSerialization.data(withJSONObject: ["room": room, "identity": identity]))
        #expect(try await WebClient.send(request).status == 200)
    }
}
