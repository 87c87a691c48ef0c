import RTCWire

// The server's certificate and key, and our answer to them.
extension ClientHandshake {
    static func certificate(
        _ message: HandshakeMessage, _ parameters: SessionParameters, _ settings: HandshakeSettings,
        _ fingerprint: DTLSFingerprint?
    ) throws(HandshakeFault) -> PeerCertificate {
        let shown = try HandshakeFault.reading("Certificate") { () throws(WireError) in
            try TLSCertificateMessage(parsing: message.body)
        }
        let peer = try settings.judge(shown, expected: fingerprint)
        guard peer.kind == parameters.suite.authentication else {
            throw .refused("the server's key does not fit the cipher suite")
        }
        return peer
    }

    /// The server's ephemeral key, once its signature holds over it and over both random values (RFC 8422 section 5.4).
    static func keyExchange(
        _ message: HandshakeMessage, _ parameters: SessionParameters, _ peer: PeerCertificate,
        _ settings: HandshakeSettings
    ) throws(HandshakeFault) -> ServerOffer {
        let exchange = try HandshakeFault.reading("ServerKeyExchange") { () throws(WireError) in
            try TLSServerKeyExchange(parsing: message.body)
        }
        guard let group = TLSNamedGroup(rawValue: exchange.group), settings.groups.contains(group) else {
            throw .refused("the server chose a group that was not offered")
        }
        let signed = TLSServerKeyExchange.parameters(group: exchange.group, publicKey: exchange.publicKey)
        guard peer.hasSigned(parameters.clientRandom + parameters.serverRandom + signed, exchange.signature) else {
            throw .refused("the server's signature does not hold", alert: TLSAlert.Description.decryptError)
        }
        return ServerOffer(parameters: parameters, peer: peer, group: group, publicKey: exchange.publicKey)
    }

    /// Our answer, and the secrets that it leads to.
    static func flight(
        _ offer: ServerOffer, _ settings: HandshakeSettings, _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> (flight: Flight, secrets: SessionSecrets) {
        let own = try HandshakeFault.calling { () throws(CryptoError) in try EphemeralKey(offer.group) }
        guard let preMaster = own.agree(with: offer.publicKey) else {
            throw .refused("the server's ephemeral key is none of its group")
        }
        var items: [Flight.Item] = []
        if offer.request != nil {
            let chain = TLSCertificateMessage(chain: [settings.certificate.der])
            items.append(log.write(.certificate, chain.encoded))
        }
        items.append(log.write(.clientKeyExchange, TLSClientKeyExchange(publicKey: own.publicKey).encoded))
        let sessionHash = log.transcript.hash(usesSHA384: offer.parameters.suite.usesSHA384)
        let secrets = try HandshakeFault.calling { () throws(CryptoError) in
            try SessionSecrets(offer.parameters, preMaster: preMaster, sessionHash: sessionHash)
        }
        if let request = offer.request {
            let signature = try settings.certificate.sign(log.transcript.bytes, accepted: request.signatureAlgorithms)
            items.append(log.write(.certificateVerify, signature.encoded))
        }
        items.append(.changeCipherSpec)
        items.append(try Finished.write(.client, secrets, &log))
        return (Flight(items: items), secrets)
    }
}
