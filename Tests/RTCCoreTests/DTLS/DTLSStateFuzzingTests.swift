import RTCWire
import Testing

@testable import RTCCore

/// Every state of both sides, under attack and after it.
@Suite struct DTLSStateFuzzingTests {
    private static func stages() throws -> [HandshakeStage] {
        HandshakeStage.all(try DTLSTestPair.certificates.get(), suite: .ecdheECDSAWithAES128GCM)
    }

    /// Each message that either side reads leads to a state of its own.
    @Test func everyStateIsThere() throws {
        #expect(
            Set(try Self.stages().map(\.name)) == [
                "client started", "client after HelloVerifyRequest", "client after serverHello",
                "client after certificate", "client after serverKeyExchange", "client after certificateRequest",
                "client after serverHelloDone", "client after finished", "client without fingerprint", "client closed",
                "server started", "server after clientHello", "server after certificate",
                "server after clientKeyExchange", "server after certificateVerify", "server after finished",
                "server without fingerprint", "server closed",
            ])
    }

    /// The body of the fuzz target with random inputs, so that the plain test run has it too.
    @Test func randomAttacks() throws {
        let fuzzing = HandshakeStateFuzzing(try DTLSTestPair.certificates.get(), continuationShare: 16)
        var random = CryptoTestRandom(79)
        for _ in 0..<4000 {
            let input = (0..<Int(random.next() % 120)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            input.withUnsafeBytes { fuzzing.run($0) }
        }
        #expect(!fuzzing.summary.contains("\n0 attacks"), "\(fuzzing.summary)")
    }

    /// Attacks begin at copies: what happens to one is not seen by the others, nor by the state itself.
    @Test func copiesAreIndependent() throws {
        for stage in try Self.stages() where stage.moment.state(of: stage.role) == .handshaking {
            let copy = HandshakePair(copying: stage.moment)
            copy.advance(.seconds(31))
            #expect(copy.state(of: stage.role) == .failed(.timedOut), "\(stage.name)")
            #expect(stage.moment.state(of: stage.role) == .handshaking)
        }
    }

    /// From each moment on the genuine peer goes on to the end: what the attacks are measured by.
    @Test func everyStateGoesOn() throws {
        for stage in try Self.stages() where stage.canGoOn {
            let pair = HandshakePair(copying: stage.moment)
            pair.settle()
            #expect(pair.state(of: .client) == .connected && pair.state(of: .server) == .connected, "\(stage.name)")
            #expect(pair.keys(of: .client) == pair.keys(of: .server))
        }
    }

    /// A message of somebody else's, well formed and in the place of the next one, is refused and ends nothing: the
    /// genuine one still comes, with the flight that it is part of.
    @Test(arguments: 0..<18) func aRefusedForgeryEndsNothing(_ index: Int) throws {
        let stage = try Self.stages()[index]
        let others = HandshakeStage.all(
            (try DTLSCertificate.generate(), try DTLSCertificate.generate()), suite: .ecdheECDSAWithAES128GCM)
        guard stage.canGoOn, let strangers = others.first else { return }
        for record in strangers.handshake where record.toServer == (stage.role == .server) {
            guard var message = record.message.map(Array.init) else { continue }
            message[5] = stage.nextMessage
            let pair = HandshakePair(copying: stage.moment)
            let head: [UInt8] = [
                22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 7, 7, UInt8(message.count >> 8), UInt8(message.count & 255),
            ]
            pair.inject(head + message, toServer: record.toServer)
            #expect(pair.state(of: stage.role) == stage.moment.state(of: stage.role), "\(stage.name) \(message[0])")
            pair.settle()
            #expect(
                pair.state(of: .client) == .connected && pair.state(of: .server) == .connected,
                "\(stage.name) \(message[0])")
        }
    }

    /// A peer that means it says it again with its flight, and then fails with an alert.
    @Test func whoInsistsFails() throws {
        let (a, b) = try DTLSTestPair.certificates.get()
        let stranger = try DTLSCertificate.generate()
        let client = try DTLSTestEndpoint(.client, a, expecting: stranger.fingerprint)
        let pair = DTLSTestPair(client: client, server: try DTLSTestEndpoint(.server, b, expecting: a.fingerprint))
        pair.server.start()
        client.start()
        for datagram in client.takeSent() { pair.server.receive(datagram) }
        let flight = pair.server.takeSent()
        // The same datagrams at once are one forgery; later they are the peer's flight again.
        for _ in 0..<3 { for datagram in flight { client.receive(datagram) } }
        #expect(client.state == .handshaking && client.takeSent().isEmpty)
        for datagram in flight { client.receive(datagram, .zero + .milliseconds(50)) }
        #expect(client.state == .failed(.fingerprintMismatch))
        let alert = try #require(client.takeSent().last)
        #expect(Array(alert.suffix(2)) == [2, TLSAlert.Description.badCertificate])
    }

    /// One who never says it again fails too, in the time that an alert in the clear leaves.
    @Test func aRefusalIsNotForgotten() throws {
        let (a, b) = try DTLSTestPair.certificates.get()
        let client = try DTLSTestEndpoint(.client, a, expecting: a.fingerprint)
        let server = try DTLSTestEndpoint(.server, b)
        server.start()
        client.start()
        for datagram in client.takeSent() { server.receive(datagram) }
        for datagram in server.takeSent() { client.receive(datagram) }
        client.advance(.zero + .milliseconds(4999))
        #expect(client.state == .handshaking)
        client.advance(.zero + .milliseconds(5000))
        #expect(client.state == .failed(.fingerprintMismatch))
    }
}
