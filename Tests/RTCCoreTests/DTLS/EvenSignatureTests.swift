import RTCWire
import Testing

@testable import RTCCore

/// Certificates for runs that are to be repeated: the same length, whatever the key and the numbers drawn.
@Suite struct EvenSignatureTests {
    private let schemes = TLSSignatureScheme.allCases.map(\.rawValue)

    @Test func certificatesAndSignaturesAreEquallyLong() throws {
        let certificates = try (0..<8).map { _ in try DTLSCertificate.generate(isEven: true) }
        #expect(Set(certificates.map(\.der.count)).count == 1)
        #expect(Set(certificates.map(\.fingerprint)).count == certificates.count)
        for certificate in certificates {
            let lengths = try (0..<20).map { try certificate.sign([UInt8($0)], accepted: schemes).value.count }
            #expect(Set(lengths) == [71])
        }
    }

    /// Else they are as they come: of forty not all are alike.
    @Test func othersAreNot() throws {
        let certificate = try DTLSCertificate.generate()
        let lengths = try (0..<40).map { try certificate.sign([UInt8($0)], accepted: schemes).value.count }
        #expect(Set(lengths).count > 1)
    }
}
