import AccessPolicy
import CCrypto
import Glibc
import Synchronization

/// Settings that connections share: an `SSL_CTX` for TLS 1.2 and 1.3, by the system's OpenSSL.
// libssl locks its contexts itself, and this one is not changed after it was made.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let isServer: Bool
    private let pins: PinnedKeys?

    private init(isServer: Bool, pins: CertificatePins? = nil) throws(TLSError) {
        self.isServer = isServer
        self.pins = pins.map(PinnedKeys.init)
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw .library("SSL_CTX_new")
        }
        self.pointer = pointer
        guard ccrypto_ctx_set_tls_defaults(pointer) == 1 else { throw .library("setting up TLS") }
        self.pins?.install(in: pointer)
    }

    deinit { SSL_CTX_free(pointer) }

    // MARK: Clients

    private static let clients = Mutex<[TLSTrust: TLSContext]>([:])
    /// Contexts that are kept; a process has few kinds of clients.
    private static let mostKept = 64

    /// For connections to servers. One context serves all that believe the same. Throws `TLSError`.
    package static func client(_ trust: TLSTrust) throws(TLSError) -> TLSContext {
        // What is asked makes no difference to how.
        var trust = trust
        trust.policies = []
        if let known = clients.withLock({ $0[trust] }) { return known }
        let context = try TLSContext(isServer: false, pins: trust.pins)
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_default_verify_paths(context.pointer)
        if let file = trust.rootsFile {
            ERR_clear_error()
            guard SSL_CTX_load_verify_locations(context.pointer, file, nil) == 1 else {
                throw .unusableFile(file, role: "file of trusted roots", reason: reason(file))
            }
        }
        ERR_clear_error()
        if let identity = trust.identity, !identity.install(in: context.pointer) {
            throw .identity(reason: TLSError.queued() ?? "OpenSSL refuses it")
        }
        clients.withLock {
            if $0.count >= mostKept { $0.removeAll() }
            $0[trust] = context
        }
        return context
    }

    // MARK: Servers

    /// For a server's connections.
    ///
    /// - Parameters:
    ///   - certificateFile: PEM, the server's certificate first, then those between it and the root.
    ///   - keyFile: PEM, without a passphrase.
    /// - Throws: `TLSError` that names the file.
    package static func server(certificateFile: String, keyFile: String) throws(TLSError) -> TLSContext {
        let context = try TLSContext(isServer: true)
        // Without this the library asks for a passphrase on the terminal.
        SSL_CTX_set_default_passwd_cb(context.pointer) { _, _, _, _ in 0 }
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(context.pointer, certificateFile) == 1 else {
            throw .unusableFile(certificateFile, role: "TLS certificate", reason: reason(certificateFile))
        }
        ERR_clear_error()
        guard SSL_CTX_use_PrivateKey_file(context.pointer, keyFile, SSL_FILETYPE_PEM) == 1 else {
            if TLSError.queued()?.contains("mismatch") == true {
                throw .foreignKey(certificate: certificateFile, key: keyFile)
            }
            throw .unusableFile(keyFile, role: "TLS key", reason: reason(keyFile))
        }
        guard SSL_CTX_check_private_key(context.pointer) == 1 else {
            throw .foreignKey(certificate: certificateFile, key: keyFile)
        }
        return context
    }

    /// Why a file was refused: the system's reason where it can't be opened, the library's otherwise.
    private static func reason(_ file: String) -> String {
        guard access(file, R_OK) == 0 else { return String(cString: strerror(errno)) }
        return TLSError.queued() ?? "it holds nothing of that kind"
    }
}
