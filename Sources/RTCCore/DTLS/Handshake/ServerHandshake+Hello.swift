import RTCWire

// What the server takes from a ClientHello, and its flight.
extension ServerHandshake {
    /// What was chosen from a client's offer.
    struct Choice {
        var parameters: SessionParameters
        var group: TLSNamedGroup
        var extensions: TLSExtensions
        var signatureAlgorithms: [UInt16]
    }

    /// By our own order of preference. What we don't know, TLS 1.3 and hybrid groups among it, is passed over.
    static func choose(_ hello: TLSClientHello, _ settings: HandshakeSettings) throws(HandshakeFault) -> Choice {
        // Later versions are smaller numbers.
        guard hello.version <= DTLSVersion.v12, hello.version >> 8 == 0xfe else {
            throw .refused("the client speaks no DTLS 1.2", alert: TLSAlert.Description.protocolVersion)
        }
        let offer = hello.extensions
        let suite = settings.cipherSuites.first {
            hello.cipherSuites.contains($0.rawValue) && $0.authentication == settings.certificate.kind
        }
        // A client that names no groups leaves the choice to the server (RFC 8422 section 4).
        let group = settings.groups.first { offer.supportedGroups?.contains($0.rawValue) ?? ($0 == .secp256r1) }
        guard let suite, let group, hello.compressionMethods.contains(0), offer.pointFormats?.contains(0) ?? true else {
            throw .refused("no cipher suite or group in common", alert: TLSAlert.Description.handshakeFailure)
        }
        guard offer.renegotiationInfo?.isEmpty ?? true else {
            throw .refused("a renegotiation where there was nothing", alert: TLSAlert.Description.handshakeFailure)
        }
        let profile = settings.srtpProfiles.first { offer.useSRTP?.profiles.contains($0.wireID) ?? false }
        var answer = TLSExtensions()
        answer.hasExtendedMasterSecret = offer.hasExtendedMasterSecret
        let isSecure = offer.renegotiationInfo != nil || hello.cipherSuites.contains(TLSClientHello.renegotiationSignal)
        answer.renegotiationInfo = isSecure ? [] : nil
        answer.pointFormats = offer.pointFormats == nil ? nil : [0]
        answer.useSRTP = profile.map { UseSRTPExtension(profiles: [$0.wireID]) }
        let parameters = SessionParameters(
            suite: suite, clientRandom: hello.random, serverRandom: SecureRandom.bytes(TLSClientHello.randomLength),
            hasExtendedMasterSecret: offer.hasExtendedMasterSecret, srtpProfile: profile)
        return Choice(
            parameters: parameters, group: group, extensions: answer,
            signatureAlgorithms: offer.signatureAlgorithms ?? [])
    }

    /// ServerHello to ServerHelloDone.
    static func flight(
        _ choice: Choice, _ key: EphemeralKey, _ settings: HandshakeSettings, _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> Flight {
        let parameters = choice.parameters
        let signed = TLSServerKeyExchange.parameters(group: key.group.rawValue, publicKey: key.publicKey)
        let signature = try settings.certificate.sign(
            parameters.clientRandom + parameters.serverRandom + signed, accepted: choice.signatureAlgorithms)
        var hello = TLSServerHello(random: parameters.serverRandom, cipherSuite: parameters.suite.rawValue)
        hello.extensions = choice.extensions
        let exchange = TLSServerKeyExchange(
            group: key.group.rawValue, publicKey: key.publicKey, signature: signature)
        let request = TLSCertificateRequest(signatureAlgorithms: TLSSignatureScheme.allCases.map(\.rawValue))
        return Flight(items: [
            log.write(.serverHello, hello.encoded),
            log.write(.certificate, TLSCertificateMessage(chain: [settings.certificate.der]).encoded),
            log.write(.serverKeyExchange, exchange.encoded),
            log.write(.certificateRequest, request.encoded),
            log.write(.serverHelloDone, []),
        ])
    }
}
