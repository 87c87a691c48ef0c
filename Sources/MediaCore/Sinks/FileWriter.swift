import Glibc

/// A file written from front to back through a buffer. After a failure it writes nothing more, and remembers how far the
/// last complete unit (picture, block of samples) reached the disk.
struct FileWriter: ~Copyable {
    /// The path, as error messages name it.
    let name: String
    /// Bytes up to the end of the last unit that is on disk.
    private(set) var completeSize = 0
    /// Units that are on disk.
    private(set) var completeUnits = 0
    /// What went wrong first.
    private(set) var failure: MediaError?

    private var descriptor: Int32
    private let sizeLimit: Int
    private var buffer: [UInt8] = []
    private var flushed = 0
    /// Ends of units that are still in the buffer.
    private var pendingUnits: [Int] = []

    private static let bufferSize = 1 << 16

    /// Creates a file that only its owner can read and write, or empties one.
    ///
    /// - Parameter sizeLimit: bytes that the file format allows; more counts as a failure.
    init(path: String, sizeLimit: Int = .max) throws(MediaError) {
        name = path
        self.sizeLimit = sizeLimit
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw MediaError(
                .unwritable, path, "can't be created: \(systemMessage(errno))",
                remedy: "check that the directory exists and is writable")
        }
        buffer.reserveCapacity(Self.bufferSize)
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Bytes accepted so far.
    var size: Int { flushed + buffer.count }

    /// Appends bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil, descriptor >= 0 else { return }
        guard size + bytes.count <= sizeLimit else {
            flush()
            fail("has reached the \(sizeLimit) bytes that its format allows", "start a new file")
            return
        }
        if buffer.count + bytes.count > Self.bufferSize { flush() }
        if bytes.count >= Self.bufferSize {
            flushed += writeOut(bytes)
        } else if failure == nil {
            buffer.append(contentsOf: bytes)
        }
    }

    /// Appends bytes.
    mutating func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

    /// Declares that everything up to here makes sense without what follows.
    mutating func endUnit() {
        guard failure == nil else { return }
        pendingUnits.append(size)
        if buffer.isEmpty { settle() }
    }

    /// Writes the buffer out.
    mutating func flush() {
        guard failure == nil, !buffer.isEmpty else { return }
        let written = buffer.withUnsafeBytes { writeOut($0) }
        flushed += written
        buffer.removeAll(keepingCapacity: true)
        settle()
    }

    /// Overwrites bytes near the beginning of the file, after everything has been flushed.
    mutating func patch(_ bytes: [UInt8], at offset: Int) {
        guard descriptor >= 0 else { return }
        let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
        if written != bytes.count, failure == nil {
            fail("its header can't be completed: \(systemMessage(errno))", "check the disk")
        }
    }

    /// Cuts off what came after the last complete unit, and closes the file.
    mutating func close() {
        guard descriptor >= 0 else { return }
        if completeSize < flushed { _ = ftruncate(descriptor, completeSize) }
        if Glibc.close(descriptor) != 0, failure == nil {
            fail("closing failed: \(systemMessage(errno))", "check the disk")
        }
        descriptor = -1
    }

    /// Writes to the file and returns how much of it got there.
    private mutating func writeOut(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard failure == nil else { return 0 }
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                failWriting(errno, after: flushed + done)
                break
            }
            done += count
        }
        return done
    }

    private mutating func settle() {
        while let end = pendingUnits.first, end <= flushed {
            completeSize = end
            completeUnits += 1
            pendingUnits.removeFirst()
        }
    }

    private mutating func failWriting(_ code: Int32, after size: Int) {
        let isFull = code == ENOSPC || code == EDQUOT
        fail(
            "writing failed after \(size) bytes: \(systemMessage(code)); what was written is kept",
            isFull ? "free space on that disk or record elsewhere" : "check the disk")
    }

    private mutating func fail(_ problem: String, _ remedy: String) {
        failure = MediaError(.unwritable, name, problem, remedy: remedy)
    }
}
