import Foundation
import ServiceDeskCore

/// Keeps a `DeskLocalStore` in a file for its owner alone (0600), whole at every moment.
public struct LocalStoreFile: Sendable {
    /// Bytes; a larger file is none of ours.
    private static let largest = 256 * 1024 * 1024
    private let path: String

    /// - Parameter path: of the file; its folder is there.
    public init(path: String) { self.path = path }

    /// What is kept; nil where there is no file yet. Throws `invalidConfiguration` for one that is no such store.
    public func read() throws(DeskError) -> DeskLocalStore? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: Self.largest + 1), data.count <= Self.largest,
            let store = try? DeskJSON.read(DeskLocalStore.self, Array(data)),
            DeskBounds.isIdentifier(store.deviceID)
        else {
            throw DeskError(.invalidConfiguration, "\(path) holds no chats of this program; name another file")
        }
        return store
    }

    /// Replaces what is kept.
    public func write(_ store: DeskLocalStore) throws(DeskError) {
        let fault = DeskError(.unwritable, "\(path) can't be written; check its folder")
        guard let bytes = try? DeskJSON.bytes(store) else { throw fault }
        let temporary = path + ".\(DeskLocalStore().deviceID.prefix(8))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw fault }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard (try? handle.write(contentsOf: Data(bytes))) != nil, fsync(descriptor) == 0,
            rename(temporary, path) == 0
        else {
            unlink(temporary)
            throw fault
        }
    }
}
