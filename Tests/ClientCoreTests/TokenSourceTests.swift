import CallServer
import ClientModel
import Foundation
import Testing

@testable import ClientCore

@Suite(.timeLimit(.minutes(10))) struct TokenSourceTests {
    private static func message(_ source: some TokenSource) async -> String? {
        do { _ = try await source.token() } catch let error as ClientError {
            #expect(error.code == .authorization && !error.isFatal)
            return error.message
        } catch { Issue.record("\(error)") }
        return nil
    }

    @Test func fixed() async throws {
        let source = StaticTokenSource(ClientToken("a"))
        #expect(try await source.token().value == "a")
        source.set(ClientToken("b", validFor: 5))
        #expect(try await source.token() == ClientToken("b", validFor: 5))
    }

    @Test func aFileIsReadEachTime() async throws {
        let path = NSTemporaryDirectory() + "token-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = FileTokenSource(path: path)
        #expect(await Self.message(source)?.contains(path) == true)
        try Data("first\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try await source.token().value == "first")
        try Data(#"{"token": "second", "expiresIn": 60}"#.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try await source.token() == ClientToken("second", validFor: 60_000))
    }

    @Test(arguments: [
        "", "  \n", "two words", "a\r\nEvil: 1", "{}", "{\"token\": 5}", "{\"token\": \"\"}", "\u{e9}t\u{e9}",
    ])
    func whatIsNoToken(text: String) {
        #expect(throws: ClientError.self) { try TokenText.read(Data(text.utf8), from: "it") }
        #expect(throws: ClientError.self) { try TokenText.read(Data(repeating: 65, count: 16 * 1024 + 1), from: "it") }
    }

    @Test func expiryHasBounds() throws {
        #expect(try TokenText.read(Data(#"{"token":"t","expiresIn":-5}"#.utf8), from: "it").validFor == 0)
        #expect(
            try TokenText.read(Data(#"{"token":"t","expiresIn":1e300}"#.utf8), from: "it").validFor == 31_536_000_000)
    }

    @Test func aCommand() async throws {
        #expect(try await CommandTokenSource(program: "/bin/echo", arguments: ["tok$HOME"]).token().value == "tok$HOME")
        #expect(await Self.message(CommandTokenSource(program: "/bin/false"))?.contains("status 1") == true)
        #expect(
            await Self.message(CommandTokenSource(program: "/nowhere/at/all"))?.contains("can't be started") == true)
        let endless = CommandTokenSource(program: "/usr/bin/yes")
        #expect(await Self.message(endless) != nil, "it is ended")
    }

    @Test func aServer() async throws {
        var configuration = CallServerConfiguration(keys: ["key": "secret"])
        configuration.port = 0
        let server = CallServer(configuration: configuration)
        try await server.start()
        let root = "http://127.0.0.1:\(server.port)"
        #expect(try await HTTPTokenSource(url: root + "/").token().value == "OK")
        #expect(await Self.message(HTTPTokenSource(url: root + "/nothing?secret=1"))?.contains("404") == true)
        #expect(await Self.message(HTTPTokenSource(url: root + "/nothing?secret=1"))?.contains("secret") == false)
        await server.stop()
        #expect(await Self.message(HTTPTokenSource(url: root)) != nil)
        #expect(await Self.message(HTTPTokenSource(url: "nonsense")) != nil)
    }
}
