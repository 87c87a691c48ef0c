import ClientModel
import ConversationModel
import Foundation
import Glibc
import Synchronization
import Testing

@testable import ClientCore

/// A folder that is gone with its test.
final class TestFolder: Sendable {
    let path = NSTemporaryDirectory() + "downloads-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }
}

@Suite struct FolderDownloadTests {
    private static let digest = "853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020"
    private static let hello = Array("hello, world\n".utf8)

    private static func file(
        _ name: String = "hello.txt", id: String = "f-1", type: String = "text/plain", size: Int64 = 13,
        sha256: String = digest
    ) -> ConversationFile {
        let request = FileRequest(clientId: "k", name: name, type: type, size: size, sha256: sha256)
        return ConversationFile(request, id: id, conversationId: "c", author: "vera", createdAt: 0)
    }

    private static func code(_ body: () async throws -> Void) async -> ClientError.Code? {
        do { try await body() } catch { return (error as? ClientError)?.code }
        return nil
    }

    @Test func namesAreOurs() async throws {
        let folder = try TestFolder()
        let names = ["hello.txt", "hello.txt", "../../../hello.txt", "/etc/hello.txt", ".hidden", "a/../b"]
        for (number, name) in names.enumerated() {
            let download = FolderDownload(folder: folder.path)
            #expect(try await download.begin(Self.file(name, id: "f-\(number)")) == 0)
            try await download.write(Self.hello)
            let path = try await download.finish()
            #expect(path.hasPrefix(folder.path + "/") && FileManager.default.contents(atPath: path) == Data(Self.hello))
        }
        #expect(
            folder.names == ["b", "hello (1).txt", "hello (2).txt", "hello (3).txt", "hello.txt", "hidden"])
        for id in ["", "../x", "a/b", ".."] {
            #expect(
                await Self.code { _ = try await FolderDownload(folder: folder.path).begin(Self.file(id: id)) }
                    == .fileRefused)
        }
    }

    /// Links in the folder lead outside; nothing is written there, whichever name they have.
    @Test func symbolicLinks() async throws {
        let (folder, outside) = (try TestFolder(), try TestFolder())
        let secret = outside.path + "/secret"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: secret))
        for name in ["hello.txt", ".f-1.part"] {
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: secret)
        }
        let download = FolderDownload(folder: folder.path)
        _ = try await download.begin(Self.file())
        try await download.write(Self.hello)
        #expect(try await download.finish() == folder.path + "/hello (1).txt")
        #expect(outside.text("secret") == "secret" && folder.text("hello (1).txt") == "hello, world\n")
        let page = Array("<html>\n".utf8)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/quarantine", withDestinationPath: outside.path)
        let digest = "b53a55383d2f1f040ab010606d7911907f1a17f979f1d475fb4ac226243135e5"
        let other = FolderDownload(folder: folder.path)
        _ = try await other.begin(Self.file(id: "f-2", size: 7, sha256: digest))
        try await other.write(page)
        #expect(await Self.code { _ = try await other.finish() } == .fileFailed)
        #expect(outside.names == ["secret"] && !folder.names.contains(".f-2.part"))
    }

    @Test func hardLinksAreInTheWay() async throws {
        let (folder, outside) = (try TestFolder(), try TestFolder())
        try Data("secret".utf8).write(to: URL(fileURLWithPath: outside.path + "/secret"))
        try FileManager.default.linkItem(atPath: outside.path + "/secret", toPath: folder.path + "/.f-1.part")
        #expect(
            await Self.code { _ = try await FolderDownload(folder: folder.path).begin(Self.file()) } == .fileFailed)
        #expect(outside.text("secret") == "secret")
    }

    @Test func anEmptyFile() async throws {
        let folder = try TestFolder()
        let download = FolderDownload(folder: folder.path)
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        _ = try await download.begin(Self.file(size: 0, sha256: empty))
        #expect(try await download.finish() == folder.path + "/hello.txt")
        #expect(folder.text("hello.txt") == "")
    }

    /// What came stays, hidden, and a later process goes on with it.
    @Test func goingOn() async throws {
        let folder = try TestFolder()
        let first = FolderDownload(folder: folder.path)
        _ = try await first.begin(Self.file())
        try await first.write(Array(Self.hello.prefix(5)))
        await first.interrupted()
        #expect(folder.names == [".f-1.part"])
        let second = FolderDownload(folder: folder.path)
        #expect(try await second.begin(Self.file()) == 5)
        try await second.write(Array(Self.hello.dropFirst(5)))
        _ = try await second.finish()
        #expect(folder.text("hello.txt") == "hello, world\n" && folder.names == ["hello.txt"])
    }

    @Test func truncatedTooLongAndChanged() async throws {
        let folder = try TestFolder()
        let short = FolderDownload(folder: folder.path)
        _ = try await short.begin(Self.file())
        try await short.write([1, 2])
        #expect(await Self.code { _ = try await short.finish() } == .fileFailed)
        #expect(folder.names == [".f-1.part"], "it may go on")
        let long = FolderDownload(folder: folder.path)
        #expect(try await long.begin(Self.file()) == 2)
        #expect(await Self.code { try await long.write([UInt8](repeating: 1, count: 12)) } == .fileFailed)
        await long.interrupted()
        let changed = FolderDownload(folder: folder.path)
        _ = try await changed.begin(Self.file())
        try await changed.write([UInt8](repeating: 7, count: 11))
        #expect(await Self.code { _ = try await changed.finish() } == .fileFailed)
        #expect(folder.names.isEmpty, "what is not what was sent is no beginning")
        try Data([UInt8](repeating: 1, count: 99)).write(to: URL(fileURLWithPath: folder.path + "/.f-1.part"))
        #expect(try await FolderDownload(folder: folder.path).begin(Self.file()) == 0, "of something else")
    }

    @Test func policies() async throws {
        let folder = try TestFolder()
        let policy = FilePolicy(types: ["text/plain"], maximumBytes: 13)
        for file in [Self.file(type: "image/png"), Self.file(size: 14)] {
            #expect(
                await Self.code { _ = try await FolderDownload(folder: folder.path, policy: policy).begin(file) }
                    == .fileRefused)
        }
        #expect(folder.names.isEmpty)
        let page = Array("<html>\n".utf8)
        let digest = "b53a55383d2f1f040ab010606d7911907f1a17f979f1d475fb4ac226243135e5"
        let download = FolderDownload(folder: folder.path, policy: policy)
        _ = try await download.begin(Self.file(size: 7, sha256: digest))
        try await download.write(page)
        #expect(await Self.code { _ = try await download.finish() } == .fileQuarantined)
        #expect(folder.names == ["quarantine"])
        let kept = folder.path + "/quarantine/f-1"
        let mode = try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions] as? Int
        #expect(mode == 0)
    }

    /// The disk is full for a while: what came stays, and goes on when there is room.
    @Test func aFullDisk() async throws {
        let folder = try TestFolder()
        let room = Mutex(5)
        let download = FolderDownload(folder: folder.path, policy: FilePolicy()) { descriptor, bytes in
            let count = room.withLock { room in
                let count = min(room, bytes.count)
                room -= count
                return count
            }
            guard count > 0 else {
                errno = ENOSPC
                return -1
            }
            return Glibc.write(descriptor, bytes.baseAddress, count)
        }
        _ = try await download.begin(Self.file())
        let error = await #expect(throws: ClientError.self) { try await download.write(Self.hello) }
        #expect(error?.code == .fileFailed && error?.message.contains("No space left") == true)
        await download.interrupted()
        room.withLock { $0 = 100 }
        #expect(try await download.begin(Self.file()) == 5)
        try await download.write(Array(Self.hello.dropFirst(5)))
        _ = try await download.finish()
        #expect(folder.text("hello.txt") == "hello, world\n")
        #expect(await Self.code { _ = try await FolderDownload(folder: "/no/such").begin(Self.file()) } == .fileFailed)
    }
}
