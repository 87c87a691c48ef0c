import RTCWire
import Testing

@testable import RTCCore

@Suite struct TURNClientTests {
    private static let server = TransportAddress(ipv4: 0xc000_0201, port: 3478)

    private func client(_ change: (inout TURNConfiguration) -> Void = { _ in }) -> TURNClient {
        var configuration = TURNConfiguration(server: Self.server, username: "user", password: "pass")
        configuration.seed = 7
        change(&configuration)
        return TURNClient(configuration: configuration)
    }

    private static func message(
        _ kind: STUNClass, _ method: STUNMethod, _ id: STUNTransactionID, key: HMACSHA1? = nil,
        _ body: (inout STUNMessageBuilder) -> Void
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 2048) { buffer, count in
            var builder = STUNMessageBuilder(kind, method, id, into: UnsafeMutableRawBufferPointer(buffer))
            body(&builder)
            if let key { builder.addIntegrity { key.authenticate($0, into: $1) } }
            count = builder.finish()
        }
    }

    /// What was asked last.
    private static func asked(_ outbox: Outbox) throws -> (message: STUNMessage, bytes: [UInt8]) {
        let bytes = Array(outbox.bytes(of: try #require(outbox.datagrams.last)))
        outbox.removeAll()
        return (try bytes.withUnsafeBytes { try STUNMessage(parsing: $0.bytes) }, bytes)
    }

    private static var key: HMACSHA1 {
        get throws { try #require(LongTermKey.make(username: "user", realm: "r", password: "pass")) }
    }

    /// RFC 8489 section 9.2.2 gives the key of "user", "realm", "pass".
    @Test func theKeyIsTheDigestOfNameRealmAndPassword() throws {
        let digest = try #require(MD5Digest.of(Array("user:realm:pass".utf8)))
        let expected: [UInt8] = [
            0x84, 0x93, 0xfb, 0xc5, 0x3b, 0xa5, 0x82, 0xfb, 0x4c, 0x04, 0x4c, 0x45, 0x6b, 0xdc, 0x40, 0xeb,
        ]
        #expect(digest == expected)
    }

    private func allocate(_ client: inout TURNClient, _ outbox: Outbox, lifetime: UInt32 = 600) throws {
        client.start(now: .zero, into: outbox)
        let first = try Self.asked(outbox)
        #expect(first.message.method == .allocate && first.message.integrityOffset == nil)
        #expect(first.bytes.withUnsafeBytes { first.message.requestedTransport(in: $0.bytes) } == 17)
        let challenge = Self.message(.error, .allocate, first.message.transactionID) {
            $0.addErrorCode(401, reason: "Unauthorized")
            $0.add(.realm, "r")
            $0.add(.nonce, "n")
        }
        #expect(challenge.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) } == .handled)
        let second = try Self.asked(outbox)
        let key = try Self.key
        #expect(second.message.transactionID != first.message.transactionID)
        second.bytes.withUnsafeBytes { bytes in
            #expect(second.message.usernameText(in: bytes.bytes) == "user")
            #expect(second.message.text(.realm, in: bytes.bytes) == "r")
            #expect(second.message.text(.nonce, in: bytes.bytes) == "n")
            #expect(second.message.hasValidIntegrity(in: bytes.bytes) { key.authenticate($0, into: $1) })
        }
        let success = Self.message(.success, .allocate, second.message.transactionID, key: key) {
            $0.addXOR(.xorRelayedAddress, TransportAddress(ipv4: 0xc000_0202, port: 50_000))
            $0.addXOR(.xorMappedAddress, TransportAddress(ipv4: 0xcb00_7105, port: 4444))
            $0.add(.lifetime, lifetime)
        }
        // Without the right key nothing is believed.
        var forged = success
        forged[forged.count - 1] ^= 1
        #expect(forged.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) } == .handled)
        #expect(client.state == .allocating && client.statistics.integrityFailures == 1)
        #expect(success.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) } == .changed)
        #expect(client.state == .allocated)
        #expect(client.relayed == TransportAddress(ipv4: 0xc000_0202, port: 50_000))
        #expect(client.mapped == TransportAddress(ipv4: 0xcb00_7105, port: 4444))
    }

    @Test(arguments: [(600, 540), (100, 50), (3600, 3540)]) func allocationsAreRenewedInTime(lifetime: Int, after: Int)
        throws
    {
        var client = client()
        let outbox = Outbox()
        try allocate(&client, outbox, lifetime: UInt32(lifetime))
        #expect(client.nextDeadline == .zero + .seconds(after))
        _ = client.advance(to: .zero + .seconds(after), into: outbox)
        let asked = try Self.asked(outbox)
        #expect(asked.message.method == .refresh)
        #expect(asked.bytes.withUnsafeBytes { asked.message.lifetime(in: $0.bytes) } == UInt32(lifetime))
    }

    /// Answers whatever the client asks now.
    private func confirm(_ client: inout TURNClient, _ outbox: Outbox) throws -> STUNMethod {
        let (asked, _) = try Self.asked(outbox)
        let success = Self.message(.success, asked.method, asked.transactionID, key: try Self.key) { _ in }
        _ = success.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) }
        return asked.method
    }

    @Test(arguments: [false, true]) func whatIsHeldBackFollowsThePermission(isReliable: Bool) throws {
        var client = client { $0.isReliable = isReliable }
        let outbox = Outbox()
        try allocate(&client, outbox)
        let peer = TransportAddress(ipv4: 0xc633_6401, port: 7000)
        let payload: [UInt8] = [1, 2, 3, 4, 5]
        payload.withUnsafeBytes { outbox.append($0, to: peer, path: 1) }
        client.relay(0, of: outbox, now: .zero)
        outbox.removeDropped()
        #expect(outbox.datagrams.count == 1, "the request, and nothing of the datagram")
        let (asked, _) = try Self.asked(outbox)
        #expect(asked.method == .createPermission)
        let success = Self.message(.success, asked.method, asked.transactionID, key: try Self.key) { _ in }
        _ = success.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) }
        // The datagram by indication, then the request for a channel.
        #expect(outbox.datagrams.count == 2)
        let sent = Array(outbox.bytes(of: outbox.datagrams[0]))
        try sent.withUnsafeBytes { bytes in
            let message = try STUNMessage(parsing: bytes.bytes)
            #expect(message.method == .send && message.peerAddress(in: bytes.bytes) == peer)
            let range = message.range(of: .data, in: bytes.bytes)
            #expect(range.map { Array(bytes[$0]) } == payload)
        }
        #expect(try confirm(&client, outbox) == .channelBind)
        payload.withUnsafeBytes { outbox.append($0, to: peer, path: 1) }
        client.relay(0, of: outbox, now: .zero)
        let framed = try #require(outbox.datagrams.first)
        #expect(framed.destination == Self.server && framed.path == 0)
        let padding: [UInt8] = isReliable ? [0, 0, 0] : []
        #expect(Array(outbox.bytes(of: framed)) == [0x40, 0, 0, 5] + payload + padding)
        // And back.
        let back: [UInt8] = [0x40, 0, 0, 3, 9, 8, 7, 0]
        #expect(back.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) } == .data(from: peer, 4..<7))
        let unbound: [UInt8] = [0x40, 1, 0, 3, 9, 8, 7, 0]
        #expect(unbound.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) } == .handled)
    }

    private static func addAlternate(_ address: [UInt8], to builder: inout STUNMessageBuilder) {
        address.withUnsafeBytes { builder.add(.alternateServer, $0) }
    }

    @Test func anotherServerIsAsked() throws {
        var client = client()
        let outbox = Outbox()
        client.start(now: .zero, into: outbox)
        let (asked, _) = try Self.asked(outbox)
        let elsewhere = TransportAddress(ipv4: 0xc000_0209, port: 3479)
        let answer = Self.message(.error, .allocate, asked.transactionID) {
            $0.addErrorCode(300, reason: "Try Alternate")
            let address: [UInt8] = [0, 1, 0x0d, 0x97, 0xc0, 0, 2, 9]
            Self.addAlternate(address, to: &$0)
        }
        _ = answer.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) }
        #expect(client.server == elsewhere)
        #expect(outbox.datagrams.last?.destination == elsewhere)
    }

    @Test(arguments: [
        (UInt16(486), TURNFailure.noCapacity(code: 486)), (442, .refused(code: 442)), (437, .refused(code: 437)),
    ])
    func refusalsAreNamed(code: UInt16, failure: TURNFailure) throws {
        var client = client()
        let outbox = Outbox()
        client.start(now: .zero, into: outbox)
        let (asked, _) = try Self.asked(outbox)
        let answer = Self.message(.error, .allocate, asked.transactionID) { $0.addErrorCode(code, reason: "") }
        #expect(answer.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) } == .changed)
        #expect(client.state == .failed(failure))
    }

    /// A server that only ever says that the nonce is old is not asked for ever.
    @Test func staleNoncesHaveAnEnd() throws {
        var client = client()
        let outbox = Outbox()
        client.start(now: .zero, into: outbox)
        for number in 0..<20 where client.state == .allocating {
            let (asked, _) = try Self.asked(outbox)
            let answer = Self.message(.error, .allocate, asked.transactionID) {
                $0.addErrorCode(438, reason: "Stale Nonce")
                $0.add(.realm, "r")
                $0.add(.nonce, "n\(number)")
            }
            _ = answer.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) }
        }
        #expect(client.state == .failed(.unauthorized))
        #expect(client.statistics.staleNonces == 6)
    }

    @Test func whatAServerSendsCanDoNoHarm() throws {
        var random = ICERandom(seed: 5)
        for round in 0..<400 {
            var client = client()
            let outbox = Outbox()
            try allocate(&client, outbox)
            [UInt8](repeating: 0, count: 20).withUnsafeBytes {
                outbox.append($0, to: TransportAddress(ipv4: 0xc633_6401, port: 7000), path: 1)
            }
            client.relay(0, of: outbox, now: .zero)
            outbox.removeDropped()
            let (asked, bytes) = try Self.asked(outbox)
            var answer = Self.message(
                round % 2 == 0 ? .error : .indication, round % 3 == 0 ? .data : asked.method, asked.transactionID
            ) {
                if round % 2 == 0 { $0.addErrorCode(438, reason: "x") }
                $0.addXOR(.xorPeerAddress, TransportAddress(ipv4: 0xc633_6401, port: 7000))
                $0.add(.data, "something")
                $0.add(.nonce, "n2")
                $0.add(.lifetime, UInt32(0))
            }
            if round % 5 == 0 { answer = bytes }
            for _ in 0..<3 {
                answer[Int(random.next() % UInt64(answer.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            answer = Array(answer[..<Int(random.next() % UInt64(answer.count + 1))])
            _ = answer.withUnsafeBytes { client.receive($0, now: .zero, into: outbox) }
            _ = client.advance(to: .zero + .seconds(700), into: outbox)
        }
    }
}
