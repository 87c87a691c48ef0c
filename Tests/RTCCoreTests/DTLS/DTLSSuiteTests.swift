import RTCWire
import Testing

@testable import RTCCore

/// Every cipher suite, group and kind of certificate, each backend with each.
@Suite struct DTLSSuiteTests {
    private static let rsa = Result { try DTLSCertificate.generate(.rsa) }

    @Test(arguments: TLSCipherSuite.allCases, DTLSBackends.all)
    func everySuiteAndGroup(_ suite: TLSCipherSuite, _ backends: DTLSBackends) throws {
        let (a, b) = try DTLSTestPair.certificates.get()
        let serverCertificate = suite.authentication == .rsa ? try Self.rsa.get() : b
        for group in TLSNamedGroup.allCases {
            for clientCertificate in [a, try Self.rsa.get()] {
                let pair = DTLSTestPair(
                    client: try DTLSTestEndpoint(
                        .client, clientCertificate, expecting: serverCertificate.fingerprint, backend: backends.client,
                        suites: [suite], groups: group == .x25519 ? [.x25519, .secp256r1] : [group]),
                    server: try DTLSTestEndpoint(
                        .server, serverCertificate, expecting: clientCertificate.fingerprint, backend: backends.server,
                        groups: [group]))
                #expect(pair.connect(), "\(group), \(pair.client.state), \(pair.server.state)")
                #expect(pair.client.keys != nil && pair.client.keys == pair.server.keys)
                #expect(pair.client.send([1], pair.now) && pair.server.send([2], pair.now))
                pair.run(limit: .seconds(1))
                #expect(pair.server.messages == [[1]] && pair.client.messages == [[2]])
            }
        }
    }

    /// The server says so at once; the client waits a while, since anybody could have said it.
    @Test(arguments: DTLSBackends.all) func noSuiteInCommon(_ backends: DTLSBackends) throws {
        let (a, b) = try DTLSTestPair.certificates.get()
        let pair = DTLSTestPair(
            client: try DTLSTestEndpoint(
                .client, a, backend: backends.client, suites: [.ecdheRSAWithAES128GCM, .ecdheRSAWithAES256GCM]),
            server: try DTLSTestEndpoint(.server, b, backend: backends.server))
        #expect(!pair.connect())
        #expect(pair.client.state == .failed(.alert(40)))
        guard case .failed(.protocolViolation) = pair.server.state else {
            Issue.record("\(pair.server.state)")
            return
        }
        #expect(pair.now <= .zero + .seconds(6))
    }
}
