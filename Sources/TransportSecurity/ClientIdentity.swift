import Glibc
import NIOSSL

/// A client's certificate with its key, and the certificates between it and its root: what a server that demands one is shown. A value;
/// neither its description nor its reflection shows anything of it.
public struct ClientIdentity: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Bytes of a PKCS#12 file.
    public static let longest = 1024 * 1024

    /// DER.
    let certificate: [UInt8]
    let chain: [[UInt8]]
    /// PKCS#8.
    let key: [UInt8]

    /// Reads a PKCS#12 file (RFC 7292), modern (PBES2 with AES) or of older programs (RC2, 3DES).
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - password: that seals it.
    /// - Throws: `IdentityFault`.
    public init(pkcs12File path: String, password: String) throws(IdentityFault) {
        guard let file = fopen(path, "rbe") else { throw .unreadable(path, String(cString: strerror(errno))) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.longest + 1)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
        guard ferror(file) == 0 else { throw .unreadable(path, String(cString: strerror(errno))) }
        guard (1...Self.longest).contains(count) else { throw .notPKCS12(path) }
        bytes.removeSubrange(count...)
        try self.init(pkcs12: bytes, password: password, name: path)
    }

    /// Reads the bytes of such a file. Throws `IdentityFault`, which calls it `name`.
    public init(pkcs12 bytes: [UInt8], password: String, name: String) throws(IdentityFault) {
        // Old algorithms are known in there alone, and nothing else of this process learns them.
        guard let library = PKCS12Library() else { throw .unsupported(name, "OpenSSL has no memory") }
        let parts = try library.open(bytes, password, name)
        (certificate, chain, key) = (parts.certificate, parts.chain, parts.key)
    }

    /// Says nothing.
    public var description: String { "a client certificate" }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Has connections present it. Throws what NIOSSL throws.
    func present(in configuration: inout TLSConfiguration) throws {
        configuration.certificateChain = try ([certificate] + chain).map {
            .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
        }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: key, format: .der))
    }
}

/// Why a client certificate can't be used. The description names the file and the remedy, never the password.
public enum IdentityFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// It can't be read.
    case unreadable(String, String)
    /// It is no PKCS#12.
    case notPKCS12(String)
    /// The password is another.
    case wrongPassword(String)
    /// No key is in it.
    case noKey(String)
    /// No certificate that belongs to the key is in it.
    case noCertificate(String)
    /// It is sealed in the old way, and this system's OpenSSL has no module for that.
    case needsLegacyProvider(String)
    /// Anything else, in the library's words.
    case unsupported(String, String)

    /// One sentence.
    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "the client certificate \"\(file)\" can't be read: \(reason)"
        case .notPKCS12(let file):
            "the client certificate \"\(file)\" is no PKCS#12 file; make one with openssl pkcs12 -export"
        case .wrongPassword(let file): "the client certificate \"\(file)\" has another password"
        case .noKey(let file): "the client certificate \"\(file)\" has no private key in it; export it with its key"
        case .noCertificate(let file):
            "the client certificate \"\(file)\" has no certificate that belongs to its key; export both"
        case .needsLegacyProvider(let file):
            "the client certificate \"\(file)\" is sealed with RC2 or another old cipher; install OpenSSL's legacy provider "
                + "(legacy.so), or export the file again with openssl 3: openssl pkcs12 -legacy, then openssl pkcs12 -export"
        case .unsupported(let file, let reason): "the client certificate \"\(file)\" can't be used: \(reason)"
        }
    }
}
