import Glibc
import NIOCore

/// A file that is the body of an answer. It is open, so that nobody replaces it meanwhile.
// The descriptor is a constant, and is only read from by position.
final class HTTPFile: Sendable {
    private let descriptor: Int32
    /// Bytes.
    let size: Int64
    /// Changes with the content.
    let tag: String

    /// Nil where there is no such plain file. Blocks.
    init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        size = Int64(status.st_size)
        tag = "\"\(status.st_ino)-\(size)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)\""
    }

    deinit { close(descriptor) }

    /// At most `count` bytes; nil where it can't be read, or ends before. Blocks.
    func read(at offset: Int64, count: Int) -> ByteBuffer? {
        var buffer = ByteBuffer()
        let read = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            max(0, pread(descriptor, space.baseAddress, count, off_t(offset)))
        }
        return read > 0 ? buffer : nil
    }
}

/// A span of a file that is on its way.
struct HTTPFilePart: Sendable, Hashable {
    let file: HTTPFile
    var offset: Int64
    var length: Int64

    static func == (a: Self, b: Self) -> Bool { a.file === b.file && a.offset == b.offset && a.length == b.length }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(file))
        hasher.combine(offset)
        hasher.combine(length)
    }
}

/// What of a body is asked for (RFC 9110 section 14.2): one range of bytes. Several are answered as none.
enum HTTPByteRange: Hashable {
    case all
    case part(offset: Int64, length: Int64)
    case unsatisfiable

    init(_ field: String?, size: Int64) {
        self = .all
        guard let field, field.lowercased().hasPrefix("bytes="), !field.contains(",") else { return }
        let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return }
        switch (Int64(ends[0]), Int64(ends[1])) {
        case (nil, nil): return
        case (nil, let count?):
            let length = min(count, size)
            self = length > 0 ? .part(offset: size - length, length: length) : .unsatisfiable
        case (let first?, let last):
            guard ends[1].isEmpty || last != nil, last.map({ first <= $0 }) ?? true else { return }
            self = first < size ? .part(offset: first, length: min(last ?? .max, size - 1) - first + 1) : .unsatisfiable
        }
    }
}

extension HTTPResponse {
    /// A file or the part of it that is asked for.
    ///
    /// - Parameters:
    ///   - range: the field `Range`.
    ///   - ifRange: the field `If-Range`: the part is wanted of this file only, else all of it.
    init(_ file: HTTPFile, contentType: String, range: String?, ifRange: String?) {
        self.init(.ok, contentType: contentType, [])
        fields = ["Accept-Ranges": "bytes", "ETag": file.tag]
        let isSame = ifRange.map { $0 == file.tag } ?? true
        switch HTTPByteRange(isSame ? range : nil, size: file.size) {
        case .all: self.file = HTTPFilePart(file: file, offset: 0, length: file.size)
        case .part(let offset, let length):
            status = .partialContent
            fields["Content-Range"] = "bytes \(offset)-\(offset + length - 1)/\(file.size)"
            self.file = HTTPFilePart(file: file, offset: offset, length: length)
        case .unsatisfiable:
            status = .rangeNotSatisfiable
            fields["Content-Range"] = "bytes */\(file.size)"
        }
    }
}
