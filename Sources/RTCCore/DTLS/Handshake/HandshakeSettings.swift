import RTCWire

/// What we bring into a handshake.
struct HandshakeSettings {
    var certificate: DTLSCertificate
    /// In order of preference; empty for an association without SRTP.
    var srtpProfiles: [SRTPProfile]
    /// In order of preference.
    var cipherSuites = TLSCipherSuite.allCases
    /// In order of preference.
    var groups = TLSNamedGroup.allCases

    /// Takes the first certificate of a chain, if it is the one that SDP promised: a key is read from no other. Where
    /// nothing is promised yet, `DTLSAssociation` judges before it reports the connection.
    func judge(
        _ message: TLSCertificateMessage, expected: DTLSFingerprint?
    ) throws(HandshakeFault) -> PeerCertificate {
        guard let der = message.chain.first else {
            throw .refused("the peer shows no certificate", alert: TLSAlert.Description.handshakeFailure)
        }
        if let expected, !expected.matches(der: der) {
            throw .fatal(.fingerprintMismatch, alert: TLSAlert.Description.badCertificate)
        }
        guard let certificate = self.certificate.shown.certificate(der: der) else {
            throw .refused(
                "the peer's certificate holds no key that signs here", alert: TLSAlert.Description.badCertificate)
        }
        return certificate
    }
}
