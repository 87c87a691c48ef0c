import Glibc
import RTCCore

/// Preferences that another store keeps, and that say nothing to whoever reads its files.
///
/// ```
/// version = 1 (1) | nonce (12) | ciphertext | tag (16)
/// ```
/// AES-256-GCM, the preference's name authenticated with it: values can't be exchanged. An older value in a newer one's place is not
/// noticed.
public struct EncryptedPreferenceStore: PreferenceStore {
    private static let version: UInt8 = 1
    private static let overhead = 1 + AESGCM.nonceLength + AESGCM.tagLength

    private let base: any PreferenceStore
    private let key: [UInt8]

    /// - Parameters:
    ///   - base: keeps what was sealed.
    ///   - key: 32 bytes, from the system's keyring or `PreferenceKey`.
    /// - Throws: `PreferenceFault` for a key of another length.
    public init(_ base: any PreferenceStore, key: [UInt8]) throws(PreferenceFault) {
        guard key.count == 32 else {
            throw PreferenceFault(.notAuthentic, "a key of preferences has 32 bytes, this one \(key.count)")
        }
        self.base = base
        self.key = key
    }

    /// The value of a name, opened. Throws `PreferenceFault`.
    public func value(_ name: String) throws -> [UInt8]? { try base.value(name).map { try open($0, name) } }

    /// Changes a value while nobody else does. Throws `PreferenceFault`, and what `change` throws.
    public func update<Result>(_ name: String, _ change: (inout [UInt8]?) throws -> Result) throws -> Result {
        try base.update(name) { sealed in
            let before = try sealed.map { try open($0, name) }
            var value = before
            let result = try change(&value)
            if value != before { sealed = try value.map { try seal($0, name) } }
            return result
        }
    }

    private func header(_ name: String) -> [UInt8] { [Self.version] + Array(name.utf8) }

    private func seal(_ value: [UInt8], _ name: String) throws(PreferenceFault) -> [UInt8] {
        let nonce = SecureRandom.bytes(AESGCM.nonceLength)
        let header = header(name)
        var output = [UInt8](repeating: 0, count: value.count + AESGCM.tagLength)
        guard let cipher = try? AESGCM(key: key) else { throw Self.unreadable(name) }
        let isSealed = value.withUnsafeBytes { value in
            nonce.withUnsafeBytes { nonce in
                header.withUnsafeBytes { header in
                    output.withUnsafeMutableBytes { cipher.seal(value, nonce: nonce, authenticating: header, into: $0) }
                }
            }
        }
        guard isSealed else { throw Self.unreadable(name) }
        return [Self.version] + nonce + output
    }

    private func open(_ bytes: [UInt8], _ name: String) throws(PreferenceFault) -> [UInt8] {
        guard bytes.count >= Self.overhead, bytes[0] == Self.version, let cipher = try? AESGCM(key: key) else {
            throw Self.unreadable(name)
        }
        let nonce = Array(bytes[1...AESGCM.nonceLength])
        let sealed = Array(bytes[(1 + AESGCM.nonceLength)...])
        let header = header(name)
        var output = [UInt8](repeating: 0, count: sealed.count - AESGCM.tagLength)
        let isOpen = sealed.withUnsafeBytes { sealed in
            nonce.withUnsafeBytes { nonce in
                header.withUnsafeBytes { header in
                    output.withUnsafeMutableBytes {
                        cipher.open(sealed, nonce: nonce, authenticating: header, into: $0)
                    }
                }
            }
        }
        guard isOpen else { throw Self.unreadable(name) }
        return output
    }

    private static func unreadable(_ name: String) -> PreferenceFault {
        PreferenceFault(.notAuthentic, "the preference \(name) can't be opened: it has another key, or was changed")
    }
}

/// A key of encrypted preferences in a file of its own, for systems without a keyring.
public enum PreferenceKey {
    /// The key of a file, which is made with a new one where it is missing, for its owner alone. Several processes get the same.
    /// Throws `PreferenceFault` that names it: also where others may read it.
    public static func file(_ path: String) throws -> [UInt8] {
        for _ in 0..<2 {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            if descriptor >= 0 {
                defer { close(descriptor) }
                return try read(descriptor, path)
            }
            guard errno == ENOENT else { throw fault(path, String(cString: strerror(errno))) }
            try create(path)
        }
        throw fault(path, "it comes and goes")
    }

    private static func read(_ descriptor: Int32, _ path: String) throws(PreferenceFault) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw fault(path, "it is no file")
        }
        guard status.st_mode & 0o077 == 0 else { throw fault(path, "others may read it; chmod 600 makes it yours") }
        var bytes = [UInt8](repeating: 0, count: 33)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count == 32 else { throw fault(path, "it has not 32 bytes") }
        return Array(bytes.prefix(32))
    }

    /// Whole or not at all: it gets its name when it is on the disk, and the first one's counts.
    private static func create(_ path: String) throws(PreferenceFault) {
        let temporary = path + ".new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw fault(path, String(cString: strerror(errno))) }
        defer { unlink(temporary) }
        let isWritten = write(descriptor, SecureRandom.bytes(32), 32) == 32 && fsync(descriptor) == 0
        guard close(descriptor) == 0, isWritten else { throw fault(path, "it can't be written") }
        guard link(temporary, path) == 0 || errno == EEXIST else { throw fault(path, String(cString: strerror(errno))) }
    }

    private static func fault(_ path: String, _ reason: String) -> PreferenceFault {
        PreferenceFault(.storage, "the key of preferences \(path) can't be used: \(reason)")
    }
}
