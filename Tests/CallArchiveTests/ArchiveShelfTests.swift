import Foundation
import MediaCore
import Testing

@testable import CallArchive

/// What a server finds of archives that it has recorded before.
@Suite struct ArchiveShelfTests {
    private static func archive(
        _ id: String, _ state: RoomArchive.State, at time: Int64 = 0, project: String? = "100"
    ) -> RoomArchive {
        var archive = RoomArchive(id: id, session: "s", createdAt: time)
        archive.project = project
        archive.state = state
        archive.streams = ["ada"]
        return archive
    }

    private static func put(_ archive: RoomArchive, in scratch: Scratch) throws {
        try ArchiveFolder(archive, in: scratch.path).write(ArchiveManifest(archive: archive, files: []))
    }

    @Test func endedOnesAreAsTheyWereAndOthersHaveFailed() throws {
        let scratch = try Scratch()
        try Self.put(Self.archive("new", .available, at: 3), in: scratch)
        try Self.put(Self.archive("old", .started, at: 1), in: scratch)
        try Self.put(Self.archive("mid", .stopped, at: 2, project: "200"), in: scratch)
        let shelf = ArchiveShelf(directory: scratch.path)
        let found = shelf.archives(limit: 10)
        #expect(found.map(\.id) == ["old", "mid", "new"] && found.map(\.state) == [.failed, .failed, .available])
        #expect(found.allSatisfy { $0.isComplete && $0.streams.isEmpty })
        #expect(found[0].reason.hasPrefix("the server ended while it was recorded"))
        #expect(shelf.archives(limit: 1).map(\.id) == ["new"])
    }

    @Test func aFileIsFoundAndDeleted() throws {
        let scratch = try Scratch()
        try Self.put(Self.archive("a", .available), in: scratch)
        let shelf = ArchiveShelf(directory: scratch.path)
        #expect(shelf.file(of: "a", project: "100") == nil)
        try Data([1]).write(to: URL(fileURLWithPath: scratch.file("100/a/archive.zip")))
        #expect(shelf.file(of: "a", project: "100") == scratch.file("100/a/archive.zip"))
        shelf.delete("a", project: "100")
        #expect(shelf.archives(limit: 10).isEmpty && shelf.file(of: "a", project: "100") == nil)
        #expect(!FileManager.default.fileExists(atPath: scratch.file("100/a")))
    }

    @Test(arguments: ["", ".", "..", "../100", "a/b", "/etc", "a\0b", "ä", String(repeating: "a", count: 129)])
    func namesLeadNowhereElse(name: String) throws {
        let scratch = try Scratch()
        try Self.put(Self.archive("a", .available), in: scratch)
        try Data([1]).write(to: URL(fileURLWithPath: scratch.file("100/a/archive.webm")))
        let shelf = ArchiveShelf(directory: scratch.file("100"))
        #expect(shelf.file(of: name, project: "a") == nil && shelf.file(of: "a", project: name) == nil)
        shelf.delete(name, project: "a")
        shelf.delete("a", project: name)
        #expect(FileManager.default.fileExists(atPath: scratch.file("100/a/archive.webm")))
        #expect(throws: MediaError.self) { _ = try ArchiveFolder(Self.archive(name, .started), in: scratch.path) }
        #expect(throws: MediaError.self) {
            _ = try ArchiveFolder(Self.archive("a", .started, project: name), in: scratch.path)
        }
    }

    @Test func whatIsNoArchiveIsLeftOut() throws {
        let scratch = try Scratch()
        try Self.put(Self.archive("good", .available), in: scratch)
        try Self.put(Self.archive("gone", .deleted), in: scratch)
        // One that says that it is another, or somebody else's.
        var liar = Self.archive("liar", .available)
        try Self.put(liar, in: scratch)
        liar.id = "good"
        try JSONEncoder().encode(ArchiveManifest(archive: liar, files: []))
            .write(to: URL(fileURLWithPath: scratch.file("100/liar/archive.json")))
        for (name, content) in [
            ("broken", Data("{".utf8)), ("huge", Data(repeating: 32, count: 2 << 20)), ("empty", Data()),
        ] {
            try FileManager.default.createDirectory(
                atPath: scratch.file("100/\(name)"), withIntermediateDirectories: true)
            try content.write(to: URL(fileURLWithPath: scratch.file("100/\(name)/archive.json")))
        }
        try FileManager.default.createDirectory(atPath: scratch.file("100/none"), withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: scratch.file("file")))
        #expect(ArchiveShelf(directory: scratch.path).archives(limit: 10).map(\.id) == ["good"])
        #expect(ArchiveShelf(directory: scratch.file("nowhere")).archives(limit: 10).isEmpty)
    }
}
