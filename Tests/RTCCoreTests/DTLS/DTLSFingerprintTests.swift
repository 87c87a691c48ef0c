import RTCCore
import RTCWire
import Testing

@Suite struct DTLSFingerprintTests {
    @Test func sdpForm() throws {
        let own = try DTLSCertificate.generate().fingerprint
        #expect(own.algorithm == "sha-256" && own.value.count == 32)
        #expect(own.description.hasPrefix("sha-256 ") && own.description.utf8.count == 8 + 95)
        #expect(DTLSFingerprint(parsing: own.description) == own)
        #expect(DTLSFingerprint(parsing: own.description.lowercased()) == own)
        #expect(try DTLSCertificate.generate().fingerprint != own)
    }

    @Test(arguments: [
        "", "sha-256", "sha-256 ", "sha-256 AB", "sha-256 AB:CD", "md5 00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF",
        "sha-1 0:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33",
        "sha-1 000:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33",
        "sha-1 GG:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33",
        "sha-1 +1:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33",
        "sha-1 00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33 x",
        "sha-1 00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:",
    ]) func malformed(_ line: String) {
        #expect(DTLSFingerprint(parsing: line) == nil)
    }

    @Test(arguments: DTLSBackends.all) func aWrongFingerprintFailsDuringTheHandshake(_ backends: DTLSBackends) throws {
        let (a, b) = try DTLSTestPair.certificates.get()
        let pair = DTLSTestPair(
            client: try DTLSTestEndpoint(.client, a, expecting: a.fingerprint, backend: backends.client),
            server: try DTLSTestEndpoint(.server, b, expecting: a.fingerprint, backend: backends.server))
        #expect(!pair.connect())
        #expect(pair.client.actions == [.failed(.fingerprintMismatch)])
        // bad_certificate: it reached the server.
        #expect(pair.server.actions == [.failed(.alert(42))])
        #expect(pair.client.keys == nil && pair.server.keys == nil)
    }

    @Test(arguments: DTLSBackends.all) func aWrongClientFailsAtTheServer(_ backends: DTLSBackends) throws {
        let (a, b) = try DTLSTestPair.certificates.get()
        let pair = DTLSTestPair(
            client: try DTLSTestEndpoint(.client, a, expecting: b.fingerprint, backend: backends.client),
            server: try DTLSTestEndpoint(.server, b, expecting: b.fingerprint, backend: backends.server))
        #expect(!pair.connect())
        #expect(pair.server.actions == [.failed(.fingerprintMismatch)])
        #expect(pair.client.actions == [.failed(.alert(42))])
    }

    @Test(arguments: DTLSBackends.all) func theVerdictWaitsForTheSDP(_ backends: DTLSBackends) throws {
        let (a, b) = try DTLSTestPair.certificates.get()
        let pair = DTLSTestPair(
            client: try DTLSTestEndpoint(.client, a, backend: backends.client),
            server: try DTLSTestEndpoint(.server, b, backend: backends.server))
        pair.server.start()
        pair.client.start()
        pair.run(limit: .seconds(1))
        #expect(pair.client.state == .awaitingFingerprint && pair.client.actions.isEmpty)
        #expect(pair.client.keys == nil && !pair.client.send([1]))
        pair.client.expect(b.fingerprint)
        #expect(pair.client.actions == [.connected] && pair.client.keys != nil)
        // What arrives before the verdict is not delivered.
        #expect(pair.client.send([1], pair.now))
        pair.run(limit: .seconds(1))
        #expect(pair.server.messages.isEmpty)
        pair.server.expect(b.fingerprint)
        #expect(pair.server.actions == [.failed(.fingerprintMismatch)] && pair.server.keys == nil)
        pair.run(limit: .seconds(1))
        #expect(pair.client.state == .closed)
    }
}
