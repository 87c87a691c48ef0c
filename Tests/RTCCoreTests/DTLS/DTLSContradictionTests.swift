import RTCWire
import Testing

@testable import RTCCore

/// Messages in the clear that claim the place of the peer's own and can be believed: the handshake goes on with whichever
/// the peer's Finished is over.
@Suite struct DTLSContradictionTests {
    private static func stages(_ role: DTLSRole) throws -> [HandshakeStage] {
        HandshakeStage.all(try DTLSTestPair.certificates.get(), suite: .ecdheECDSAWithAES128GCM).filter {
            $0.role == role && $0.canGoOn
        }
    }

    private func record(_ type: TLSHandshakeType, _ sequence: UInt16, _ body: [UInt8]) -> [UInt8] {
        let message = HandshakeMessage(type: type, sequence: sequence, body: body).encoded
        return [22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 7, 7, UInt8(message.count >> 8), UInt8(message.count & 255)] + message
    }

    private func expectConnected(_ pair: HandshakePair, _ name: String) {
        pair.settle()
        #expect(pair.state(of: .client) == .connected && pair.state(of: .server) == .connected, "\(name)")
        #expect(pair.keys(of: .client) != nil && pair.keys(of: .client) == pair.keys(of: .server), "\(name)")
        #expect(pair.now < .zero + .seconds(2), "\(name)")
    }

    /// A stranger's ClientHello, whole and good, before the client's own and after it.
    @Test(arguments: 1...3) func foreignHello(_ count: Int) throws {
        for stage in try Self.stages(.server) {
            let pair = HandshakePair(copying: stage.moment)
            for _ in 0..<count {
                let stranger = try DTLSTestPair.make()
                stranger.client.start()
                for hello in stranger.client.takeSent() { pair.inject(hello, toServer: true) }
            }
            expectConnected(pair, "\(stage.name), \(count) hellos")
        }
    }

    /// The first half of it alone: mixed with the client's own it is a third one.
    @Test func halfAForeignHello() throws {
        for stage in try Self.stages(.server) {
            let stranger = try DTLSTestPair.make()
            stranger.client.start()
            let hello = try #require(stranger.client.takeSent().first)
            let pair = HandshakePair(copying: stage.moment)
            pair.inject(DTLSFragments.split(hello, size: 40)[0], toServer: true)
            expectConnected(pair, stage.name)
        }
    }

    /// A server that asks for no cookie seems to, once or over and over.
    @Test(arguments: [1, 2, 9]) func forgedHelloVerifyRequests(_ count: Int) throws {
        for stage in try Self.stages(.client) {
            let pair = HandshakePair(copying: stage.moment)
            for number in 0..<count {
                let request = DTLSHelloVerifyRequest(cookie: [UInt8(number), 2, 3]).encoded
                pair.inject(record(.helloVerifyRequest, 0, request), toServer: false)
            }
            expectConnected(pair, "\(stage.name), \(count) requests")
        }
    }

    /// What can be believed in the place of one of the server's messages, with the genuine ones in hand.
    private func forgeries(of message: [UInt8]) throws -> [[UInt8]] {
        let sequence = UInt16(message[4]) << 8 | UInt16(message[5])
        let body = Array(message.dropFirst(12))
        switch TLSHandshakeType(rawValue: message[0]) {
        case .serverHello:
            var plain = try TLSServerHello(parsing: body)
            plain.extensions.hasExtendedMasterSecret.toggle()
            var other = try TLSServerHello(parsing: body)
            let chosen = other.extensions.useSRTP?.profiles.first
            other.extensions.useSRTP = SRTPProfile.preferred.map(\.wireID).first { $0 != chosen }.map {
                UseSRTPExtension(profiles: [$0])
            }
            var without = try TLSServerHello(parsing: body)
            without.extensions.useSRTP = nil
            return [plain, other, without].map { record(.serverHello, sequence, $0.encoded) }
        case .certificate:
            var longer = try TLSCertificateMessage(parsing: body).chain
            longer.append([1, 2, 3])
            return [record(.certificate, sequence, TLSCertificateMessage(chain: longer).encoded)]
        case .certificateRequest:
            var request = try TLSCertificateRequest(parsing: body)
            request.signatureAlgorithms.reverse()
            return [
                record(.certificateRequest, sequence, request.encoded), record(.serverHelloDone, sequence, []),
            ]
        default: return []
        }
    }

    /// The flight of the server is under way; one message of it is met by a forgery.
    @Test func forgeriesInTheFlight() throws {
        let (client, server) = try DTLSTestPair.certificates.get()
        let pair = HandshakePair((client, server), suite: .ecdheECDSAWithAES128GCM)
        pair.start()
        _ = pair.deliverNext()
        let flight = pair.waiting.compactMap { $0.message.map(Array.init) }
        #expect(flight.count == 5)
        var tried = 0
        for forged in try flight.flatMap(forgeries) {
            // Before the flight, after each of its records, and between all of what follows.
            for position in 0...flight.count + 6 {
                let attacked = HandshakePair(copying: pair)
                for _ in 0..<position { _ = attacked.deliverNext() }
                attacked.inject(forged, toServer: false)
                expectConnected(attacked, "type \(forged[13]) at \(position)")
                tried += 1
            }
        }
        #expect(tried == 72)
    }

    /// Somebody who answers every hello and every flight with forgeries of his own, over a network that loses: only as
    /// long as he goes on can he keep the two apart.
    @Test(arguments: 0..<40) func forgeriesOnABadNetwork(_ seed: UInt64) throws {
        let pair = try DTLSTestPair.make(loss: 0.1, seed: seed)
        let stranger = try DTLSTestPair.make(seed: seed + 100)
        stranger.client.start()
        for hello in stranger.client.takeSent() {
            pair.server.receive(hello)
            stranger.server.receive(hello)
        }
        pair.client.start()
        for datagram in stranger.server.takeSent() { pair.client.receive(datagram) }
        #expect(pair.connect(limit: .seconds(20)))
        #expect(pair.client.keys != nil && pair.client.keys == pair.server.keys)
    }

    /// What contradicts costs something: so often and no oftener.
    @Test func readingsAreBounded() throws {
        let pair = try DTLSTestPair.make()
        pair.server.start()
        var answers = 0
        for _ in 0..<200 {
            let stranger = try DTLSTestPair.make()
            stranger.client.start()
            for hello in stranger.client.takeSent() { pair.server.receive(hello) }
            answers += pair.server.takeSent().isEmpty ? 0 : 1
        }
        #expect(answers == 17)
        #expect(pair.server.state == .handshaking)
    }
}
