import RTCWire

/// The client's side of the handshake, RFC 6347 section 4.2.4 figure 1, as the state after each of the server's messages.
///
/// ```
///  ClientHello        ->
///                     <-  HelloVerifyRequest (some servers)
///  ClientHello        ->
///                     <-  HelloVerifyRequest: only now it is believed
///  ClientHello, with the cookie ->
///                     <-  ServerHello, Certificate, ServerKeyExchange, CertificateRequest*, ServerHelloDone
///  Certificate*, ClientKeyExchange, CertificateVerify*, ChangeCipherSpec, Finished ->
///                     <-  ChangeCipherSpec, Finished
/// ```
struct ClientHandshake: ~Copyable {
    private enum State {
        case new
        case awaitingServerHello(TLSClientHello, isAskedForCookie: Bool)
        case awaitingCertificate(SessionParameters)
        case awaitingKeyExchange(SessionParameters, PeerCertificate)
        case awaitingHelloDone(ServerOffer)
        case awaitingFinished(SessionSecrets, PeerCertificate)
        case done
    }

    /// What the server's flight says in all.
    struct ServerOffer {
        var parameters: SessionParameters
        var peer: PeerCertificate
        var group: TLSNamedGroup
        var publicKey: [UInt8]
        /// The server wants our certificate.
        var request: TLSCertificateRequest?
    }

    private var state = State.new

    borrowing func copied() -> ClientHandshake {
        var copy = ClientHandshake()
        copy.state = state
        return copy
    }

    /// The first flight.
    mutating func start(_ settings: HandshakeSettings, _ log: inout HandshakeLog) -> Flight {
        let hello = ClientHandshake.hello(settings)
        state = .awaitingServerHello(hello, isAskedForCookie: false)
        return Flight(items: [log.write(.clientHello, hello.encoded)])
    }

    /// Takes the next message of the server. On a fault nothing has changed.
    mutating func receive(
        _ message: HandshakeMessage, _ settings: HandshakeSettings, expecting fingerprint: DTLSFingerprint?,
        _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        switch (state, message.type) {
        case (.awaitingServerHello(let hello, let isAsked), .helloVerifyRequest):
            return try answer(message, hello, isSecond: isAsked, &log)
        case (.awaitingServerHello(let hello, _), .serverHello):
            state = .awaitingCertificate(try ClientHandshake.accept(message, hello, settings))
        case (.awaitingCertificate(let parameters), .certificate):
            let peer = try ClientHandshake.certificate(message, parameters, settings, fingerprint)
            state = .awaitingKeyExchange(parameters, peer)
        case (.awaitingKeyExchange(let parameters, let peer), .serverKeyExchange):
            state = .awaitingHelloDone(try ClientHandshake.keyExchange(message, parameters, peer, settings))
        case (.awaitingHelloDone(var offer), .certificateRequest) where offer.request == nil:
            offer.request = try HandshakeFault.reading("CertificateRequest") { () throws(WireError) in
                try TLSCertificateRequest(parsing: message.body)
            }
            state = .awaitingHelloDone(offer)
        case (.awaitingHelloDone(let offer), .serverHelloDone):
            return try answer(offer, message, settings, &log)
        case (.awaitingFinished(let secrets, let peer), .finished):
            return try finish(message, secrets, peer, &log)
        default:
            throw .ignored("\(message.type) out of turn")
        }
        log.read(message)
        return .none
    }

    /// HelloVerifyRequest. A server that means it answers every hello without cookie so (RFC 6347 section 4.2.1): at
    /// first the hello is repeated, and only then sent with the cookie, which a server that has not asked would not bear.
    private mutating func answer(
        _ message: HandshakeMessage, _ hello: TLSClientHello, isSecond: Bool, _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        let request = try HandshakeFault.reading("HelloVerifyRequest") { () throws(WireError) in
            try DTLSHelloVerifyRequest(parsing: message.body)
        }
        guard hello.cookie.isEmpty, !request.cookie.isEmpty else { throw .ignored("a HelloVerifyRequest too many") }
        guard isSecond else {
            state = .awaitingServerHello(hello, isAskedForCookie: true)
            return .sendAgain
        }
        var hello = hello
        hello.cookie = request.cookie
        log.restart()
        state = .awaitingServerHello(hello, isAskedForCookie: true)
        return .sendChanged(Flight(items: [log.write(.clientHello, hello.encoded)]))
    }

    /// ServerHelloDone: our flight, with which the keys come into use.
    private mutating func answer(
        _ offer: ServerOffer, _ message: HandshakeMessage, _ settings: HandshakeSettings, _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        guard message.body.isEmpty else { throw .ignored("unreadable ServerHelloDone") }
        log.read(message)
        let answer = try ClientHandshake.flight(offer, settings, &log)
        let keys = try HandshakeFault.calling { () throws(CryptoError) in try answer.secrets.recordKeys(.client) }
        state = .awaitingFinished(answer.secrets, offer.peer)
        return .useAndSend(keys, answer.flight)
    }

    private mutating func finish(
        _ message: HandshakeMessage, _ secrets: SessionSecrets, _ peer: PeerCertificate, _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        try Finished.check(message, of: .server, secrets, log)
        let keys = try HandshakeFault.calling { () throws(CryptoError) in try secrets.srtpKeys() }
        state = .done
        return .finish(HandshakeResult(srtpKeys: keys, peer: peer), nil)
    }
}
