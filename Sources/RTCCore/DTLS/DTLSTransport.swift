import RTCWire

/// One DTLS 1.2 association (RFC 6347, RFC 5764), as a value without socket or clock, over the backend of choice.
///
/// The driver hands in datagrams and time; what is to be sent appears in the outbox. What a peer sends can fail only
/// this object. Retransmission follows `nextDeadline` alone: 50 ms, doubling to 3.2 s.
package struct DTLSTransport: ~Copyable {
    /// How long a handshake may take before it fails.
    package static let handshakeLimit = DTLSHandshake.limit
    /// What a datagram holds beside a message, at most.
    static let slack = 64

    private let engine: Engine

    // Not private: other modules' code that destroys a peer names it, which the compiler gets wrong for a private type.
    enum Engine: ~Copyable {
        case own(DTLSAssociation)
        case libssl(LibraryDTLS)
    }

    private init(engine: consuming Engine) { self.engine = engine }

    /// - Parameters:
    ///   - mtu: largest datagram to send, in bytes; 300 at least.
    ///   - srtpProfiles: in order of preference; empty for an association without SRTP.
    ///   - expectedFingerprint: from the peer's SDP; where it is not yet known the association waits in
    ///     `.awaitingFingerprint` for `expect`.
    ///   - cipherSuites: in order of preference.
    /// - Throws: `CryptoError.incompatibleOpenSSL` where libssl is chosen and is none that our clock can drive.
    package init(
        role: DTLSRole, certificate: DTLSCertificate, mtu: Int = 1200,
        srtpProfiles: [SRTPProfile] = SRTPProfile.preferred, expectedFingerprint: DTLSFingerprint? = nil,
        backend: DTLSBackend = .own, cipherSuites: [TLSCipherSuite] = TLSCipherSuite.allCases,
        groups: [TLSNamedGroup] = TLSNamedGroup.allCases
    ) throws(CryptoError) {
        let settings = HandshakeSettings(
            certificate: certificate, srtpProfiles: srtpProfiles, cipherSuites: cipherSuites, groups: groups)
        let mtu = max(mtu, 300)
        switch backend {
        case .own:
            engine = .own(
                DTLSAssociation(role: role, settings: settings, mtu: mtu, expectedFingerprint: expectedFingerprint))
        case .libssl:
            engine = .libssl(
                try LibraryDTLS(role: role, settings: settings, mtu: mtu, expectedFingerprint: expectedFingerprint))
        }
    }

    package var role: DTLSRole {
        switch engine {
        case .own(let association): association.role
        case .libssl(let association): association.role
        }
    }

    /// Largest message that `send` takes, in bytes.
    package var maximumMessage: Int {
        switch engine {
        case .own(let association): association.mtu - DTLSTransport.slack
        case .libssl(let association): association.maximumMessage
        }
    }

    package var state: DTLSState {
        switch engine {
        case .own(let association): association.state
        case .libssl(let association): association.state
        }
    }

    /// The SRTP keys, once connected and until they are taken; nil where no profiles were asked for.
    package var srtpKeys: SRTPKeyingMaterial? {
        switch engine {
        case .own(let association): association.srtpKeys
        case .libssl(let association): association.srtpKeys
        }
    }

    /// Datagrams that were no DTLS 1.2, held a record too short to open, or came too early; with our own backend also
    /// records that were forged or out of turn.
    package var droppedDatagrams: Int {
        switch engine {
        case .own(let association): association.droppedRecords
        case .libssl(let association): association.droppedDatagrams
        }
    }

    /// When `advance` wants to be called next.
    package var nextDeadline: Instant? {
        switch engine {
        case .own(let association): association.nextDeadline
        case .libssl(let association): association.nextDeadline
        }
    }

    /// Starts the handshake: the client sends its ClientHello, the server begins to wait.
    package mutating func start(now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress)
        -> DTLSAction
    {
        switch consume engine {
        case .own(var association):
            association.start(DTLSWay(now: now, outbox: outbox, destination: destination))
            self = DTLSTransport(engine: .own(association))
            return .none
        case .libssl(var association):
            let action = association.start(now: now, into: outbox, to: destination)
            self = DTLSTransport(engine: .libssl(association))
            return action
        }
    }

    /// Takes a datagram that PacketKind calls DTLS. A server that was not started starts.
    ///
    /// - Parameter deliver: gets each message that came inside, valid during the call; never before `connected`.
    package mutating func receive(
        _ datagram: UnsafeRawBufferPointer, now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress,
        deliver: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) -> DTLSAction {
        switch consume engine {
        case .own(var association):
            let way = DTLSWay(now: now, outbox: outbox, destination: destination)
            let action = association.receive(datagram, way, deliver)
            self = DTLSTransport(engine: .own(association))
            return action
        case .libssl(var association):
            let action = association.receive(datagram, now: now, into: outbox, to: destination, deliver: deliver)
            self = DTLSTransport(engine: .libssl(association))
            return action
        }
    }

    /// Says what the peer's fingerprint must be, before or after the handshake. Returns the verdict where the handshake
    /// waited for it.
    package mutating func expect(
        _ fingerprint: DTLSFingerprint, now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress
    ) -> DTLSAction {
        switch consume engine {
        case .own(var association):
            let way = DTLSWay(now: now, outbox: outbox, destination: destination)
            let action = association.expect(fingerprint, way)
            self = DTLSTransport(engine: .own(association))
            return action
        case .libssl(var association):
            let action = association.expect(fingerprint, now: now, into: outbox, to: destination)
            self = DTLSTransport(engine: .libssl(association))
            return action
        }
    }

    /// Does what is due at `now`: sends a flight again, or gives up.
    package mutating func advance(
        to now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress
    ) -> DTLSAction {
        switch consume engine {
        case .own(var association):
            let action = association.advance(DTLSWay(now: now, outbox: outbox, destination: destination))
            self = DTLSTransport(engine: .own(association))
            return action
        case .libssl(var association):
            let action = association.advance(to: now, into: outbox, to: destination)
            self = DTLSTransport(engine: .libssl(association))
            return action
        }
    }

    /// Sends one message. False where the association is not connected or the message is empty or too long.
    package mutating func send(
        _ message: UnsafeRawBufferPointer, now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress
    ) -> Bool {
        guard (1...maximumMessage).contains(message.count) else { return false }
        switch consume engine {
        case .own(var association):
            let sent = association.send(message, DTLSWay(now: now, outbox: outbox, destination: destination))
            self = DTLSTransport(engine: .own(association))
            return sent
        case .libssl(var association):
            let sent = association.send(message, now: now, into: outbox, to: destination)
            self = DTLSTransport(engine: .libssl(association))
            return sent
        }
    }

    /// Gives the SRTP keys away: they are wiped as soon as the taker has no more need of them.
    package mutating func takeSRTPKeys() -> SRTPKeyingMaterial? {
        switch consume engine {
        case .own(var association):
            let keys = association.srtpKeys.take()
            self = DTLSTransport(engine: .own(association))
            return keys
        case .libssl(var association):
            let keys = association.srtpKeys.take()
            self = DTLSTransport(engine: .libssl(association))
            return keys
        }
    }

    /// Says close_notify where there is a connection, and is closed.
    package mutating func close(now: Instant, into outbox: DatagramOutbox, to destination: TransportAddress) {
        switch consume engine {
        case .own(var association):
            association.close(DTLSWay(now: now, outbox: outbox, destination: destination))
            self = DTLSTransport(engine: .own(association))
        case .libssl(var association):
            association.close(now: now, into: outbox, to: destination)
            self = DTLSTransport(engine: .libssl(association))
        }
    }
}
