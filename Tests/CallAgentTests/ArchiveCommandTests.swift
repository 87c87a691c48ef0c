import ArgumentParser
import Foundation
import Testing

@testable import callagent

/// `archive start|stop|list|fetch|delete`, and how a file is fetched.
@Suite struct ArchiveCommandTests {
    private static let server = ["--server", "http://h:1", "--key", "100", "--secret", "s"]

    private static func start(_ arguments: [String]) throws -> ArchiveStartOrder {
        let parsed = try CallAgent.parseAsRoot(["archive", "start", "--session", "2_x"] + server + arguments)
        return try #require(parsed as? ArchiveStartCommand).order
    }

    @Test func anOrderSaysWhatWasAskedFor() throws {
        let usual = try Self.start([])
        #expect(
            usual
                == ArchiveStartOrder(
                    sessionId: "2_x", hasAudio: true, hasVideo: true, outputMode: "composed", streamMode: "auto"))
        let order = try Self.start([
            "--name", "n", "--no-audio", "--resolution", "1280x720", "--screen-layout", "pip", "--max-bitrate",
            "500000",
            "--tag", "t", "--stream-mode", "manual",
        ])
        #expect(order.layout == .init(type: "bestFit", screenshareType: "pip") && !order.hasAudio)
        #expect(order.resolution == "1280x720" && order.streamMode == "manual" && order.maxBitrate == 500_000)
        // What is not asked for is not sent.
        let json = String(decoding: try JSONEncoder().encode(usual), as: UTF8.self)
        #expect(!json.contains("layout") && !json.contains("null"))
    }

    @Test(arguments: [
        ["start"], ["start", "--session", "s", "--no-audio", "--no-video"],
        ["start", "--session", "s", "--layout", "custom"],
        ["start", "--session", "s", "--resolution", "1x1"], ["start", "--session", "s", "--max-bitrate", "1"],
        ["start", "--session", "s", "--layout", "pip", "--screen-layout", "pip"],
        ["start", "--session", "s", "--output-mode", "individual", "--layout", "pip"],
        ["stop"], ["stop", "../x"], ["stop", "a/b"], ["stop", ""], ["fetch", "a", "-o", ""],
        ["fetch", "a", "--wait", "-1"],
        ["delete", "a?b"], ["list", "--count", "0"], ["list", "--offset", "-1"], ["list", "a"],
    ])
    func wrongOnesAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { _ = try CallAgent.parseAsRoot(["archive"] + arguments + Self.server) }
    }

    @Test(arguments: [
        ["--server", "h", "--key", "100", "--secret", "s"], ["--server", "http://h", "--key", "a b", "--secret", "s"],
        ["--server", "http://h", "--key", "100", "--secret", ""],
    ])
    func aServerIsNeeded(arguments: [String]) {
        #expect(throws: (any Error).self) { _ = try CallAgent.parseAsRoot(["archive", "list"] + arguments) }
    }

    @Test(arguments: [
        ["stop", "0a-b_C"], ["list", "--session", "2_x", "--count", "1000", "--json"], ["delete", "a"],
        ["fetch", "a", "-o", "f.webm", "--wait", "5"], ["fetch", "a", "--output", "f.webm"],
    ])
    func rightOnesAreTaken(arguments: [String]) throws {
        _ = try CallAgent.parseAsRoot(["archive"] + arguments + Self.server)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"), ("host", "host"),
    ])
    func theServersOwnRecorderReachesIt(bind: String, host: String) { #expect(ServeCommand.ownHost(bind) == host) }

    // MARK: Downloads

    private final class Folder {
        let path = "\(NSTemporaryDirectory())/fetch-\(UUID().uuidString)"

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func file(_ name: String) -> String { "\(path)/\(name)" }
        func content(_ name: String) -> Data? { FileManager.default.contents(atPath: file(name)) }
    }

    private struct Broken: Error {}

    private static func byte(_ offset: Int64) -> UInt8 { UInt8(truncatingIfNeeded: offset &* 7) }

    @Test func aFileComesInPiecesAndGoesOnWhereItWasBrokenOff() async throws {
        let folder = try Folder()
        let size = ArchiveDownload.piece * 2 + 10
        var asked: [Range<Int64>] = []
        var download = ArchiveDownload(archive: "a", path: folder.file("x.webm")) { range in
            asked.append(range)
            guard range.lowerBound == 0 else { throw Broken() }
            return range.map(Self.byte)
        }
        await #expect(throws: Broken.self) { try await download.run(size: size) { _ in } }
        #expect(folder.content("x.webm") == nil && folder.content("x.webm.a.part")?.count == Int(ArchiveDownload.piece))
        asked = []
        var told: [Int64] = []
        download = ArchiveDownload(archive: "a", path: folder.file("x.webm")) { range in
            asked.append(range)
            return range.map(Self.byte)
        }
        try await download.run(size: size) { told.append($0) }
        #expect(asked.map(\.lowerBound) == [ArchiveDownload.piece, 2 * ArchiveDownload.piece])
        #expect(told == [ArchiveDownload.piece, 2 * ArchiveDownload.piece, size])
        #expect(folder.content("x.webm") == Data((0..<size).map(Self.byte)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x.webm"])
        // Never in another's place.
        await #expect(throws: ExitStatus.Failure.self) { try await download.run(size: size) { _ in } }
    }

    @Test func whatFitsNothingIsRefused() async throws {
        let folder = try Folder()
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder.file("x.a.part")))
        let download = ArchiveDownload(archive: "a", path: folder.file("x")) { range in range.map(Self.byte) }
        await #expect(throws: ExitStatus.Failure.self) { try await download.run(size: 2) { _ in } }
        let nowhere = ArchiveDownload(archive: "a", path: folder.file("none/x")) { range in range.map(Self.byte) }
        await #expect(throws: ExitStatus.Failure.self) { try await nowhere.run(size: 2) { _ in } }
    }
}
