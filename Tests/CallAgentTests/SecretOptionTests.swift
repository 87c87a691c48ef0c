import ArgumentParser
import CallModel
import CallServer
import Foundation
import LiveKitProtocol
import Testing

@testable import callagent

/// Secrets from the command line, files and the environment; what is printed of them is nothing.
@Suite struct SecretOptionTests {
    private static let secret = "a-secret-of-32-characters-or-more"

    private static func mint(_ arguments: [String]) throws -> TokenCommand.MintCommand {
        let all = ["token", "mint", "--room", "r", "--identity", "i"] + arguments
        return try #require(try CallAgent.parseAsRoot(all) as? TokenCommand.MintCommand)
    }

    private static func refusal(_ arguments: [String]) -> String {
        do {
            _ = try CallAgent.parseAsRoot(arguments)
            return "taken"
        } catch {
            return CallAgent.fullMessage(for: error)
        }
    }

    @Test func theCommandLineCountsBeforeTheEnvironment() throws {
        try CallEnvironment.$variables.withValue(["LIVEKIT_API_KEY": "env", "LIVEKIT_API_SECRET": Self.secret]) {
            let fromEnvironment = try Self.mint([]).apiKey.required()
            #expect(fromEnvironment.key == "env" && fromEnvironment.secret == Self.secret)
            let given = try Self.mint(["--key", "k", "--secret", "another-secret"]).apiKey.required()
            #expect(given.key == "k" && given.secret == "another-secret")
        }
    }

