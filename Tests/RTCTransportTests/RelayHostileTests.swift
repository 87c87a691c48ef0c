import NIOCore
import NIOPosix
import RTCWire
import Testing

@testable import RTCTransport

/// What the attacker on the path makes of the traffic that he sees.
@Suite(.timeLimit(.minutes(10))) struct RelayHostileTests {
    private static let request = stun(.request) { builder in
        builder.add(.username, "serv:agnt")
        builder.add(.priority, UInt32(0x6e00_1eff))
        builder.add(.iceControlling, UInt64(0x0102_0304_0506_0708))
        builder.add(.useCandidate)
    }
    private static let response = stun(.success) { builder in
        builder.addXOR(.xorMappedAddress, TransportAddress(ipv4: 0x7f00_0001, port: 5000))
    }
    private static let dtls: [UInt8] = [22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 1, 0, 40] + Array(1...40)
    private static let rtp: [UInt8] = [0x90, 111, 0, 9, 0, 0, 1, 0, 1, 2, 3, 4] + Array(50...150)
    private static let rtcp: [UInt8] = [0x80, 200, 0, 6, 1, 2, 3, 4] + Array(100...140)

    private static func stun(_ kind: STUNClass, _ attributes: (inout STUNMessageBuilder) -> Void) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let length = bytes.withUnsafeMutableBytes { buffer in
            var builder = STUNMessageBuilder(kind, .binding, STUNTransactionID(high: 7, low: 9), into: buffer)
            attributes(&builder)
            builder.addIntegrity { _, mac in for index in mac.indices { mac[index] = 0x77 } }
            builder.addFingerprint()
            return builder.finish()
        }
        return Array(bytes[..<length])
    }

    private static let samples = [request, response, dtls, rtp, rtcp]

    private func generator(seed: UInt64 = 1) -> HostileGenerator {
        var generator = HostileGenerator(seed: seed)
        for sample in Self.samples {
            sample.withUnsafeBytes { generator.observe($0, .up) }
            sample.withUnsafeBytes { generator.observe($0, .down) }
        }
        return generator
    }

    private func message(_ bytes: [UInt8]) throws -> STUNMessage {
        try bytes.withUnsafeBytes { try STUNMessage(parsing: $0.bytes) }
    }

    private func made(_ bytes: [UInt8]?) throws -> [UInt8] { try #require(bytes) }

    private func hasFingerprint(_ bytes: [UInt8]) throws -> Bool {
        let message = try message(bytes)
        return bytes.withUnsafeBytes { message.hasValidFingerprint(in: $0.bytes) }
    }

    @Test func everyKindIsMade() {
        var generator = generator()
        var counts = [HostileKind: Int]()
        for _ in 0..<2000 { counts[generator.next(.up).kind, default: 0] += 1 }
        for kind in HostileKind.allCases { #expect(counts[kind, default: 0] > 50, "\(kind)") }
    }

    @Test func theSameSeedMakesTheSameDatagrams() {
        var (first, second, other) = (generator(seed: 5), generator(seed: 5), generator(seed: 6))
        let sequence = (0..<200).map { _ in first.next(.down).bytes }
        let again = (0..<200).map { _ in second.next(.down).bytes }
        let different = (0..<200).map { _ in other.next(.down).bytes }
        #expect(sequence == again)
        #expect(sequence != different)
    }

    @Test func withoutTrafficOnlyWhatNeedsNoneIsMade() {
        var generator = HostileGenerator(seed: 3)
        for _ in 0..<200 {
            let kind = generator.next(.up).kind
            #expect(kind == .randomBytes || kind == .forgedAlert)
        }
        for kind in HostileKind.allCases where kind != .randomBytes && kind != .forgedAlert {
            let bytes = generator.make(kind, .up)
            #expect(bytes == nil, "\(kind)")
        }
    }

    @Test(arguments: [
        (HostileKind.mutatedDTLS, dtls), (.mutatedRTP, rtp), (.mutatedRTCP, rtcp),
    ])
    func mutationsChangeBytesAndKeepTheLength(kind: HostileKind, sample: [UInt8]) throws {
        var generator = generator()
        var kept = 0
        for _ in 0..<100 {
            let bytes = try made(generator.make(kind, .up))
            #expect(bytes.count == sample.count)
            #expect(bytes != sample)
            if bytes.prefix(8) == sample.prefix(8) { kept += 1 }
        }
        // Many get past the first look.
        #expect(kept > 30)
    }

    @Test func mutatedSTUNOftenFitsItsFingerprint() throws {
        var generator = generator()
        var fitting = 0
        for _ in 0..<200 {
            let bytes = try made(generator.make(.mutatedSTUN, .up))
            #expect(bytes != Self.request && bytes != Self.response)
            if (try? hasFingerprint(bytes)) == true { fitting += 1 }
        }
        #expect(fitting > 20)
    }

    @Test func wrongIntegrityStandsUnderTheRightUserName() throws {
        var generator = generator()
        var requests = 0
        for _ in 0..<100 {
            let bytes = try made(generator.make(.wrongIntegrity, .up))
            let message = try message(bytes)
            #expect(try hasFingerprint(bytes))
            let offset = try #require(message.integrityOffset)
            #expect(bytes[(offset + 4)..<(offset + 24)] != ArraySlice(repeating: 0x77, count: 20))
            guard message.messageClass == .request else { continue }
            requests += 1
            #expect(bytes.withUnsafeBytes { message.usernameText(in: $0.bytes) } == "serv:agnt")
            #expect(message.useCandidate)
            #expect(message.transactionID != STUNTransactionID(high: 7, low: 9))
        }
        #expect(requests > 20)
    }

    @Test func forgedAnswersNameTheTransaction() throws {
        var generator = generator()
        for _ in 0..<50 {
            let answer = try made(Self.request.withUnsafeBytes { generator.answer($0) })
            let message = try message(answer)
            #expect(message.messageClass == .error || message.messageClass == .success)
            #expect(message.transactionID == STUNTransactionID(high: 7, low: 9))
            #expect(try hasFingerprint(answer))
        }
        for other in [Self.response, Self.rtp] {
            let answer = other.withUnsafeBytes { generator.answer($0) }
            #expect(answer == nil)
        }
    }

    @Test func replaysAndTruncationsAreRealBytes() throws {
        var generator = generator()
        for _ in 0..<100 {
            let replay = try made(generator.make(.replay, .down))
            #expect(Self.samples.contains(replay))
            let cut = try made(generator.make(.truncated, .down))
            #expect(Self.samples.contains { $0.starts(with: cut) && $0.count > cut.count })
        }
    }

    @Test func theInjectorAttacksBothSidesAndTheServersPort() async throws {
        let loop = try DatagramLoop()
        let pool = try await UDPRelayPool.start(on: loop, count: 1, configuration: .init()).get()
        let server = try await PlainSocket.bind()
        let alice = try await PlainSocket.bind()
        let injector = try await HostileInjector.watch(pool, rate: 5000, seed: 1).get()
        let way = pool.address(leadingTo: try await server.address)
        try await server.eventLoop.submit { server.isEcho = false }.get()
        alice.send(Self.samples, to: way)
        try await server.reached(Self.samples.count).get()
        #expect(try await injector.statistics().get() == HostileStatistics())
        try await injector.start().get()
        try await alice.reached(200).get()
        try await server.reached(400).get()
        try await injector.stop().get()
        let counted = try await injector.statistics().get()
        #expect(counted.injected >= 400)
        #expect(counted.flooded >= 200)
        #expect(counted[kind: .replay] > 0)
        #expect(try await alice.sources() == [way])
        #expect(try await server.sources().count == 9)
        for socket in [server, alice] { try await socket.close() }
        try await pool.close().get()
        try await loop.shutdownGracefully()
    }
}
