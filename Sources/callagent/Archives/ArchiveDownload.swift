import Foundation
import Glibc
import MediaCore

/// Fetches an archive's file piece by piece, so that little of it is in memory, and one that was broken off goes on where it
/// ended. The file gets its name when it is whole, and never another's place.
struct ArchiveDownload {
    static let piece: Int64 = 4 << 20

    let archive: String
    let path: String
    /// Gives those bytes of the file.
    let part: (Range<Int64>) async throws -> [UInt8]

    /// What has come of a file that is not yet whole.
    var partial: String { "\(path).\(archive).part" }

    /// - Parameters:
    ///   - size: bytes of the whole file.
    ///   - progress: is told how many are here.
    func run(size: Int64, progress: (Int64) throws -> Void) async throws {
        guard access(path, F_OK) != 0 else {
            throw ExitStatus.Failure(
                status: .environment, message: "\(path) is there already; name another file with -o, or remove it")
        }
        let file = open(partial, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Self.fault(partial) }
        defer { close(file) }
        var offset = Int64(lseek(file, 0, SEEK_END))
        guard offset <= size else {
            throw ExitStatus.Failure(
                status: .environment, message: "\(partial) is longer than the archive; remove it and fetch again")
        }
        while offset < size {
            try progress(offset)
            let bytes = try await part(offset..<min(size, offset + Self.piece))
            try Self.write(bytes, to: file, partial)
            offset += Int64(bytes.count)
        }
        try progress(offset)
        // Unlike a renamed one, a linked file takes nobody's place.
        guard fsync(file) == 0, link(partial, path) == 0 else { throw Self.fault(path) }
        unlink(partial)
    }

    private static func write(_ bytes: [UInt8], to file: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fault(path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func fault(_ path: String) -> ExitStatus.Failure {
        ExitStatus.Failure(status: .environment, message: "\(path) can't be written: \(systemMessage(errno))")
    }
}