    @Test func aFileGivesASecretWithoutItsLastLineEnd() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("secret", Self.secret + "\n")
        try CallEnvironment.$variables.withValue([:]) {
            let found = try Self.mint(["--key", "k", "--secret-file", file]).apiKey.required()
            #expect(found.secret == Self.secret)
            #expect(Self.refusal(["serve", "--secret-file", file, "--secret", "s"]).contains("exclude each other"))
        }
    }

    @Test func aFileThatHoldsNoSecretIsNamed() throws {
        let folder = try TemporaryFolder()
        let files = [
            try folder.file("empty", " \n"), try folder.file("lines", "one\ntwo\n"),
            try folder.file("large", String(repeating: "x", count: 70_000)), folder.path, folder.path + "/missing",
        ]
        for file in files {
            let text = Self.refusal(["serve", "--secret-file", file])
            #expect(text.contains("--secret-file \(file)"), "\(text)")
        }
    }

    @Test func tokensKeysAndRelayCredentialsHaveTheSameWays() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("secret", Self.secret)
        try CallEnvironment.$variables.withValue([
            "LIVEKIT_URL": "wss://calls.example", "LIVEKIT_TOKEN": "eyJ.a.b", "CALLBRIDGE_E2EE_KEY": "passphrase",
            "CALLBRIDGE_TURN_CREDENTIAL": "open-sesame",
        ]) {
            let join = try #require(
                try CallAgent.parseAsRoot(["join", "--ice-server", "turn:t.example,ada"]) as? JoinCommand)
            #expect(try join.tokens.setting.resolve() == "eyJ.a.b")
            #expect(try join.encryption.frameEncryption() != nil)
            #expect(try ICEServerArgument("turn:t.example,ada").credential == "open-sesame")
            #expect(try ICEServerArgument("turn:t.example,ada,@\(file)").credential == Self.secret)
            #expect(try ICEServerArgument("turn:t.example,ada,a,b").credential == "a,b")
            #expect(try ServerURL.service(nil) == "https://calls.example")
        }
        CallEnvironment.$variables.withValue([:]) {
            let text = Self.refusal(["join", "--url", "ws://h", "--token", "t", "--ice-server", "turn:t.example,ada"])
            #expect(text.contains("turn:t.example,ada") && text.contains("CALLBRIDGE_TURN_CREDENTIAL"), "\(text)")
        }
    }

    /// The secret that a TURN server shares with ours: from a file, the environment or the command line.
    @Test func theTURNSecretHasTheSameWays() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("turn", "north-star-of-the-sea")
        func servers(_ arguments: [String]) throws -> [ICEServer] {
            let serve = try CallAgent.parseAsRoot(["serve", "--secret", Self.secret] + arguments) as? ServeCommand
            return try #require(serve).turn.servers()
        }
        let relays = ["--turn", "turn:t.example", "--turn", "turns:t.example"]
        try CallEnvironment.$variables.withValue(["CALLBRIDGE_TURN_SECRET": "from-the-environment"]) {
            let named = try servers(relays)
            #expect(named.map(\.urls) == [["turn:t.example"], ["turns:t.example"]])
            #expect(named.allSatisfy { $0.sharedSecret == "from-the-environment" && $0.lifetime == 86_400 })
            #expect(try servers(relays + ["--turn-secret-file", file])[0].sharedSecret == "north-star-of-the-sea")
            let given = try servers(relays + ["--turn-secret", "given-by-hand", "--turn-lifetime", "600"])
            #expect(given[1].sharedSecret == "given-by-hand" && given[1].lifetime == 600)
            #expect(try servers([]).isEmpty)
        }
        CallEnvironment.$variables.withValue([:]) {
            for (arguments, word) in [
                (["--turn", "turn:t.example"], "CALLBRIDGE_TURN_SECRET"),
                (["--turn-secret", "abcdefgh"], "--turn turn:HOST"),
                (["--turn", "stun:t.example", "--turn-secret", "abcdefgh"], "stun:t.example"),
                (relays + ["--turn-secret", "abcdefgh", "--turn-secret-file", file], "one of them"),
                (relays + ["--turn-secret", "abcdefgh", "--turn-lifetime", "5"], "5 s"),
            ] {
                let text = Self.refusal(["serve", "--secret", Self.secret] + arguments)
                #expect(text.contains(word) && !text.contains("abcdefgh"), "\(text)")
            }
        }
    }

    @Test func theTCPPortOfMedia() throws {
        func port(_ arguments: [String]) throws -> MediaTCPPort {
            let serve = try CallAgent.parseAsRoot(["serve", "--secret", Self.secret] + arguments) as? ServeCommand
            return try #require(serve).tcpPort
        }
        #expect(try port([]) == .port(0) && port(["--tcp-port", "7881"]).number == 7881)
        #expect(try port(["--tcp-port", "off"]).number == nil)
        for wrong in ["-1", "65536", "on", ""] {
            #expect(throws: (any Error).self) { try port(["--tcp-port", wrong]) }
        }
    }

    /// A wrong command line is quoted, the secrets in it are not.
    @Test func whatIsSaidOfAWrongCommandLineHoldsNoSecret() async throws {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJlLWluLWJhc2U2NA"
        for arguments in [
            ["join", "--url", "ws://h", token], ["join", "--url", "ws://h", "--tokn", token],
            ["join", "--url", "ws://h", "--token", token, "--ice-server", "rubbish,user,\(Self.secret)"],
            ["serve", "--ice-server", "turn:h,,\(Self.secret)", "--secret", Self.secret, "--port", "x"],
            ["token", "decode", token, "--secret", Self.secret, "--bogus=\(Self.secret)"],
        ] {
            let ending = try await AgentProcess.run(arguments)
            #expect(ending.code == 2, "\(ending.errors)")
            for secret in [token, Self.secret] {
                #expect(!(ending.errors + ending.output).contains(secret), "\(ending.errors)")
            }
        }
    }

    @Test func aFileThatOthersCanReadIsWarnedOf() async throws {
        let folder = try TemporaryFolder()
        let open = try folder.file("open", Self.secret, permissions: 0o644)
        let closed = try folder.file("closed", Self.secret, permissions: 0o600)
        for (file, warnings) in [(open, 1), (closed, 0)] {
            let ending = try await AgentProcess.run(
                ["token", "mint", "--key", "k", "--secret-file", file, "--room", "r", "--identity", "i"])
            #expect(ending.code == 0)
            let count = ending.errors.split(separator: "\n").count { $0.contains("warning") && $0.contains(file) }
            #expect(count == warnings, "\(ending.errors)")
            let claims = try AccessToken.verify(
                ending.output.trimmingCharacters(in: .newlines), secrets: ["k": Self.secret],
                now: Date().timeIntervalSince1970)
            #expect(claims.subject == "i")
        }
    }
}
