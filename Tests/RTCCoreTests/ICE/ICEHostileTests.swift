import RTCWire
import Testing

@testable import RTCCore

@Suite struct ICEHostileTests {
    private let stranger = TransportAddress(ipv4: 0x0a00_0666, port: 666)

    private func connected() -> ICENetwork {
        let network = makeICENetwork()
        network.signalAll()
        network.run(for: .seconds(1))
        return network
    }

    private func expectSilence(
        _ bytes: [UInt8], _ network: ICENetwork, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for source in [stranger, .testA] {
            let changes = network.inject(bytes, from: source, to: network.b)
            #expect(changes.isEmpty, sourceLocation: sourceLocation)
            #expect(network.b.outbox.isEmpty, sourceLocation: sourceLocation)
        }
        #expect(network.b.remote == .testA, sourceLocation: sourceLocation)
        let isTrusted = network.b.agent.trusts(stranger, base: .testB)
        #expect(!isTrusted, sourceLocation: sourceLocation)
    }

    @Test func rightUserNameWithWrongIntegrity() {
        let network = connected()
        var request = STUNFixture.Request(to: network.b.agent)
        request.useCandidate = true
        request.password = "not the password of that agent"
        expectSilence(request.bytes, network)
        #expect(network.b.statistics.integrityFailures == 2)
        request.hasIntegrity = false
        expectSilence(request.bytes, network)
        #expect(network.b.statistics.integrityFailures == 4)
    }

    @Test func wrongUserName() {
        let network = connected()
        let local = network.b.agent.localCredentials
        let remote = network.a.agent.localCredentials
        let names = [
            "", ":", local.ufrag, "\(local.ufrag):", "\(remote.ufrag):\(local.ufrag)",
            "\(local.ufrag):\(remote.ufrag)x",
            "\(local.ufrag):nobody00", "x\(local.ufrag):\(remote.ufrag)",
        ]
        for name in names { expectSilence(STUNFixture.Request(username: name, password: local.pwd).bytes, network) }
        #expect(network.b.statistics.usernameMismatches == UInt64(2 * names.count))
    }

    @Test func wrongFingerprint() {
        let network = connected()
        var bytes = STUNFixture.Request(to: network.b.agent).bytes
        bytes[bytes.count - 1] ^= 1
        expectSilence(bytes, network)
        #expect(network.b.statistics.fingerprintMismatches == 2)
    }

    @Test func fingerprintMayBeMissing() {
        let network = connected()
        var request = STUNFixture.Request(to: network.b.agent)
        request.hasFingerprint = false
        #expect(network.inject(request.bytes, from: .testA, to: network.b) == .authenticated)
    }

    @Test func refusalsGoToAuthenticatedPeersOnly() throws {
        let network = connected()
        var unknown = STUNFixture.Request(to: network.b.agent)
        unknown.unknownAttribute = STUNAttribute(rawValue: 0x7abc)
        var withoutPriority = STUNFixture.Request(to: network.b.agent)
        withoutPriority.priority = nil
        for (request, code) in [(unknown, 420), (withoutPriority, 400)] as [(STUNFixture.Request, UInt16)] {
            network.inject(request.bytes, from: .testA, to: network.b)
            let sent = network.take(network.b)
            #expect(sent.count == 1)
            let bytes = sent.first?.bytes ?? []
            let answer = try STUNMessage(parsing: bytes.span.bytes)
            #expect(answer.messageClass == .error && answer.errorCode == code)
            #expect(answer.integrityOffset != nil)
            var forged = request
            forged.password = "wrong"
            expectSilence(forged.bytes, network)
        }
    }

    @Test func randomAndMutatedDatagramsChangeNothing() {
        let network = connected()
        var random = ICERandom(seed: 99)
        let genuine = genuineMessages(network)
        let before = (network.b.statistics, network.b.agent.checklist.indices.count)
        for round in 0..<100_000 {
            var bytes: [UInt8]
            if round % 4 == 0 {
                bytes = (0..<Int(random.next() % 120)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                if bytes.count >= 8, round % 8 == 0 { bytes.replaceSubrange(0..<8, with: genuine[0][0..<8]) }
            } else {
                bytes = mutate(genuine[Int(random.next() % UInt64(genuine.count))], &random)
            }
            let source = round & 1 == 0 ? stranger : .testA
            let changes = network.inject(bytes, from: source, to: network.b)
            if !changes.isEmpty || !network.b.outbox.isEmpty {
                Issue.record("round \(round) had an effect: \(bytes)")
                return
            }
        }
        #expect(network.b.statistics.requestsReceived == before.0.requestsReceived)
        #expect(network.b.agent.checklist.indices.count == before.1)
        #expect(network.b.remote == .testA && network.b.state == .connected)
    }

    /// A request, a response that is awaited and an error response, all authentic.
    private func genuineMessages(_ network: ICENetwork) -> [[UInt8]] {
        let deadline = network.b.agent.nextDeadline?.instant ?? network.now
        network.b.note(network.b.agent.advance(to: deadline, into: network.b.outbox))
        let key = HMACSHA1(password: network.a.agent.localCredentials.pwd)
        var messages = [STUNFixture.Request(to: network.b.agent).bytes]
        for (bytes, _) in network.take(network.b) {
            guard let sent = try? STUNMessage(parsing: bytes.span.bytes) else { continue }
            messages.append(STUNFixture.success(sent.transactionID, mapped: .testB, key: key))
            messages.append(
                STUNFixture.build(.error, sent.transactionID) { builder in
                    builder.addErrorCode(487, reason: "Role Conflict")
                    builder.addIntegrity { key.authenticate($0, into: $1) }
                    builder.addFingerprint()
                })
        }
        return messages
    }

    /// Changes what integrity covers: some bits, the length, or where the message ends. The fingerprint is made right
    /// again in half of them.
    private func mutate(_ message: [UInt8], _ random: inout ICERandom) -> [UInt8] {
        var bytes = message
        // Behind MESSAGE-INTEGRITY stands the fingerprint, eight bytes, which doesn't count as a change.
        let covered = bytes.count - 8
        for _ in 0...Int(random.next() % 3) {
            bytes[Int(random.next() % UInt64(covered))] ^= 1 << UInt8(random.next() % 8)
        }
        guard bytes != message else { return [] }
        if random.next() % 4 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
        if bytes.count == message.count, random.next() & 1 == 0 { refingerprint(&bytes) }
        return bytes
    }

    private func refingerprint(_ bytes: inout [UInt8]) {
        var crc: UInt32 = 0xffff_ffff
        for byte in bytes.dropLast(8) {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xedb8_8320 ^ crc >> 1 : crc >> 1 }
        }
        let value = ~crc ^ 0x5354_554e
        for index in 0..<4 {
            bytes[bytes.count - 4 + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))
        }
    }
}
