import RTCCore
import RTCWire
import Testing

/// The body of the fuzz target with random inputs, so that the plain test run has it too.
@Suite struct DTLSFuzzingTests {
    @Test func randomAttacks() throws {
        let certificates = try DTLSTestPair.certificates.get()
        var random = CryptoTestRandom(77)
        for _ in 0..<400 {
            let input = (0..<Int(random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            input.withUnsafeBytes { HandshakeFuzzing.run($0, certificates) }
        }
    }

    /// Without an attack the handshake of the body ends well.
    @Test func theBodyConnects() throws {
        let certificates = try DTLSTestPair.certificates.get()
        for suite in 0..<3 {
            let pair = try FuzzedPair(
                certificates, suite: TLSCipherSuite.allCases.filter { $0.authentication == .ecdsa }[suite], mtu: 1200)
            pair.settle()
            #expect(pair.isConnected)
        }
    }
}
