import CallBridge
import Foundation
import Testing

/// Where descriptors come from, and what is said where they can't be had.
@Suite(.timeLimit(.minutes(10))) struct DescriptorTests {
    private static let json = """
        {"callId":"c","conversationId":"v","provider":"livekit","serviceProviderCallId":"r",
         "endpoint":"ws://127.0.0.1:7880","credentials":{"token":"t"}}
        """

    private func file(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("descriptor-\(UUID()).json").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func aFileHoldsOneOrMany() async throws {
        let one = FileDescriptorSource(path: try file(Self.json))
        #expect(try await one.descriptor(conversation: "any", identity: nil).provider == .liveKit)
        let many = FileDescriptorSource(path: try file("{\"a\": \(Self.json)}"))
        #expect(try await many.descriptor(conversation: "a", identity: nil).mediaKind == .audioVideo)
        let error = await #expect(throws: CallError.self) {
            _ = try await many.descriptor(conversation: "b", identity: nil)
        }
        #expect(error?.message.contains("\"b\"") == true)
    }

    @Test(arguments: ["", "{", "[]", "{\"provider\": 5}", "{\"callId\": \"c\"}", "\u{0}\u{1}"])
    func aBrokenFileIsNamed(text: String) async throws {
        let path = try file(text)
        let error = await #expect(throws: CallError.self) {
            _ = try await FileDescriptorSource(path: path).descriptor(conversation: "x", identity: nil)
        }
        #expect(error?.fault == .configuration)
        #expect(error?.message.contains(path) == true)
    }

    @Test(arguments: ["", "no url", "ftp://host", "http://", "ws://host:1"])
    func aWrongServerURLIsNamed(server: String) async throws {
        let source = ServerDescriptorSource(server: server, credentials: .apiKey("k", secret: "s"))
        let error = await #expect(throws: CallError.self) {
            _ = try await source.descriptor(conversation: "x", identity: nil)
        }
        #expect(error?.code == .configurationUnavailable)
    }

    @Test func aDeadServerIsUnreachable() async throws {
        let source = ServerDescriptorSource(server: "http://127.0.0.1:1", credentials: .apiKey("k", secret: "s"))
        let error = await #expect(throws: CallError.self) {
            _ = try await source.descriptor(conversation: "x", identity: nil)
        }
        #expect(error?.fault == .network)
        #expect(error?.message.contains("http://127.0.0.1:1") == true)
    }
}
