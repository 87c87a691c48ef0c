import CCrypto
import NIOCore

/// One TLS connection without a socket: bytes of the wire go in and come out by two memory buffers of libssl.
struct TLSSession: ~Copyable {
    enum Handshake {
        case needsMore
        case done
        case failed(TLSError)
    }

    enum Reading {
        case bytes(ByteBuffer)
        case nothing
        /// The other side has said that nothing follows.
        case ended
        case failed(TLSError)
    }

    let peer: String
    /// Holds what its callbacks use.
    private let context: TLSContext
    private let ssl: OpaquePointer
    private let wireIn: OpaquePointer
    private let wireOut: OpaquePointer

    /// - Parameters:
    ///   - peer: who is on the other side, for people; for a client the name or IP address that its certificate must bear.
    ///   - name: what a client asks for and verifies; nil for a server.
    ///   - protocols: what a client offers to speak (ALPN, RFC 7301).
    init(_ context: TLSContext, peer: String, name: String?, protocols: [String]) throws(TLSError) {
        let parts = try TLSSession.parts(context)
        if let name {
            do throws(TLSError) { try TLSSession.expect(name, protocols, parts.ssl) } catch {
                SSL_free(parts.ssl)
                throw error
            }
        }
        self.peer = peer
        self.context = context
        (ssl, wireIn, wireOut) = parts
    }

    private static func parts(
        _ context: TLSContext
    ) throws(TLSError) -> (ssl: OpaquePointer, wireIn: OpaquePointer, wireOut: OpaquePointer) {
        ERR_clear_error()
        guard let ssl = SSL_new(context.pointer) else { throw .library("SSL_new") }
        guard let wireIn = BIO_new(BIO_s_mem()), let wireOut = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw .library("BIO_new")
        }
        // From here on `ssl` owns both.
        SSL_set_bio(ssl, wireIn, wireOut)
        if context.isServer { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
        return (ssl, wireIn, wireOut)
    }

    /// Says what a client asks for, and what the certificate must bear.
    private static func expect(_ name: String, _ protocols: [String], _ ssl: OpaquePointer) throws(TLSError) {
        let offered = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        // This function alone gives 0 for success.
        guard offered.isEmpty || SSL_set_alpn_protos(ssl, offered, UInt32(offered.count)) == 0 else {
            throw .library("SSL_set_alpn_protos")
        }
        // Names are asked for and verified as names, addresses as addresses, which SNI has no place for.
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1 { return }
        guard ccrypto_ssl_set_server_name(ssl, name) == 1, SSL_set1_host(ssl, name) == 1 else {
            throw .library("setting the host name")
        }
    }

    deinit { SSL_free(ssl) }

    /// Bytes came from the wire.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        _ = BIO_write(wireIn, bytes.baseAddress, Int32(clamping: bytes.count))
    }

    func handshake() -> Handshake {
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        if status == 1 { return .done }
        if SSL_get_error(ssl, status) == SSL_ERROR_WANT_READ { return .needsMore }
        return .failed(TLSError.handshake(ssl, peer: peer))
    }

    /// The next plain bytes, one record's at most.
    func read(_ allocator: ByteBufferAllocator) -> Reading {
        ERR_clear_error()
        var buffer = allocator.buffer(capacity: TLSSession.recordSize)
        var status: Int32 = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: TLSSession.recordSize) { space in
            status = SSL_read(ssl, space.baseAddress, Int32(clamping: space.count))
            return Int(max(0, status))
        }
        if status > 0 { return .bytes(buffer) }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: return .nothing
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: return .failed(.reading(peer: peer))
        }
    }

    /// Seals plain bytes. False where the library refuses, which ends the connection.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > 0 else { return true }
        ERR_clear_error()
        var written = 0
        return SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written) == 1 && written == bytes.count
    }

    /// Says that nothing follows from us (close_notify).
    func shutDown() {
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
    }

    /// What is to go out on the wire; nil where there is nothing.
    func output(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        let waiting = Int(BIO_ctrl_pending(wireOut))
        guard waiting > 0 else { return nil }
        var buffer = allocator.buffer(capacity: waiting)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: waiting) { space in
            Int(max(0, BIO_read(wireOut, space.baseAddress, Int32(clamping: waiting))))
        }
        return buffer.readableBytes > 0 ? buffer : nil
    }

    private static let recordSize = 16 * 1024
}
