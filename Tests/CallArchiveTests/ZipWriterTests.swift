import Foundation
import MediaCore
import Testing

@testable import CallArchive

@Suite struct ZipWriterTests {
    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Names, checksums and contents, found as readers find them: from the end.
    private static func entries(_ zip: [UInt8]) throws -> [(name: String, checksum: Int, content: [UInt8])] {
        let locator = zip.count - 22 - 20
        #expect(number(zip, zip.count - 22, 4) == 0x0605_4b50 && number(zip, locator, 4) == 0x0706_4b50)
        let end = number(zip, locator + 8, 8)
        try #require(number(zip, end, 4) == 0x0606_4b50)
        var offset = number(zip, end + 48, 8)
        return try (0..<number(zip, end + 32, 8)).map { _ in
            try #require(number(zip, offset, 4) == 0x0201_4b50)
            let (length, extra) = (number(zip, offset + 28, 2), number(zip, offset + 30, 2))
            let fields = offset + 46 + length
            let (size, header) = (number(zip, fields + 4, 8), number(zip, fields + 20, 8))
            let name = String(decoding: zip[offset + 46..<fields], as: UTF8.self)
            let checksum = number(zip, offset + 16, 4)
            offset = fields + extra
            try #require(number(zip, header, 4) == 0x0403_4b50)
            #expect(number(zip, header + 14, 4) == checksum, "both records say the same")
            let local = header + 30 + number(zip, header + 26, 2)
            #expect(number(zip, local + 4, 8) == size)
            let content = local + number(zip, header + 28, 2)
            return (name, checksum, Array(zip[content..<content + size]))
        }
    }

    @Test func filesStandInItAsTheyAre() throws {
        let scratch = try Scratch()
        let large = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Data(large).write(to: URL(fileURLWithPath: scratch.file("large")))
        try Data().write(to: URL(fileURLWithPath: scratch.file("empty")))
        var zip = try ZipWriter(path: scratch.file("a.zip"))
        try zip.add("stream.webm", file: scratch.file("large"))
        try zip.add("nothing", file: scratch.file("empty"))
        try zip.add("archive.json", bytes: Array("123456789".utf8))
        let size = try zip.close()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.file("a.zip"))))
        #expect(bytes.count == size)
        let entries = try Self.entries(bytes)
        #expect(entries.map(\.name) == ["stream.webm", "nothing", "archive.json"])
        #expect(entries[0].content == large && entries[1].content.isEmpty)
        // The check value of CRC-32 (ITU-T V.42).
        #expect(entries[2].checksum == 0xcbf4_3926)
        let mode = try FileManager.default.attributesOfItem(atPath: scratch.file("a.zip"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func whatIsMissingIsNamed() throws {
        let scratch = try Scratch()
        var zip = try ZipWriter(path: scratch.file("a.zip"))
        #expect(throws: MediaError.self) { try zip.add("x", file: scratch.file("none")) }
        #expect(throws: MediaError.self) { _ = try ZipWriter(path: "/nowhere/a.zip") }
    }

    /// Of a pack that fails nothing is left but the files that were to be in it.
    @Test func aPackThatFailsIsGone() throws {
        let scratch = try Scratch()
        let archive = RoomArchive(id: "a", session: "s", outputMode: .individual, createdAt: 0)
        let folder = try ArchiveFolder(archive, in: scratch.path)
        let file = ArchiveManifest.File(
            filename: "none.webm", streamId: "s", videoType: "camera", startTimeOffset: 0, stopTimeOffset: 1, size: 1)
        #expect(throws: MediaError.self) { _ = try folder.pack(ArchiveManifest(archive: archive, files: [file])) }
        #expect(!FileManager.default.fileExists(atPath: folder.packed))
        #expect(try folder.pack(ArchiveManifest(archive: archive, files: [])) > 0)
    }
}
