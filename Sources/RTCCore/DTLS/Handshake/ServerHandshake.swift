import RTCWire

/// The server's side of the handshake, as the state after each of the client's messages; `ClientHandshake` draws it.
///
/// No HelloVerifyRequest: it keeps those who can't receive from making a server work (RFC 6347 section 4.2.1), and here
/// every datagram comes from an address that has answered ICE's connectivity checks (RFC 8842 section 4 lets it go).
struct ServerHandshake: ~Copyable {
    private enum State {
        case awaitingClientHello
        case awaitingCertificate(SessionParameters, EphemeralKey)
        case awaitingKeyExchange(SessionParameters, EphemeralKey, PeerCertificate)
        case awaitingCertificateVerify(SessionSecrets, PeerCertificate)
        case awaitingFinished(SessionSecrets, PeerCertificate)
        case done
    }

    private var state = State.awaitingClientHello

    borrowing func copied() -> ServerHandshake {
        var copy = ServerHandshake()
        copy.state = state
        return copy
    }

    /// Takes the next message of the client. On a fault nothing has changed.
    mutating func receive(
        _ message: HandshakeMessage, _ settings: HandshakeSettings, expecting fingerprint: DTLSFingerprint?,
        _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        switch (state, message.type) {
        case (.awaitingClientHello, .clientHello):
            return try answer(message, settings, &log)
        case (.awaitingCertificate(let parameters, let key), .certificate):
            let shown = try HandshakeFault.reading("Certificate") { () throws(WireError) in
                try TLSCertificateMessage(parsing: message.body)
            }
            state = .awaitingKeyExchange(parameters, key, try settings.judge(shown, expected: fingerprint))
            log.read(message)
            return .none
        case (.awaitingKeyExchange(let parameters, let key, let peer), .clientKeyExchange):
            return try agree(message, parameters, key, peer, &log)
        case (.awaitingCertificateVerify(let secrets, let peer), .certificateVerify):
            return try verify(message, secrets, peer, &log)
        case (.awaitingFinished(let secrets, let peer), .finished):
            return try finish(message, secrets, peer, &log)
        default:
            throw .ignored("\(message.type) out of turn")
        }
    }

    private mutating func answer(
        _ message: HandshakeMessage, _ settings: HandshakeSettings, _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        let hello = try HandshakeFault.reading("ClientHello") { () throws(WireError) in
            try TLSClientHello(parsing: message.body)
        }
        let choice = try ServerHandshake.choose(hello, settings)
        let key = try HandshakeFault.calling { () throws(CryptoError) in try EphemeralKey(choice.group) }
        log.read(message)
        let flight = try ServerHandshake.flight(choice, key, settings, &log)
        state = .awaitingCertificate(choice.parameters, key)
        return .send(flight)
    }

    /// ClientKeyExchange: the secrets are known, but nothing is opened with them before the client has proved itself.
    private mutating func agree(
        _ message: HandshakeMessage, _ parameters: SessionParameters, _ key: EphemeralKey, _ peer: PeerCertificate,
        _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        let exchange = try HandshakeFault.reading("ClientKeyExchange") { () throws(WireError) in
            try TLSClientKeyExchange(parsing: message.body)
        }
        guard let preMaster = key.agree(with: exchange.publicKey) else {
            throw .refused("the client's ephemeral key is none of its group")
        }
        log.read(message)
        let sessionHash = log.transcript.hash(usesSHA384: parameters.suite.usesSHA384)
        let secrets = try HandshakeFault.calling { () throws(CryptoError) in
            try SessionSecrets(parameters, preMaster: preMaster, sessionHash: sessionHash)
        }
        state = .awaitingCertificateVerify(secrets, peer)
        return .none
    }

    private mutating func verify(
        _ message: HandshakeMessage, _ secrets: SessionSecrets, _ peer: PeerCertificate, _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        let signature = try HandshakeFault.reading("CertificateVerify") { () throws(WireError) in
            try TLSSignature(parsing: message.body)
        }
        guard peer.hasSigned(log.transcript.bytes, signature) else {
            throw .refused("the client's signature does not hold", alert: TLSAlert.Description.decryptError)
        }
        let keys = try HandshakeFault.calling { () throws(CryptoError) in try secrets.recordKeys(.server) }
        log.read(message)
        state = .awaitingFinished(secrets, peer)
        return .use(keys)
    }

    private mutating func finish(
        _ message: HandshakeMessage, _ secrets: SessionSecrets, _ peer: PeerCertificate, _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        try Finished.check(message, of: .client, secrets, log)
        log.read(message)
        let last = Flight(items: [.changeCipherSpec, try Finished.write(.server, secrets, &log)])
        let keys = try HandshakeFault.calling { () throws(CryptoError) in try secrets.srtpKeys() }
        state = .done
        return .finish(HandshakeResult(srtpKeys: keys, peer: peer), last)
    }
}
