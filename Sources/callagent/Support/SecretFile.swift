import ArgumentParser
import Foundation
import Synchronization

/// A file that holds one secret and nothing else. It is read once, so that it may be a pipe.
enum SecretFile {
    /// Bytes; no secret is longer.
    private static let largest = 64 * 1024
    private static let contents = Mutex<[String: String]>([:])

    /// The secret, without white space around it. Throws `ValidationError` that names the file.
    static func read(_ path: String, for option: String) throws -> String {
        if let known = contents.withLock({ $0[path] }) { return known }
        let bytes = try load(path, option)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("\(option) \(path): the file is no text; write the secret into it, and nothing else.")
        }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw ValidationError("\(option) \(path): the file is empty.") }
        guard !secret.contains(where: \.isNewline) else {
            throw ValidationError("\(option) \(path): the file has several lines; write the secret alone into it.")
        }
        Secrets.note(secret)
        contents.withLock { $0[path] = secret }
        return secret
    }

    private static func load(_ path: String, _ option: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, option, errno) }
        defer { close(descriptor) }
        warnWhereOthersRead(descriptor, path)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= largest {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, option, errno) }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
        throw ValidationError("\(option) \(path): more than \(largest) bytes are no secret; is it the right file?")
    }

    private static func unreadable(_ path: String, _ option: String, _ code: Int32) -> ValidationError {
        ValidationError(
            "\(option) \(path): the file can't be read (\(String(cString: strerror(code)))); check its path.")
    }

    private static func warnWhereOthersRead(_ descriptor: Int32, _ path: String) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o044 != 0 else {
            return
        }
        StandardError.line("callagent: warning: others on this machine can read \(path); run chmod 600 on it")
    }
}
