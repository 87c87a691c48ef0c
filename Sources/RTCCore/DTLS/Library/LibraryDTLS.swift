import CCrypto
import RTCWire

/// One DTLS 1.2 association over libssl, which must be one whose timer our clock can drive.
struct LibraryDTLS: ~Copyable {
    /// libssl's own timeout in microseconds: an hour, so that it never fires.
    private static let libraryTimeout: UInt32 = 3_600_000_000

    let role: DTLSRole
    var state = DTLSState.new
    /// The SRTP keys, once connected and until they are taken; nil where no profiles were asked for.
    var srtpKeys: SRTPKeyingMaterial?
    /// Datagrams that were no DTLS 1.2, held a record too short to open, or came too early.
    var droppedDatagrams = 0

    let ssl: OpaquePointer
    let channel: UnsafeMutablePointer<DTLSChannel>
    let wantsSRTP: Bool
    var handshakeDeadline: Instant?
    var early = EarlyRecords()
    /// What waits for the fingerprint.
    var exportedKeys: SRTPKeyingMaterial?

    /// - Parameter isClockChecked: false for `DTLSClock` alone, whose check is made with an association. Else the first
    ///   of a process makes it, and this throws `CryptoError.incompatibleOpenSSL` where libssl is another.
    init(
        role: DTLSRole, settings: HandshakeSettings, mtu: Int, expectedFingerprint: DTLSFingerprint?,
        isClockChecked: Bool = true
    ) throws(CryptoError) {
        if isClockChecked { try DTLSBackend.libssl.check() }
        let channel = UnsafeMutablePointer<DTLSChannel>.allocate(capacity: 1)
        channel.initialize(to: DTLSChannel(mtu: mtu, expectedFingerprint: expectedFingerprint))
        let ssl: OpaquePointer
        do throws(CryptoError) {
            ssl = try LibraryDTLS.association(settings, channel)
        } catch {
            channel.deinitialize(count: 1)
            channel.deallocate()
            throw error
        }
        self.init(role, ssl, channel, wantsSRTP: !settings.srtpProfiles.isEmpty)
    }

    /// Nothing throws once a property has its value: Swift 6.2 ends such a value wrongly.
    private init(
        _ role: DTLSRole, _ ssl: OpaquePointer, _ channel: UnsafeMutablePointer<DTLSChannel>, wantsSRTP: Bool
    ) {
        self.role = role
        self.ssl = ssl
        self.channel = channel
        self.wantsSRTP = wantsSRTP
        if role == .client { SSL_set_connect_state(ssl) } else { SSL_set_accept_state(ssl) }
    }

    /// Makes the `SSL` over a channel that outlives it.
    private static func association(
        _ settings: HandshakeSettings, _ channel: UnsafeMutablePointer<DTLSChannel>
    ) throws(CryptoError) -> OpaquePointer {
        ERR_clear_error()
        guard let ssl = SSL_new(try settings.certificate.libraryContext()) else { throw .library("SSL_new") }
        let profiles = settings.srtpProfiles
        let names = profiles.map(\.description).joined(separator: ":")
        let bio = DatagramBIO.make(channel)
        SSL_set_bio(ssl, bio, bio)
        guard bio != nil, ccrypto_ssl_set_owner(ssl, channel) == 1,
            profiles.isEmpty || SSL_set_tlsext_use_srtp(ssl, names) == 0,
            SSL_set_cipher_list(ssl, DTLSContext.names(settings.cipherSuites)) == 1,
            ccrypto_ssl_set_groups(ssl, DTLSContext.names(settings.groups)) == 1
        else {
            SSL_free(ssl)
            throw .library("setting up a DTLS association")
        }
        ccrypto_ssl_set_mtu(ssl, channel.pointee.mtu - DTLSTransport.slack)
        DTLS_set_timer_cb(ssl) { ssl, previous in
            SSL_get_ex_data(ssl, 0)?.assumingMemoryBound(to: DTLSChannel.self).pointee.nextTimeout(previous: previous)
            return LibraryDTLS.libraryTimeout
        }
        return ssl
    }

