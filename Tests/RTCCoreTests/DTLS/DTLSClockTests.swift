import Testing

@testable import RTCCore

@Suite struct DTLSClockTests {
    /// Where this fails, libssl is another than the OpenSSL 3.0 whose timer we drive: see `DTLSClock`.
    @Test func libsslIsDrivenByOurClock() {
        #expect(DTLSClock.isOurs, "\(DTLSClock.libraryVersion)")
        #expect(DTLSClock.libraryVersion.hasPrefix("OpenSSL 3.0."))
    }

    @Test func anotherLibraryIsNamedWithTheRemedy() {
        let words = CryptoError.incompatibleOpenSSL(version: "OpenSSL 3.5.1").description
        #expect(words.contains("OpenSSL 3.5.1") && words.contains("libssl3"))
    }
}
