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
    init(_ id: String, in directory: String) throws(MediaError) {
        // Ids are ours; one that would lead elsewhere is refused all the same.
        guard !id.isEmpty, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        else {
            throw MediaError(.argument, id, "is no archive's id", remedy: "use letters, digits, - and _")
        }
        path = "\(directory)/\(id)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw MediaError(
                .unwritable, path, "can't be created: \(error.localizedDescription)",
                remedy: "check that the directory exists and is writable")
        }
    }

    var composed: String { "\(path)/archive.webm" }

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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = "\(path)/archive.json"
        do {
            try encoder.encode(manifest).write(to: URL(fileURLWithPath: file), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        } catch {
            throw MediaError(
                .unwritable, file, "can't be written: \(error.localizedDescription)", remedy: "check the disk")
        }
    }

    func remove(_ files: [String]) { for file in files { try? FileManager.default.removeItem(atPath: file) } }

    func removeAll() { try? FileManager.default.removeItem(atPath: path) }
}
