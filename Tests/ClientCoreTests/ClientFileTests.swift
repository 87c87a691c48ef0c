import CallServer
import ClientModel
import ConversationModel
import Foundation
import LiveKitProtocol
import Synchronization
import Testing

@testable import ClientCore

/// Files between clients, through the embedded server.
@Suite(.timeLimit(.minutes(10))) struct ClientFileTests {
    private static let secret = "client-server-secret-of-32-characters"

    private struct World {
        let server: CallServer
        let vera: CallClient
        let ada: CallClient
        let conversation: String
        let folder: TestFolder
    }

    private static func token(_ identity: String, _ role: PersonRole) -> ClientToken {
        var claims = TokenClaims(
            issuer: "key", subject: identity, expires: Int64(Date().timeIntervalSince1970 + 600))
        claims.attributes = ["role": role.rawValue]
        return ClientToken(AccessToken.mint(claims, secret: secret))
    }

    static func server(_ folder: TestFolder, port: Int = 0, fcm: String? = nil) async throws -> CallServer {
        var configuration = CallServerConfiguration(keys: ["key": secret])
        configuration.port = port
        configuration.conversations.directory = folder.path + "/data"
        configuration.push.fcm = fcm.map { .init(url: $0) }
        let server = CallServer(configuration: configuration)
        try await server.start()
        return server
    }

    static func client(
        _ name: String, _ role: PersonRole, _ port: Int, _ change: (inout ClientEnvironment) -> Void = { _ in }
    ) throws -> CallClient {
        let configuration = ClientConfiguration(serverURL: "http://127.0.0.1:\(port)", apiKey: "key")
        var environment = ClientEnvironment(
            tokens: StaticTokenSource(token(name, role)), links: FixedLinkHandler(.block))
        change(&environment)
        return role == .visitor
            ? try .visitor(configuration, environment) : try .agent(configuration, environment)
    }

    private static func with(
        _ change: (inout ClientEnvironment) -> Void = { _ in }, _ body: (World) async throws -> Void
    ) async throws {
        let folder = try TestFolder()
        let server = try await server(folder)
        let (vera, ada) = (
            try client("vera", .visitor, server.port, change), try client("ada", .agent, server.port)
        )
        try await vera.start()
        try await ada.start()
        let conversation = try await vera.beginConversation(.chat).id
        try await ada.joinConversation(conversation)
        try await body(World(server: server, vera: vera, ada: ada, conversation: conversation, folder: folder))
        await vera.stop()
        await ada.stop()
        await server.stop()
    }

    private static func code(_ body: () async throws -> Void) async -> ClientError.Code? {
        do { try await body() } catch { return (error as? ClientError)?.code }
        return nil
    }

    /// A picture of so many bytes, by its first ones.
    private static func picture(_ folder: TestFolder, _ name: String, _ count: Int) throws -> (String, [UInt8]) {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        while bytes.count < count { bytes.append(UInt8(truncatingIfNeeded: bytes.count &* 31)) }
        let path = folder.path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return (path, bytes)
    }

    @Test func bothWays() async throws {
        try await Self.with { world in
            let (path, bytes) = try Self.picture(world.folder, "cat.png", 700_001)
            let heard = world.ada.events
            let steps = Mutex<[FileProgress]>([])
            let sent = try await world.vera.uploadFile(at: path, type: "image/png", in: world.conversation) { step in
                steps.withLock { $0.append(step) }
            }
            #expect(sent.state == .ready && sent.name == "cat.png" && sent.size == 700_001)
            #expect(steps.withLock { $0.map(\.bytes) } == [0, 262_144, 524_288, 700_001])
            for await event in heard { if event == .conversation(.file(sent)) { break } }
            let place = try await world.ada.downloadFile(
                sent.id, to: FolderDownload(folder: world.folder.path)
            ) { step in
                #expect(step.total == 700_001)
            }
            #expect(place == world.folder.path + "/cat (1).png")
            #expect(FileManager.default.contents(atPath: place) == Data(bytes))
            #expect(try await world.ada.files(in: world.conversation).files == [sent])
            let empty = world.folder.path + "/empty.txt"
            try Data().write(to: URL(fileURLWithPath: empty))
            let nothing = try await world.ada.uploadFile(at: empty, type: "text/plain", in: world.conversation)
            #expect(nothing.state == .ready && nothing.size == 0)
            let back = try await world.vera.downloadFile(nothing.id, to: FolderDownload(folder: world.folder.path))
            #expect(FileManager.default.contents(atPath: back) == Data())
        }
    }

    /// An upload and a download that are killed in the middle, by a server that goes and by a client that goes.
    @Test func goingOn() async throws {
        let folder = try TestFolder()
        let first = try await Self.server(folder)
        let port = first.port
        let vera = try Self.client("vera", .visitor, port)
        try await vera.start()
        let conversation = try await vera.beginConversation(.chat).id
        let (path, bytes) = try Self.picture(folder, "cat.png", 900_000)
        let (middle, reached) = AsyncStream.makeStream(of: Void.self)
        let upload = Task {
            try await vera.uploadFile(at: path, type: "image/png", in: conversation, id: "cat") { step in
                if step.bytes > 0 { reached.yield() }
            }
        }
        _ = await middle.first { _ in true }
        await first.stop()
        let second = try await Self.server(folder, port: port)
        let file = try await upload.value
        #expect(file.state == .ready)
        let later = try await vera.uploadFile(at: path, type: "image/png", in: conversation, id: "cat")
        #expect(later == file, "the same name is the same upload")
        let downloads = try TestFolder()
        let (half, halfReached) = AsyncStream.makeStream(of: Void.self)
        let download = Task {
            try await vera.downloadFile(file.id, to: FolderDownload(folder: downloads.path)) { step in
                if step.bytes > 0 {
                    halfReached.yield()
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
        }
        _ = await half.first { _ in true }
        _ = await download.result
        let steps = Mutex<[Int64]>([])
        #expect(downloads.names == [".\(file.id).part"])
        let place = try await vera.downloadFile(file.id, to: FolderDownload(folder: downloads.path)) { step in
            steps.withLock { $0.append(step.bytes) }
        }
        #expect(steps.withLock { $0.first } == 262_144, "not from the beginning")
        #expect(FileManager.default.contents(atPath: place) == Data(bytes))
        await vera.stop()
        await second.stop()
    }

    @Test func policiesOnBothSides() async throws {
        try await Self.with { world in
            func send(_ path: String, _ type: String, by client: CallClient) async -> ClientError.Code? {
                await Self.code { _ = try await client.uploadFile(at: path, type: type, in: world.conversation) }
            }
            let program = world.folder.path + "/a.txt"
            try Data([0x7F, 0x45, 0x4C, 0x46, 1, 2]).write(to: URL(fileURLWithPath: program))
            #expect(await send(program, "application/x-executable", by: world.vera) == .fileRefused)
            #expect(await send(program, "text/plain", by: world.vera) == .fileQuarantined)
            #expect(await send(world.folder.path, "text/plain", by: world.vera) == .fileFailed)
            #expect(await send("/no/such", "text/plain", by: world.vera) == .fileFailed)
            #expect(try await world.vera.files(in: world.conversation).files.isEmpty, "nothing has left")
            // Whoever has no policy of their own meets the service's.
            let lax = try Self.client("vera", .visitor, world.server.port) {
                $0.files = FilePolicy(types: ["*/*"], maximumBytes: 1 << 40)
            }
            try await lax.start()
            #expect(await send(program, "application/x-executable", by: lax) == .fileRefused)
            let (picture, _) = try Self.picture(world.folder, "cat.png", 100)
            let sent = try await lax.uploadFile(
                at: picture, name: "../../x\u{202E}gnp.png", type: "image/png", in: world.conversation)
            #expect(sent.name == "xgnp.png")
            await lax.stop()
            let strict = FolderDownload(folder: world.folder.path, policy: FilePolicy(types: ["text/plain"]))
            #expect(await Self.code { _ = try await world.ada.downloadFile(sent.id, to: strict) } == .fileRefused)
            #expect(
                await Self.code {
                    _ = try await world.ada.downloadFile("unknown", to: FolderDownload(folder: world.folder.path))
                } == .requestRefused)
        }
    }
}
