import ClientModel
import ConversationModel
import Foundation
import RTCCore

/// A file that is uploaded: open, so that nobody replaces it meanwhile, and read by position.
// The descriptor is a constant.
final class FileSource: Sendable {
    private let descriptor: Int32
    private let path: String
    /// Bytes.
    let size: Int64

    /// Throws `ClientError` for what is no plain file. Blocks.
    init(_ path: String) throws(ClientError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw ClientError(.fileFailed, "\(path) can't be read: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ClientError(.fileFailed, "\(path) is no plain file; give one")
        }
        self.descriptor = descriptor
        self.path = path
        size = Int64(status.st_size)
    }

    /// What is open already.
    init(duplicating descriptor: Int32, _ path: String) throws(ClientError) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        var status = stat()
        guard copy >= 0, fstat(copy, &status) == 0 else {
            if copy >= 0 { close(copy) }
            throw ClientError(.fileFailed, "\(path) can't be read: \(String(cString: strerror(errno)))")
        }
        self.descriptor = copy
        self.path = path
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// At most `count` bytes; fewer at the end. Blocks.
    func read(at offset: Int64, count: Int) throws(ClientError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + done }, count - done, off_t(offset) + done)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                throw ClientError(.fileFailed, "\(path) can't be read: \(String(cString: strerror(errno)))")
            }
            if got == 0 { break }
            done += got
        }
        return Array(bytes.prefix(done))
    }

    /// SHA-256 of the whole, and its first bytes. Blocks.
    func digest() throws(ClientError) -> (sha256: String, head: [UInt8]) {
        do {
            let digest = try SHA256Stream()
            var (head, offset) = ([UInt8](), Int64(0))
            while true {
                let piece = try read(at: offset, count: 256 * 1024)
                if piece.isEmpty { break }
                if offset == 0 { head = Array(piece.prefix(FileSignature.bytes)) }
                piece.withUnsafeBytes { digest.update($0) }
                offset += Int64(piece.count)
            }
            return (try digest.finish(), head)
        } catch let error as ClientError {
            throw error
        } catch {
            throw ClientError(.internalError, "no digest of \(path): \(error)")
        }
    }
}
