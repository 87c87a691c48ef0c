import CCrypto
import RTCWire

// The calls into libssl. Each is made between `prepare` and `release`.
extension LibraryDTLS {
    func prepare(_ now: Instant, _ outbox: DatagramOutbox, _ destination: TransportAddress) {
        // Another object of this thread may have left errors, and libssl would take them for its own.
        ERR_clear_error()
        channel.pointee.now = now
        channel.pointee.outbox = Unmanaged.passUnretained(outbox)
        channel.pointee.destination = destination
    }

    func release() {
        channel.pointee.outbox = nil
        channel.pointee.incoming = nil
        ERR_clear_error()
    }

    /// What a record of the cipher in use, or agreed on, has beside its content (RFC 5288 section 3, RFC 7905 section
    /// 2). Several releases of libssl 3.0 end an association over a shorter one. The least of all before the agreement.
    var recordOverhead: Int {
        guard let cipher = SSL_get_current_cipher(ssl) ?? SSL_get_pending_cipher(ssl),
            SSL_CIPHER_get_cipher_nid(cipher) != NID_chacha20_poly1305
        else { return 16 }
        return 24
    }

    /// Takes records in the clear, and then those that were held until libssl has keys for them.
    mutating func shakeHands(
        _ clear: UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        channel.pointee.incoming = clear
        var action = handshake()
        guard state == .handshaking ? hasReadKeys : hasHandshake else { return action }
        for sealed in early.takeAll() {
            let next = sealed.withUnsafeBytes { open($0, deliver) }
            if next != .none { action = next }
        }
        return action
    }

    /// Encrypted records during the handshake.
    mutating func receiveEarly(
        _ sealed: UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        if hasReadKeys { return open(sealed, deliver) }
        droppedDatagrams &+= early.hold(sealed)
        return .none
    }

    /// Hands encrypted records to libssl, which has keys for them.
    private mutating func open(
        _ sealed: UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        guard DTLSRecords.areOpenable(sealed, overhead: recordOverhead) else {
            droppedDatagrams &+= 1
            return .none
        }
        if hasHandshake { return read(sealed, deliver) }
        guard state == .handshaking else { return .none }
        channel.pointee.incoming = sealed
        let action = handshake()
        guard hasHandshake else { return action }
        // Data may stand behind the Finished in the same datagram.
        let further = read(nil, capacity: sealed.count, deliver)
        return further == .none ? action : further
    }

    private var hasReadKeys: Bool { ccrypto_ssl_has_read_keys(ssl) != 0 }

    mutating func handshake() -> DTLSAction {
        let result = SSL_do_handshake(ssl)
        if result == 1 { return handshakeDone() }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .none
        case SSL_ERROR_ZERO_RETURN:
            end(.closed)
            return .closed
        default: return fail(failure())
        }
    }

    private mutating func handshakeDone() -> DTLSAction {
        handshakeDeadline = nil
        channel.pointee.deadline = nil
        SSL_free_buffers(ssl)
        if wantsSRTP {
            exportedKeys = exportKeys()
            guard exportedKeys != nil else {
                sayCloseNotify()
                return fail(.noCommonSRTPProfile)
            }
        }
        state = .awaitingFingerprint
        return channel.pointee.expectedFingerprint == nil ? .none : judge()
    }

    /// The verdict over the peer's certificate, before anybody hears of the connection.
    mutating func judge() -> DTLSAction {
        guard let expected = channel.pointee.expectedFingerprint, let certificate = SSL_get0_peer_certificate(ssl),
            expected.matches(certificate)
        else {
            sayCloseNotify()
            return fail(.fingerprintMismatch)
        }
        srtpKeys = exportedKeys.take()
        state = .connected
        return .connected
    }

    private func exportKeys() -> SRTPKeyingMaterial? {
        guard let selected = SSL_get_selected_srtp_profile(ssl),
            let profile = SRTPProfile(wireID: UInt16(truncatingIfNeeded: selected.pointee.id))
        else { return nil }
        let label = "EXTRACTOR-dtls_srtp"
        let exported = SecretBytes(count: SRTPKeyingMaterial.exportedLength(profile)) {
            SSL_export_keying_material(ssl, $0.octets, $0.count, label, label.utf8.count, nil, 0, 0) == 1
        }
        return exported?.withBytes { SRTPKeyingMaterial(profile: profile, exported: $0) }
    }

    /// Everything after the handshake goes through SSL_read, a repeated last flight of the peer too: libssl answers it
    /// with our own.
    mutating func read(
        _ records: UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        read(records, capacity: records.count, deliver)
    }

    private mutating func read(
        _ records: UnsafeRawBufferPointer?, capacity: Int, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        channel.pointee.incoming = records
        let isHeard = state == .connected
        var gotData = false
        var result: Int32 = 0
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { buffer in
            while true {
                result = SSL_read(ssl, buffer.baseAddress, Int32(truncatingIfNeeded: buffer.count))
                guard result > 0 else { return }
                gotData = true
                if isHeard { deliver(UnsafeRawBufferPointer(rebasing: buffer[..<Int(result)])) }
            }
        }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            // 33 kB that an idle association does not need.
            if !gotData { SSL_free_buffers(ssl) }
            return .none
        case SSL_ERROR_ZERO_RETURN:
            sayCloseNotify()
            end(.closed)
            return .closed
        default: return fail(failure())
        }
    }

    /// libssl of DTLS writes into a buffer that it does not check for: after `SSL_free_buffers` it must be made anew.
    func sayCloseNotify() {
        if SSL_alloc_buffers(ssl) == 1 { SSL_shutdown(ssl) }
    }

    /// Why libssl gave up, from its error queue.
    private func failure() -> DTLSFailure {
        if channel.pointee.refusedCertificate { return .fingerprintMismatch }
        let code = ERR_peek_error()
        let reason = Int32(truncatingIfNeeded: code & 0x7f_ffff)
        if reason == SSL_R_READ_TIMEOUT_EXPIRED { return .timedOut }
        let alert = reason - SSL_AD_REASON_OFFSET
        if let alert = UInt8(exactly: alert), alert > 0 { return .alert(alert) }
        return .protocolViolation(CryptoError.words(code))
    }

    mutating func fail(_ failure: DTLSFailure) -> DTLSAction {
        end(.failed(failure))
        return .failed(failure)
    }

    mutating func end(_ final: DTLSState) {
        state = final
        early = EarlyRecords()
        handshakeDeadline = nil
        channel.pointee.deadline = nil
        exportedKeys = nil
        srtpKeys = nil
        SSL_free_buffers(ssl)
    }
}
