import Testing

@testable import RTCCore

@Suite struct DTLSClockTests {
    /// Where this fails, libssl is another than the OpenSSL 3.0 whose timer we drive: see `DTLSClock`.
    @Test func libsslIsDrivenByOurClock() {
        #expect(DTLSClock.isOurs, "\(OpenSSLLibrary.version)")
        #expect(OpenSSLLibrary.version.hasPrefix("OpenSSL 3.0."))
    }

    /// Names the library in the test log. Where this fails, the DTLS tests have not been run under the release that was
    /// loaded: run them, and add it to the list.
    @Test(arguments: [OpenSSLLibrary.version]) func theLoadedLibraryIsTested(_ version: String) {
        #expect(version.hasPrefix("OpenSSL \(OpenSSLLibrary.release) "))
        #expect(OpenSSLLibrary.isTested, "\(version)")
    }

    @Test func anotherLibraryIsNamedWithTheRemedy() {
        let words = CryptoError.incompatibleOpenSSL(version: "OpenSSL 3.5.1").description
        #expect(words.contains("OpenSSL 3.5.1") && words.contains("libssl3"))
    }
}
