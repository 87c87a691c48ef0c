internal import ConversationModel
import Dispatch
import Foundation
import RTCCore

/// Why something was not written or read.
enum VaultFault: Error {
    /// The disk is full.
    case noSpace
    /// What is there is not what was acknowledged, or can't be used.
    case storage
    /// The content's digest is another one.
    case digest
}

/// Contents of files in a folder: `ID` while they come and when they are whole, `quarantine/ID` where they were refused.
///
/// What a function returned is on the disk. Names are ids of the service's: nothing that a client chose is part of a path. Files are
/// written on a queue of their own, one after another: the disk takes its time.
final class FileVault: Sendable {
    private let directory: String
    private let queue = DispatchQueue(label: "conversation-files")

    init(directory: String) throws {
        self.directory = directory
        try FileManager.default.createDirectory(
            atPath: directory + "/quarantine", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    /// Where a whole file is read.
    func path(_ id: String) -> String { directory + "/" + id }

    /// Writes bytes behind those that are acknowledged; what a killed server wrote beyond is cut off.
    func write(_ bytes: [UInt8], to id: String, at offset: Int64) async throws {
        let path = path(id)
        try await run { try Self.write(bytes, path, offset) }
    }

    /// The whole is there: its first bytes, where its digest is the one that was announced.
    func complete(_ id: String, size: Int64, sha256: String) async throws -> [UInt8] {
        let path = path(id)
        return try await run { try Self.verify(path, size, sha256) }
    }

    /// Nobody gets it from now on.
    func quarantine(_ id: String) async throws {
        let (path, hidden) = (path(id), directory + "/quarantine/" + id)
        try await run {
            guard rename(path, hidden) == 0 || (errno == ENOENT && access(hidden, F_OK) == 0) else {
                throw VaultFault.storage
            }
            chmod(hidden, 0o400)
        }
    }

    func remove(_ id: String) async {
        let path = path(id)
        _ = try? await run { unlink(path) }
    }

    private func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    private static func write(_ bytes: [UInt8], _ path: String, _ offset: Int64) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw fault() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size >= offset,
            ftruncate(descriptor, off_t(offset)) == 0
        else { throw VaultFault.storage }
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset) + done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fault() }
            done += count
        }
        guard fsync(descriptor) == 0 else { throw fault() }
    }

    private static func verify(_ path: String, _ size: Int64, _ sha256: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw fault() }
        defer { close(descriptor) }
        let digest = try SHA256Stream()
        var (head, total) = ([UInt8](), Int64(0))
        var piece = [UInt8](repeating: 0, count: 128 * 1024)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw fault() }
            if count == 0 { break }
            if head.count < FileSignature.bytes { head += piece.prefix(count).prefix(FileSignature.bytes - head.count) }
            total += Int64(count)
            piece.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        }
        guard total == size, try digest.finish() == sha256 else { throw VaultFault.digest }
        return head
    }

    private static func fault() -> VaultFault { errno == ENOSPC || errno == EDQUOT ? .noSpace : .storage }
}
