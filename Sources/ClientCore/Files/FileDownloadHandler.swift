public import ClientModel
public import ConversationModel
import Foundation
import Glibc
import RTCCore

/// Takes a file that is downloaded. `FolderDownload` is the usual one.
///
/// `begin` comes first; then `write` for each piece, in order; then `finish`, or `interrupted`, after which a later download of the
/// same file may go on.
public protocol FileDownloadHandler: Sendable {
    /// A file comes. Gives how many bytes of it are here already.
    func begin(_ file: ConversationFile) async throws -> Int64
    /// The next piece.
    func write(_ bytes: [UInt8]) async throws
    /// The file is whole. Gives where it is.
    func finish() async throws -> String
    /// No more comes for now.
    func interrupted() async
}

/// Downloads into a folder.
///
/// - Names are ours: `FileName.sanitised`, and `name (1)` where there is one; nothing that is there is replaced, and no symbolic
///   link is followed.
/// - While it comes a file is hidden (`.ID.part`), for its owner alone; a download that was interrupted or killed goes on with it.
/// - What is whole is checked: by its SHA-256, and by the policy. What the policy refuses goes into `quarantine`, unreadable to
///   programs that don't ask for it.
public actor FolderDownload: FileDownloadHandler {
    typealias Writer = @Sendable (Int32, UnsafeRawBufferPointer) -> Int

    private let folder: String
    private let policy: FilePolicy
    private let writer: Writer
    private var directory: Int32 = -1
    private var part: Int32 = -1
    private var file: ConversationFile?
    private var received: Int64 = 0

    /// - Parameters:
    ///   - folder: an existing one.
    ///   - policy: which files are taken.
    public init(folder: String, policy: FilePolicy = FilePolicy()) {
        self.init(folder: folder, policy: policy) { Glibc.write($0, $1.baseAddress, $1.count) }
    }

    init(folder: String, policy: FilePolicy, writer: @escaping Writer) {
        self.folder = folder
        self.policy = policy
        self.writer = writer
    }

    deinit {
        if part >= 0 { close(part) }
        if directory >= 0 { close(directory) }
    }

    /// A file comes. Throws `ClientError`: `fileRefused` by policy, before a byte of it is fetched; `fileFailed`.
    public func begin(_ file: ConversationFile) throws(ClientError) -> Int64 {
        release()
        do { try policy.check(type: file.type, size: file.size) } catch {
            throw ClientError(.fileRefused, "\(file.name) is not taken: \(error)")
        }
        let name = try Self.partName(file)
        directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw fault("\(folder) is no folder that can be opened") }
        part = openat(directory, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        if part < 0, errno == ELOOP {
            // Nobody but us puts something of that name here.
            unlinkat(directory, name, 0)
            part = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard part >= 0 else { throw fault("\(folder) takes no file") }
        var status = stat()
        guard fstat(part, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            throw ClientError(.fileFailed, "\(folder)/\(name) is in the way; remove it")
        }
        // More than there can be is of something else.
        received = Int64(status.st_size) <= file.size ? Int64(status.st_size) : 0
        guard ftruncate(part, off_t(received)) == 0, lseek(part, off_t(received), SEEK_SET) == off_t(received) else {
            throw fault("\(folder) takes no file")
        }
        self.file = file
        return received
    }

    /// The next piece. Throws `ClientError`: `fileFailed`, where the disk is full, for example; what came stays for later.
    public func write(_ bytes: [UInt8]) throws(ClientError) {
        guard let file, part >= 0 else { throw ClientError(.internalError, "a piece of a file that has not begun") }
        guard received + Int64(bytes.count) <= file.size else {
            throw ClientError(.fileFailed, "\(file.name) has more bytes than it was announced with")
        }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { writer(part, UnsafeRawBufferPointer(rebasing: $0.dropFirst(done))) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fault("\(file.name) can't be written to \(folder)") }
            done += count
            received += Int64(count)
        }
    }

    /// The file is whole: checks it and gives it its name. Throws `ClientError`: `fileQuarantined`, `fileFailed`.
    public func finish() throws(ClientError) -> String {
        guard let file, part >= 0 else { throw ClientError(.internalError, "the end of a file that has not begun") }
        defer { release() }
        let name = try Self.partName(file)
        guard received == file.size else {
            throw ClientError(.fileFailed, "\(file.name) has ended after \(received) of \(file.size) bytes; try again")
        }
        guard fsync(part) == 0 else { throw fault("\(file.name) can't be written to \(folder)") }
        let (digest, head) = try FileSource(duplicating: part, "\(folder)/\(name)").digest()
        guard digest == file.sha256 else {
            unlinkat(directory, name, 0)
            throw ClientError(.fileFailed, "\(file.name) is not what was sent; try again")
        }
        do { try policy.check(type: file.type, head: head) } catch {
            try quarantine(name, file)
            throw ClientError(.fileQuarantined, "\(file.name) was kept back in \(folder)/quarantine: \(error)")
        }
        return try settle(name, file)
    }

    /// No more comes for now; what came stays.
    public func interrupted() { release() }

    // MARK: Parts

    /// Gives the file the first name that is free. `link` replaces nothing and follows no link.
    private func settle(_ part: String, _ file: ConversationFile) throws(ClientError) -> String {
        let wanted = FileName.sanitised(file.name)
        for number in 0..<1_000 {
            let name = number == 0 ? wanted : FileName.numbered(wanted, number)
            if linkat(directory, part, directory, name, 0) == 0 {
                unlinkat(directory, part, 0)
                fsync(directory)
                return folder + "/" + name
            }
            guard errno == EEXIST else { throw fault("\(file.name) can't be named in \(folder)") }
        }
        throw ClientError(.fileFailed, "\(folder) has a thousand files like \(wanted); clear it up")
    }

    private func quarantine(_ part: String, _ file: ConversationFile) throws(ClientError) {
        mkdirat(directory, "quarantine", 0o700)
        let target = openat(directory, "quarantine", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard target >= 0 else {
            unlinkat(directory, part, 0)
            throw fault("\(folder)/quarantine can't be used; \(file.name) was removed")
        }
        defer { close(target) }
        fchmod(self.part, 0)
        guard renameat(directory, part, target, file.id) == 0 else {
            unlinkat(directory, part, 0)
            throw fault("\(folder)/quarantine can't be used; \(file.name) was removed")
        }
    }

    /// Ids are the service's: as a part of a path they are checked like anything that comes from outside.
    private static func partName(_ file: ConversationFile) throws(ClientError) -> String {
        do { try ConversationBounds.check(clientId: file.id) } catch {
            throw ClientError(.fileRefused, "the service names a file in a way that can't be used")
        }
        return ".\(file.id).part"
    }

    private func release() {
        if part >= 0 { close(part) }
        if directory >= 0 { close(directory) }
        (part, directory, file, received) = (-1, -1, nil, 0)
    }

    private func fault(_ what: String) -> ClientError {
        ClientError(.fileFailed, "\(what): \(String(cString: strerror(errno)))")
    }
}
