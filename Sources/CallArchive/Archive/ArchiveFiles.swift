import Foundation
import MediaCore

/// What an archive of single files says of them, beside them in `archive.json`.
package struct ArchiveManifest: Sendable, Codable {
    package struct File: Sendable, Hashable, Codable {
        package var filename: String
        package var streamId: String
        package var videoType: String
        /// Milliseconds from the archive's beginning.
        package var startTimeOffset: Int64
        package var stopTimeOffset: Int64
        package var size: Int
    }

    package var archive: RoomArchive
    package var files: [File]
}

/// The folder of one archive: `archive.webm`, or a file for each stream, and `archive.json`.
struct ArchiveFolder: Sendable {
    let path: String

    /// Makes the folder. Throws where that can't be done.
    init(_ archive: RoomArchive, in directory: String) throws(MediaError) {
        guard let path = Self.path(of: archive.id, project: archive.project, in: directory) else {
            throw MediaError(.argument, archive.id, "is no archive's id", remedy: "use letters, digits, - and _")
        }
        self.path = path
        try Self.make(path)
    }

    static func make(_ path: String) throws(MediaError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw MediaError(
                .unwritable, path, "can't be created: \(error.localizedDescription)",
                remedy: "check that the directory exists and is writable")
        }
    }

    /// Where an archive's folder is; nil for names that could lead elsewhere.
    static func path(of id: String, project: String?, in directory: String) -> String? {
        guard ([project].compactMap(\.self) + [id]).allSatisfy(isSafe) else { return nil }
        return ([directory] + [project].compactMap(\.self) + [id]).joined(separator: "/")
    }

    static func isSafe(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    static let manifest = "archive.json"

    var composed: String { "\(path)/archive.webm" }
    var packed: String { "\(path)/archive.zip" }

    /// A name that is not taken: identities come from the network.
    func unused(_ stream: String) -> String {
        let safe = stream.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" }
        let stem = safe.isEmpty ? "_" : String(safe)
        var name = "\(path)/\(stem).webm"
        var number = 1
        while FileManager.default.fileExists(atPath: name) {
            number += 1
            name = "\(path)/\(stem)-\(number).webm"
        }
        return name
    }

    func write(_ manifest: ArchiveManifest) throws(MediaError) {
        let file = "\(path)/\(Self.manifest)"
        do {
            try Self.encoded(manifest).write(to: URL(fileURLWithPath: file), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        } catch {
            throw MediaError(
                .unwritable, file, "can't be written: \(error.localizedDescription)", remedy: "check the disk")
        }
    }

    /// Makes one file of an archive's files; gives its size. Without room for it nothing of it is left.
    func pack(_ manifest: ArchiveManifest) throws(MediaError) -> Int {
        do throws(MediaError) {
            var zip = try ZipWriter(path: packed)
            for file in manifest.files { try zip.add(file.filename, file: "\(path)/\(file.filename)") }
            try zip.add(Self.manifest, bytes: [UInt8]((try? Self.encoded(manifest)) ?? Data()))
            return try zip.close()
        } catch {
            remove([packed])
            throw error
        }
    }

    static func encoded(_ manifest: ArchiveManifest) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(manifest)
    }

    func remove(_ files: [String]) { for file in files { try? FileManager.default.removeItem(atPath: file) } }

    func removeAll() { try? FileManager.default.removeItem(atPath: path) }
}
