import Foundation
import MediaCore

/// The archives of a folder that earlier runs have left there, by project and id.
package struct ArchiveShelf: Sendable {
    /// Bytes of an `archive.json` that is read at all.
    private static let longestManifest = 1 << 20

    package let directory: String

    package init(directory: String) { self.directory = directory }

    /// What stands there, from the oldest on, the newest `limit` of them. What can't be read is left out.
    package func archives(limit: Int) -> [RoomArchive] {
        let found = names(in: directory).flatMap { project in
            names(in: "\(directory)/\(project)").compactMap { archive($0, of: project) }
        }
        return found.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }.suffix(limit)
    }

    /// The file that holds all of an archive; nil where there is none.
    package func file(of id: String, project: String) -> String? {
        guard let folder = ArchiveFolder.path(of: id, project: project, in: directory) else { return nil }
        return ["archive.webm", "archive.zip"].map { "\(folder)/\($0)" }.first {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    /// Deletes all that there is of an archive.
    package func delete(_ id: String, project: String) {
        guard let folder = ArchiveFolder.path(of: id, project: project, in: directory) else { return }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// One that was under way when its server ended stays as it was written: single files.
    private func archive(_ id: String, of project: String) -> RoomArchive? {
        guard let folder = ArchiveFolder.path(of: id, project: project, in: directory),
            let data = manifest(in: folder),
            var archive = (try? JSONDecoder().decode(ArchiveManifest.self, from: data))?.archive, archive.id == id,
            archive.project == project
        else { return nil }
        switch archive.state {
        case .started, .paused, .stopped:
            archive.state = .failed
            archive.reason = "the server ended while it was recorded; what was written is kept"
        case .available, .failed: break
        case .expired, .deleted: return nil
        }
        archive.streams = []
        archive.isComplete = true
        return archive
    }

    private func manifest(in folder: String) -> Data? {
        guard let file = FileHandle(forReadingAtPath: "\(folder)/\(ArchiveFolder.manifest)"),
            let data = try? file.read(upToCount: Self.longestManifest + 1), data.count <= Self.longestManifest
        else { return nil }
        return data
    }

    private func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter(ArchiveFolder.isSafe)
    }
}
