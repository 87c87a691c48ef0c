import RTCCore
import Testing

@testable import CallServer

@Suite struct CallServerErrorTests {
    /// A libssl that was refused made no certificate fail: the words say what to do, and nothing of a certificate.
    @Test func aRefusedLibraryIsNoMissingCertificate() {
        let refused = CallServerError(CryptoError.incompatibleOpenSSL(version: "OpenSSL 3.5.1"))
        #expect(refused == .unsuitableLibrary(CryptoError.incompatibleOpenSSL(version: "OpenSSL 3.5.1").description))
        #expect(refused.description.hasPrefix("OpenSSL 3.5.1") && !refused.description.contains("certificate"))
        let failed = CallServerError(
            CryptoError.libraryFailure(operation: "signing a certificate", detail: "no memory"))
        #expect(failed.description.hasPrefix("cannot make a DTLS certificate: "))
    }
}
