import Glibc

/// A file read from front to back through a buffer. The bytes may also come from memory.
struct FileReader: ~Copyable {
    /// The path, as error messages name it.
    let name: String
    private let descriptor: Int32
    private var buffer: [UInt8]
    /// The unread part of the buffer.
    private var next = 0
    private var end = 0

    /// Opens a file; `~` and globs are the shell's business.
    init(path: String) throws(MediaError) {
        name = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        buffer = []
        guard descriptor >= 0 else { throw Self.openError(path, errno) }
        var info = stat()
        if fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFDIR {
            throw MediaError(.unreadable, path, "is a directory", remedy: "name a file in it")
        }
        buffer = [UInt8](repeating: 0, count: 1 << 16)
    }

    /// Reads from memory.
    init(bytes: [UInt8], name: String) {
        self.name = name
        descriptor = -1
        buffer = bytes
        end = bytes.count
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Fills as much of `target` as the file still has.
    ///
    /// - Returns: bytes read; fewer than asked for only at the end of the file.
    mutating func read(into target: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        var count = 0
        while count < target.count {
            if next == end, try refill() == 0 { break }
            let part = min(end - next, target.count - count)
            buffer.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: target[count..<count + part])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[next..<next + part]))
            }
            next += part
            count += part
        }
        return count
    }

    /// The next `count` bytes, or fewer at the end of the file.
    mutating func read(_ count: Int) throws(MediaError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        var failure: MediaError?
        bytes.withUnsafeMutableBytes { target in
            do throws(MediaError) { got = try read(into: target) } catch { failure = error }
        }
        if let failure { throw failure }
        return got == count ? bytes : [UInt8](bytes[..<got])
    }

    /// The bytes up to a line feed, which is consumed but not returned; nil at the end of the file.
    ///
    /// - Parameter limit: a longer line is returned cut at that length.
    mutating func line(limit: Int) throws(MediaError) -> [UInt8]? {
        var line: [UInt8] = []
        while line.count < limit {
            if next == end, try refill() == 0 { return line.isEmpty ? nil : line }
            let byte = buffer[next]
            next += 1
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
        return line
    }

    /// Passes over `count` bytes.
    ///
    /// - Returns: false when the file ends before.
    mutating func skip(_ count: Int) throws(MediaError) -> Bool {
        var left = count
        while left > 0 {
            if next == end, try refill() == 0 { return false }
            let part = min(end - next, left)
            next += part
            left -= part
        }
        return true
    }

    /// Continues at `offset` from the beginning of the file.
    mutating func seek(to offset: Int) throws(MediaError) {
        if descriptor < 0 {
            next = min(offset, end)
            return
        }
        guard lseek(descriptor, offset, SEEK_SET) == offset else {
            throw MediaError(
                .unreadable, name, "can't go back to its beginning: \(systemMessage(errno))",
                remedy: "give a regular file, not a pipe, or don't repeat it")
        }
        next = 0
        end = 0
    }

    private mutating func refill() throws(MediaError) -> Int {
        guard descriptor >= 0 else { return 0 }
        let file = descriptor
        var count = 0
        repeat {
            count = buffer.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
        } while count < 0 && errno == EINTR
        guard count >= 0 else {
            throw MediaError(
                .unreadable, name, "reading failed: \(systemMessage(errno))", remedy: "check the file and its disk")
        }
        next = 0
        end = count
        return count
    }

    private static func openError(_ path: String, _ code: Int32) -> MediaError {
        let remedy =
            switch code {
            case ENOENT: "check the path"
            case EACCES: "make the file readable for this user"
            case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
            default: "check the path and its disk"
            }
        return MediaError(.unreadable, path, "can't be opened: \(systemMessage(code))", remedy: remedy)
    }
}

/// The system's words for an error number.
package func systemMessage(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
}
