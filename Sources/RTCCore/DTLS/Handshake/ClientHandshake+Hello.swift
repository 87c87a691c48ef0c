import RTCWire

// What the client offers, and what it takes from a ServerHello.
extension ClientHandshake {
    static func hello(_ settings: HandshakeSettings) -> TLSClientHello {
        var hello = TLSClientHello(
            random: SecureRandom.bytes(TLSClientHello.randomLength),
            cipherSuites: settings.cipherSuites.map(\.rawValue))
        hello.extensions.renegotiationInfo = []
        hello.extensions.hasExtendedMasterSecret = true
        hello.extensions.supportedGroups = settings.groups.map(\.rawValue)
        hello.extensions.pointFormats = [0]
        hello.extensions.signatureAlgorithms = TLSSignatureScheme.allCases.map(\.rawValue)
        if !settings.srtpProfiles.isEmpty {
            hello.extensions.useSRTP = UseSRTPExtension(profiles: settings.srtpProfiles.map(\.wireID))
        }
        return hello
    }

    /// The server may choose from what was offered, and nothing else.
    static func accept(
        _ message: HandshakeMessage, _ offered: TLSClientHello, _ settings: HandshakeSettings
    ) throws(HandshakeFault) -> SessionParameters {
        let hello = try HandshakeFault.reading("ServerHello") { () throws(WireError) in
            try TLSServerHello(parsing: message.body)
        }
        guard hello.version == DTLSVersion.v12 else {
            throw .refused("the server speaks no DTLS 1.2", alert: TLSAlert.Description.protocolVersion)
        }
        guard let suite = TLSCipherSuite(rawValue: hello.cipherSuite), settings.cipherSuites.contains(suite),
            hello.compressionMethod == 0
        else { throw .refused("the server chose a cipher suite that was not offered") }
        guard hello.extensions.others.isEmpty else {
            throw .refused("an extension that was not offered", alert: TLSAlert.Description.unsupportedExtension)
        }
        guard hello.extensions.renegotiationInfo?.isEmpty ?? true else {
            throw .refused("a renegotiation where there was nothing", alert: TLSAlert.Description.handshakeFailure)
        }
        return SessionParameters(
            suite: suite, clientRandom: offered.random, serverRandom: hello.random,
            hasExtendedMasterSecret: hello.extensions.hasExtendedMasterSecret,
            srtpProfile: try profile(hello.extensions.useSRTP, settings))
    }

    /// Exactly one of our profiles and no key identifier (RFC 5764 section 4.1.1), or nothing.
    private static func profile(
        _ chosen: UseSRTPExtension?, _ settings: HandshakeSettings
    ) throws(HandshakeFault) -> SRTPProfile? {
        guard let chosen else { return nil }
        guard chosen.profiles.count == 1, chosen.mki.isEmpty, let profile = SRTPProfile(wireID: chosen.profiles[0]),
            settings.srtpProfiles.contains(profile)
        else { throw .refused("the server chose an SRTP profile that was not offered") }
        return profile
    }
}
