import RTCWire
import Testing

@testable import RTCCore

@Suite struct ShownCertificateTests {
    @Test func theSameCertificateIsReadOnce() throws {
        let shown = ShownCertificates()
        let ders = try (0..<2).map { _ in try DTLSCertificate.generate().der }
        let first = try #require(shown.certificate(der: ders[0]))
        let other = try #require(shown.certificate(der: ders[1]))
        #expect(first !== other && first.der == ders[0] && other.der == ders[1])
        #expect(shown.certificate(der: ders[0]) === first)
        #expect(shown.certificate(der: ders[1]) === other)
    }

    @Test func fewAreKeptAndNoBadOnes() throws {
        let shown = ShownCertificates()
        let oldest = try DTLSCertificate.generate().der
        let first = try #require(shown.certificate(der: oldest))
        #expect(shown.certificate(der: []) == nil && shown.certificate(der: oldest + [0]) == nil)
        for _ in 0..<3 { _ = shown.certificate(der: try DTLSCertificate.generate().der) }
        #expect(shown.certificate(der: oldest) === first)
        _ = shown.certificate(der: try DTLSCertificate.generate().der)
        let again = try #require(shown.certificate(der: oldest))
        #expect(again !== first && again.der == oldest)
    }

    /// What is known of a certificate is its key, and not that it is trusted.
    @Test func aKnownCertificateStillNeedsItsFingerprint() throws {
        let certificate = try DTLSCertificate.generate()
        let settings = HandshakeSettings(certificate: certificate, srtpProfiles: [])
        let peer = try DTLSCertificate.generate()
        let message = TLSCertificateMessage(chain: [peer.der])
        _ = try settings.judge(message, expected: peer.fingerprint)
        #expect(throws: HandshakeFault.self) {
            try settings.judge(message, expected: certificate.fingerprint)
        }
    }
}
