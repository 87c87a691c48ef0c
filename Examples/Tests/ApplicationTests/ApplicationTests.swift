import CallServer
import Foundation
import Testing

/// One application with one provider, the other, both and none, against a server whose configuration names the provider.
@Suite(.serialized) struct ApplicationTests {
    @Test func aWantedProviderThatIsInstalledCarriesTheCall() async throws {
        try await Self.withServer("LIVEKIT") { server in
            let said = try await Self.run("ApplicationLiveKitLike", at: server)
            #expect(said == ["connected LIVEKIT"])
        }
        try await Self.withServer("FAKE") { server in
            let said = try await Self.run("ApplicationFake", at: server)
            #expect(said == ["connected FAKE"])
        }
    }

    @Test func aWantedProviderThatIsNotInstalledIsNamedWithThoseThatAre() async throws {
        try await Self.withServer("FAKE") { server in
            let said = try await Self.run("ApplicationLiveKitLike", at: server)
            #expect(said.count == 1)
            #expect(said[0].hasPrefix("failed providerNotInstalled wanted FAKE installed [LIVEKIT]: "))
        }
        try await Self.withServer("LIVEKIT") { server in
            let said = try await Self.run("ApplicationFake", at: server)
            #expect(said.count == 1)
            #expect(said[0].hasPrefix("failed providerNotInstalled wanted LIVEKIT installed [FAKE]: "))
        }
    }

    @Test(arguments: ["LIVEKIT", "FAKE"]) func withoutAnyProviderThatIsSaid(wanted: String) async throws {
        try await Self.withServer(wanted) { server in
            let said = try await Self.run("ApplicationNone", at: server)
            #expect(said.count == 1)
            #expect(said[0].hasPrefix("failed noProviderInstalled wanted \(wanted): "))
        }
    }

    @Test func theServerChangesTheProviderBetweenTwoCallsOfOneProcess() async throws {
        try await Self.withServer("LIVEKIT") { server in
            let application = try Program("ApplicationBoth", server.arguments)
            let first = try await application.ask("first")
            try Self.put(Self.configuration("FAKE"), to: server)
            let second = try await application.ask("second")
            try Self.put(Self.configuration("LIVEKIT"), to: server)
            let third = try await application.ask("third")
            #expect([first, second, third] == ["connected LIVEKIT", "connected FAKE", "connected LIVEKIT"])
            #expect(try await application.finish() == 0)
        }
    }

    /// An application has the providers that it was linked with, and no other.
    @Test(arguments: [
        ("ApplicationLiveKitLike", true, false), ("ApplicationFake", false, true), ("ApplicationBoth", true, true),
        ("ApplicationNone", false, false),
    ])
    func onlyTheNamedProvidersAreLinked(program: String, liveKitLike: Bool, fake: Bool) throws {
        let image = try Data(contentsOf: Program.url(program))
        #expect((image.range(of: Data("$s19ProviderLiveKitLike".utf8)) != nil) == liveKitLike)
        #expect((image.range(of: Data("$s12ProviderFake".utf8)) != nil) == fake)
        #expect(image.range(of: Data("$s10CallBridge".utf8)) != nil)
    }

    // MARK: Server

    struct Running {
        let server: CallServer
        var arguments: [String] { ["http://127.0.0.1:\(server.port)", "key", ApplicationTests.secret] }
    }

    static let secret = "a-secret-of-thirty-two-characters"

    private static func configuration(_ provider: String) -> Data {
        Data(
            """
            {"providers": {"LIVEKIT": {}, "FAKE": {"endpoint": "fake:world?identity={identity}", "token": "any"}},
             "scopes": {"GLOBAL": {"provider": "\(provider)"}}}
            """.utf8)
    }

    /// An administrator changes the configuration while the server runs.
    private static func put(_ configuration: Data, to server: Running) throws {
        let credentials = Data("key:\(secret)".utf8).base64EncodedString()
        let head = ["PUT /callbridge/v1/configuration HTTP/1.1", "Authorization: Basic \(credentials)"]
        #expect(try Request.send(head, configuration, port: server.server.port) == 204)
    }

    private static func withServer(_ provider: String, _ body: (Running) async throws -> Void) async throws {
        var configuration = CallServerConfiguration(keys: ["key": secret])
        configuration.port = 0
        configuration.service = try ServiceConfiguration(json: Self.configuration(provider))
        configuration.logger.logLevel = .error
        let server = CallServer(configuration: configuration)
        try await server.start()
        do { try await body(Running(server: server)) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func run(_ name: String, at server: Running) async throws -> [String] {
        let program = try Program(name, server.arguments)
        let answer = try await program.ask("support-1")
        #expect(try await program.finish() == 0)
        return [answer]
    }
}
