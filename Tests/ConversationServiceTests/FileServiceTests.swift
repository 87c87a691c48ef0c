import ConversationModel
import Foundation
import Testing

@testable import ConversationService

private let vera = ConversationPerson(id: "vera", role: .visitor)
private let eve = ConversationPerson(id: "eve", role: .visitor)
private let ada = ConversationPerson(id: "ada", role: .agent)

/// SHA-256 of `hello, world\n`, of nothing, and of `<html>\n` (FIPS 180-4; sha256sum).
private let helloDigest = "853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020"
private let emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
private let pageDigest = "b53a55383d2f1f040ab010606d7911907f1a17f979f1d475fb4ac226243135e5"
private let hello = Array("hello, world\n".utf8)

@Suite(.timeLimit(.minutes(10))) struct FileServiceTests {
    /// A service with a folder, a conversation of vera's, and the folder.
    private static func with(
        _ change: (inout ConversationService.Settings) -> Void = { _ in },
        _ body: (ConversationService, String, String) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "files-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let service = try open(directory, change)
        let id = try await service.begin(ConversationRequest(clientId: "k", type: .chat), by: vera).conversation.id
        try await body(service, id, directory)
        service.close()
    }

    private static func open(
        _ directory: String?, _ change: (inout ConversationService.Settings) -> Void = { _ in }, now: Int64 = 1_000
    ) throws -> ConversationService {
        var settings = ConversationService.Settings()
        settings.directory = directory
        change(&settings)
        return try ConversationService(settings) { now }
    }

    private static func request(
        _ clientId: String = "f1", name: String = "hello.txt", type: String = "text/plain", size: Int64 = 13,
        sha256: String = helloDigest
    ) -> FileRequest { FileRequest(clientId: clientId, name: name, type: type, size: size, sha256: sha256) }

    private static func kind(_ body: () async throws(ConversationRefusal) -> Void) async -> ConversationRefusal.Kind? {
        do { try await body() } catch { return error.kind }
        return nil
    }

    @Test func inPieces() async throws {
        try await Self.with { service, id, directory in
            let (file, isNew) = try await service.announce(Self.request(), in: id, by: vera)
            #expect(isNew && file.state == .uploading && file.received == 0)
            let again = try await service.announce(Self.request(), in: id, by: vera)
            #expect(!again.isNew && again.file == file)
            let half = try await service.append(Array(hello.prefix(5)), to: file.id, at: 0, by: vera)
            #expect(half.received == 5 && half.state == .uploading)
            #expect(
                await Self.kind { () throws(ConversationRefusal) in
                    _ = try await service.append(hello, to: file.id, at: 0, by: vera)
                } == .conflict, "what is here is not written again")
            #expect(
                await Self.kind { () throws(ConversationRefusal) in
                    _ = try await service.append(hello, to: file.id, at: 5, by: vera)
                } == .invalid, "more than was announced")
            #expect(
                await Self.kind { () throws(ConversationRefusal) in
                    _ = try await service.content(of: file.id, for: vera)
                } == .conflict, "not whole")
            let whole = try await service.append(Array(hello.dropFirst(5)), to: file.id, at: 5, by: vera)
            #expect(whole.state == .ready && whole.received == 13)
            #expect(try await service.append([], to: file.id, at: 5, by: vera) == whole, "the answer was lost")
            let path = try await service.content(of: file.id, for: ada).path
            #expect(FileManager.default.contents(atPath: path) == Data(hello))
            #expect(path.hasPrefix(directory + "/files/"))
            #expect(try await service.files(in: id, for: vera).files == [whole])
        }
    }

    @Test func whoMay() async throws {
        try await Self.with { service, id, _ in
            let file = try await service.announce(Self.request(), in: id, by: vera).file
            for (person, expected) in [(eve, ConversationRefusal.Kind.unknown), (ada, .forbidden)] {
                #expect(
                    await Self.kind { () throws(ConversationRefusal) in
                        _ = try await service.append(hello, to: file.id, at: 0, by: person)
                    } == expected)
                #expect(
                    await Self.kind { () throws(ConversationRefusal) in
                        _ = try await service.announce(Self.request("f2"), in: id, by: person)
                    } == expected)
            }
            #expect(
                await Self.kind { () throws(ConversationRefusal) in _ = try await service.files(in: id, for: eve) }
                    == .unknown)
            _ = try await service.change(id, .end, by: vera)
            #expect(
                await Self.kind { () throws(ConversationRefusal) in
                    _ = try await service.announce(Self.request("f2"), in: id, by: vera)
                } == .conflict)
        }
    }

    @Test func policies() async throws {
        try await Self.with({
            $0.files.policy = FilePolicy(types: ["text/*"], maximumBytes: 20)
            $0.files.perConversation = 2
            $0.files.totalBytes = 30
        }) { service, id, _ in
            func refusal(_ request: FileRequest) async -> ConversationRefusal.Kind? {
                await Self.kind { () throws(ConversationRefusal) in
                    _ = try await service.announce(request, in: id, by: vera)
                }
            }
            #expect(await refusal(Self.request(type: "image/png")) == .unfit)
            #expect(await refusal(Self.request(size: 21)) == .tooLarge)
            for name in ["../x", "a/b", "", ".x", "a\0b"] {
                #expect(await refusal(Self.request(name: name)) == .invalid)
            }
            #expect(await refusal(Self.request()) == nil)
            #expect(await refusal(Self.request(size: 12)) == .conflict, "the same name, something else")
            #expect(await refusal(Self.request("f2", size: 18)) == .noSpace)
            #expect(await refusal(Self.request("f2")) == nil)
            #expect(await refusal(Self.request("f3", size: 1)) == .conflict, "two files")
        }
        let without = try Self.open(nil)
        let id = try await without.begin(ConversationRequest(clientId: "k", type: .chat), by: vera).conversation.id
        #expect(
            await Self.kind { () throws(ConversationRefusal) in
                _ = try await without.announce(Self.request(), in: id, by: vera)
            } == .unavailable, "no folder")
        without.close()
    }

    @Test func anEmptyFile() async throws {
        try await Self.with { service, id, _ in
            let file = try await service.announce(Self.request(size: 0, sha256: emptyDigest), in: id, by: vera).file
            #expect(file.state == .ready)
            let path = try await service.content(of: file.id, for: vera).path
            #expect(FileManager.default.contents(atPath: path) == Data())
        }
    }

    /// A page that comes as text is whole, and nobody gets it.
    @Test func quarantine() async throws {
        try await Self.with { service, id, directory in
            let page = Array("<html>\n".utf8)
            let request = Self.request(size: Int64(page.count), sha256: pageDigest)
            let file = try await service.announce(request, in: id, by: vera).file
            let whole = try await service.append(page, to: file.id, at: 0, by: vera)
            #expect(whole.state == .quarantined)
            #expect(
                await Self.kind { () throws(ConversationRefusal) in
                    _ = try await service.content(of: file.id, for: vera)
                } == .forbidden)
            let hidden = directory + "/files/quarantine/" + file.id
            #expect(FileManager.default.contents(atPath: hidden) == Data(page))
            #expect(!FileManager.default.fileExists(atPath: directory + "/files/" + file.id))
        }
    }

    @Test func anotherContent() async throws {
        try await Self.with { service, id, _ in
            let file = try await service.announce(Self.request(), in: id, by: vera).file
            let other = Array("HELLO, world\n".utf8)
            #expect(
                await Self.kind { () throws(ConversationRefusal) in
                    _ = try await service.append(other, to: file.id, at: 0, by: vera)
                } == .conflict)
            #expect(try await service.file(file.id, for: vera).received == 0, "from the beginning")
            #expect(try await service.append(hello, to: file.id, at: 0, by: vera).state == .ready)
        }
    }

    /// A server that is killed after it wrote and before it said so goes on from what it said.
    @Test func aKilledServer() async throws {
        try await Self.with { service, id, directory in
            let file = try await service.announce(Self.request(), in: id, by: vera).file
            _ = try await service.append(Array(hello.prefix(5)), to: file.id, at: 0, by: vera)
            let path = directory + "/files/" + file.id
            try Data(Array(hello.prefix(5)) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
                .write(to: URL(fileURLWithPath: path))
            let again = try Self.open(directory)
            #expect(try await again.file(file.id, for: vera).received == 5)
            #expect(try await again.append(Array(hello.dropFirst(5)), to: file.id, at: 5, by: vera).state == .ready)
            #expect(FileManager.default.contents(atPath: path) == Data(hello))
            again.close()
        }
    }

    @Test func forgottenUploads() async throws {
        try await Self.with { service, id, directory in
            let file = try await service.announce(Self.request(), in: id, by: vera).file
            _ = try await service.append(Array(hello.prefix(5)), to: file.id, at: 0, by: vera)
            let later = try Self.open(directory, now: 1_001 + FileSettings().patience)
            _ = try await later.announce(Self.request("f2"), in: id, by: vera)
            #expect(try await later.files(in: id, for: vera).files.map(\.clientId) == ["f2"])
            #expect(!FileManager.default.fileExists(atPath: directory + "/files/" + file.id))
            later.close()
        }
    }

    @Test func theOthersAreTold() async throws {
        try await Self.with { service, id, _ in
            let (number, notices) = try await service.attach(vera)
            let file = try await service.announce(Self.request(), in: id, by: vera).file
            let whole = try await service.append(hello, to: file.id, at: 0, by: vera)
            for await notice in notices {
                if let told = notice.file {
                    #expect(told == whole)
                    break
                }
            }
            service.detach(number)
        }
    }
}
