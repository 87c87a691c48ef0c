import Glibc

/// Preferences as files of a folder, for any number of processes.
///
/// A value is written beside its file, flushed to the disk and renamed into place, and the folder is flushed: whoever reads sees the
/// old value or the new one, whenever a process is killed. Changes wait for one another by a lock (`flock`) that the kernel takes
/// back from a process that ends.
public struct FilePreferenceStore: PreferenceStore {
    /// Bytes of a value.
    public static let longest = 1024 * 1024
    private static let lockName = ".lock"
    private static let temporary = ".new-"

    /// The steps of a change, in order. A test stops between them.
    enum Step: Sendable, CaseIterable { case locked, created, written, flushed, renamed }

    private let directory: String
    private let step: @Sendable (Step) throws -> Void

    /// Opens a folder, which is made where it is missing, for its owner alone. What killed processes left there is removed.
    /// Throws `PreferenceFault`.
    public init(directory: String) throws { try self.init(directory: directory) { _ in } }

    init(directory: String, step: @escaping @Sendable (Step) throws -> Void) throws {
        self.directory = directory
        self.step = step
        if mkdir(directory, 0o700) != 0, errno != EEXIST { throw fault("can't be made") }
        try locked { removeLeftovers() }
    }

    /// The value of a name; nil where there is none. Waits for nobody. Throws `PreferenceFault`.
    public func value(_ name: String) throws -> [UInt8]? {
        try PreferenceName.check(name)
        return try read(name)
    }

    /// Changes a value while nobody else does. Throws `PreferenceFault`, and what `change` throws.
    public func update<Result>(_ name: String, _ change: (inout [UInt8]?) throws -> Result) throws -> Result {
        try PreferenceName.check(name)
        return try locked {
            try step(.locked)
            let before = try read(name)
            var value = before
            let result = try change(&value)
            guard value != before else { return result }
            if let value { try write(value, name) } else { try remove(name) }
            return result
        }
    }

    // MARK: Files

    private func path(_ name: String) -> String { directory + "/" + name }

    private func read(_ name: String) throws(PreferenceFault) -> [UInt8]? {
        // A pipe that somebody put there must not hold us up.
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw fault("has \(name), which can't be read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.longest else {
            throw fault("has \(name), which is no preference")
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw fault("has \(name), which can't be read") }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= Self.longest else { throw fault("has \(name), which is no preference") }
            bytes += piece.prefix(count)
        }
    }

    private func write(_ value: [UInt8], _ name: String) throws {
        guard value.count <= Self.longest else {
            throw PreferenceFault(
                .tooLong, "the preference \(name) has \(value.count) bytes; use at most \(Self.longest)")
        }
        let temporary = path(Self.temporary + name)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw fault("can't take \(name)") }
        var isOpen = true
        do {
            defer { if isOpen { close(descriptor) } }
            try step(.created)
            try write(value, descriptor, name)
            try step(.written)
            guard fsync(descriptor) == 0 else { throw fault("can't keep \(name)") }
            isOpen = false
            // The last word of some file systems on what was written.
            guard close(descriptor) == 0 else { throw fault("can't keep \(name)") }
            try step(.flushed)
            guard rename(temporary, path(name)) == 0 else { throw fault("can't keep \(name)") }
        } catch {
            unlink(temporary)
            throw error
        }
        try step(.renamed)
        try flushFolder()
    }

    private func write(_ value: [UInt8], _ descriptor: Int32, _ name: String) throws(PreferenceFault) {
        var offset = 0
        while offset < value.count {
            let count = value[offset...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fault("can't take \(name)") }
            offset += count
        }
    }

    private func remove(_ name: String) throws(PreferenceFault) {
        guard unlink(path(name)) == 0 || errno == ENOENT else { throw fault("can't forget \(name)") }
        try flushFolder()
    }

    /// A name is on the disk when its folder is.
    private func flushFolder() throws(PreferenceFault) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw fault("can't be read") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw fault("can't be flushed") }
    }

    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = open(path(Self.lockName), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw fault("can't be locked") }
        // Closing gives the lock back.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw fault("can't be locked") }
        }
        return try body()
    }

    /// Of processes that were killed while they wrote: nobody writes now.
    private func removeLeftovers() {
        guard let stream = opendir(directory) else { return }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = Glibc.readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(Self.temporary) { names.append(name) }
        }
        for name in names { unlink(path(name)) }
    }

    /// With the system's reason.
    private func fault(_ what: String) -> PreferenceFault {
        let code = errno
        let kind: PreferenceFault.Kind = code == ENOSPC || code == EDQUOT ? .noSpace : .storage
        let reason = code == 0 ? "" : ": \(String(cString: strerror(code)))"
        return PreferenceFault(kind, "the folder of preferences \(directory) \(what)\(reason); check it")
    }
}