    deinit {
        SSL_free(ssl)
        channel.deinitialize(count: 1)
        channel.deallocate()
    }

    /// Largest message that `send` takes, in bytes.
    var maximumMessage: Int { channel.pointee.mtu - DTLSTransport.slack }

    /// When `advance` wants to be called next.
    var nextDeadline: Instant? {
        guard let retransmission = channel.pointee.deadline else { return handshakeDeadline }
        return min(retransmission, handshakeDeadline ?? retransmission)
    }

    /// Starts the handshake: the client sends its ClientHello, the server begins to wait.
    mutating func start(now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress) -> DTLSAction {
        guard state == .new else { return .none }
        state = .handshaking
        handshakeDeadline = now + DTLSTransport.handshakeLimit
        guard role == .client else { return .none }
        prepare(now, outbox, destination)
        defer { release() }
        return handshake()
    }

    /// Takes a datagram that PacketKind calls DTLS. A server that was not started starts.
    ///
    /// - Parameter deliver: gets each message that came inside, valid during the call; never before `connected`.
    mutating func receive(
        _ datagram: UnsafeRawBufferPointer, now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress,
        deliver: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) -> DTLSAction {
        if state == .new, role == .server { _ = start(now: now, into: outbox, to: destination) }
        guard let (clear, sealed) = DTLSRecords.split(datagram),
            DTLSRecords.areOpenable(sealed, overhead: recordOverhead)
        else {
            droppedDatagrams &+= 1
            return .none
        }
        prepare(now, outbox, destination)
        defer { release() }
        switch state {
        case .new, .closed, .failed: return .none
        case .awaitingFingerprint, .connected:
            // Records in the clear mean nothing any more; libssl would only discard them.
            return sealed.isEmpty ? .none : read(sealed, deliver)
        case .handshaking:
            let action = clear.isEmpty ? .none : shakeHands(clear, deliver)
            if sealed.isEmpty { return action }
            if state != .handshaking {
                // The handshake may have ended with records that were held: its end is not forgotten over these.
                let further = hasHandshake ? read(sealed, deliver) : .none
                return further == .none ? action : further
            }
            return receiveEarly(sealed, deliver)
        }
    }

    /// Says what the peer's fingerprint must be, before or after the handshake. Returns the verdict where the handshake
    /// waited for it.
    mutating func expect(
        _ fingerprint: DTLSFingerprint, now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress
    ) -> DTLSAction {
        channel.pointee.expectedFingerprint = fingerprint
        guard state == .awaitingFingerprint else { return .none }
        prepare(now, outbox, destination)
        defer { release() }
        return judge()
    }

    /// Does what is due at `now`: sends a flight again, or gives up.
    mutating func advance(
        to now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress
    ) -> DTLSAction {
        if let handshakeDeadline, handshakeDeadline <= now { return fail(.timedOut) }
        guard state == .handshaking, let deadline = channel.pointee.deadline, deadline <= now else { return .none }
        prepare(now, outbox, destination)
        defer { release() }
        // Bound first: under ThreadSanitizer compiler 6.3 breaks on a call that mutates through a stored pointer.
        let channel = channel
        channel.pointee.expire()
        return ccrypto_ssl_handle_timeout(ssl) < 0 ? fail(.timedOut) : .none
    }

    /// Sends one message. False where the association is not connected or the message is empty or too long.
    mutating func send(
        _ message: UnsafeRawBufferPointer, now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress
    ) -> Bool {
        guard state == .connected, (1...maximumMessage).contains(message.count) else { return false }
        prepare(now, outbox, destination)
        defer { release() }
        return SSL_alloc_buffers(ssl) == 1 && SSL_write(ssl, message.baseAddress, Int32(message.count)) > 0
    }

    /// Says close_notify where there is a connection, and is closed.
    mutating func close(now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress) {
        prepare(now, outbox, destination)
        defer { release() }
        if hasHandshake { sayCloseNotify() }
        if case .failed = state { return }
        end(.closed)
    }

    /// True between the end of the handshake and the end of the association.
    var hasHandshake: Bool { state == .connected || state == .awaitingFingerprint }
}
