import RTCSim
import RTCWire
import Testing

@testable import RTCCore

/// One-shot queries in virtual time.
@Suite struct MDNSResolverTests {
    private static let start = Instant.zero + .seconds(100)
    private static let address = TransportAddress(ipv4: 0xc000_0207, port: 0)

    private static func name(_ number: Int = 0) throws -> HiddenHostName {
        let digits = String(number, radix: 16)
        let node = String(repeating: "0", count: 12 - digits.count) + digits
        return try #require(HiddenHostName("0a1b2c3d-4e5f-4678-9abc-\(node).local"))
    }

    private static func answer(
        _ name: HiddenHostName, _ addresses: [TransportAddress], _ change: (inout DNSMessage) -> Void = { _ in }
    ) -> [UInt8] {
        var message = DNSMessage()
        message.flags = DNSMessage.response | DNSMessage.authoritative
        message.answers = addresses.map { DNSRecord(name.name, .address($0), isWhole: true) }
        change(&message)
        return message.encoded
    }

    private static func receive(_ bytes: [UInt8], _ resolver: inout MDNSResolver) -> [TransportAddress] {
        bytes.withUnsafeBytes { resolver.receive($0) }.map(\.address)
    }

    @Test func bothGroupsAreAskedForTheFamiliesThatAreOfUse() throws {
        var resolver = MDNSResolver(families: [.ipv4, .ipv6])
        let outbox = DatagramOutbox()
        #expect(resolver.nextDeadline == nil)
        #expect(resolver.resolve(try Self.name(), now: Self.start) == .awaited)
        #expect(resolver.nextDeadline == Self.start)
        #expect(resolver.advance(to: Self.start, into: outbox).isEmpty)
        #expect(
            outbox.datagrams.map(\.destination)
                == [
                    try #require(TransportAddress(host: "224.0.0.251", port: 5353)),
                    try #require(TransportAddress(host: "ff02::fb", port: 5353)),
                ])
        let message = try outbox.bytes(of: outbox.datagrams[0]).withUnsafeBytes { try DNSMessage(parsing: $0.bytes) }
        #expect(message.questions.map(\.type) == [.a, .aaaa])
        #expect(message.questions.allSatisfy { $0.wantsUnicast && $0.classCode == DNSClass.internet })
        #expect(try message.questions.allSatisfy { try $0.name == Self.name().name } && message.flags == 0)
    }

    /// At 0, 1 and 3 s; after 5 s the name stands for nothing, and may be asked for again.
    @Test func whatNobodyAnswersIsAskedThreeTimes() throws {
        var resolver = MDNSResolver(families: .ipv4)
        let outbox = DatagramOutbox()
        _ = resolver.resolve(try Self.name(), now: Self.start)
        var asked: [Interval] = []
        var ended: [HiddenHostName] = []
        var now = Self.start
        while let next = resolver.nextDeadline {
            now = next
            ended += resolver.advance(to: now, into: outbox)
            if !outbox.datagrams.isEmpty { asked.append(now - Self.start) }
            outbox.removeDatagrams()
        }
        #expect(asked == [.zero, .seconds(1), .seconds(3)])
        #expect(try ended == [Self.name()] && now == Self.start + .seconds(5))
        #expect(resolver.statistics.queriesSent == 3 && resolver.statistics.unresolved == 1)
        #expect(resolver.resolve(try Self.name(), now: now) == .awaited)
    }

    /// Half of all queries and answers are lost, for many names: nearly all are found, each within its time.
    @Test func lossIsMadeUpFor() throws {
        var random = SeededGenerator(seed: 4)
        var found = 0
        for number in 0..<200 {
            var resolver = MDNSResolver(families: .ipv4)
            let outbox = DatagramOutbox()
            let name = try Self.name(number)
            _ = resolver.resolve(name, now: Self.start)
            while let now = resolver.nextDeadline {
                _ = resolver.advance(to: now, into: outbox)
                let isAsked = !outbox.datagrams.isEmpty
                outbox.removeDatagrams()
                guard isAsked, Bool.random(using: &random), Bool.random(using: &random) else { continue }
                found += Self.receive(Self.answer(name, [Self.address]), &resolver).count
            }
        }
        // 1 - (3/4)^3 of them, 0.58.
        #expect((95...135).contains(found))
    }

    @Test func theFirstUsableAddressCounts() throws {
        var resolver = MDNSResolver(families: [.ipv4, .ipv6])
        let name = try Self.name()
        _ = resolver.resolve(name, now: Self.start)
        let useless = ["224.0.0.1", "0.0.0.0", "fe80::1", "ff02::1", "::"].compactMap {
            TransportAddress(host: $0, port: 0)
        }
        #expect(Self.receive(Self.answer(name, useless), &resolver).isEmpty)
        #expect(resolver.statistics.unusable == 5)
        let second = try #require(TransportAddress(host: "2001:db8::7", port: 0))
        #expect(Self.receive(Self.answer(name, [useless[0], Self.address, second]), &resolver) == [Self.address])
        #expect(resolver.nextDeadline == nil)
        // Known from now on; what comes later changes nothing.
        #expect(Self.receive(Self.answer(name, [second]), &resolver).isEmpty)
        #expect(resolver.resolve(name, now: Self.start) == .found(Self.address))
    }

    @Test func anotherFamilyIsOfNoUse() throws {
        var resolver = MDNSResolver(families: .ipv6)
        let name = try Self.name()
        _ = resolver.resolve(name, now: Self.start)
        #expect(Self.receive(Self.answer(name, [Self.address]), &resolver).isEmpty)
        let outbox = DatagramOutbox()
        _ = resolver.advance(to: Self.start, into: outbox)
        let message = try outbox.bytes(of: outbox.datagrams[0]).withUnsafeBytes { try DNSMessage(parsing: $0.bytes) }
        #expect(message.questions.map(\.type) == [.aaaa])
    }

    @Test func whatIsNoAnswerIsPassedOver() throws {
        var resolver = MDNSResolver(families: .ipv4)
        let name = try Self.name()
        _ = resolver.resolve(name, now: Self.start)
        let others: [[UInt8]] = [
            Self.answer(try Self.name(1), [Self.address]),
            // A query that knows the answer, a failure, another opcode, another class, a goodbye.
            Self.answer(name, [Self.address]) { $0.flags = 0 },
            Self.answer(name, [Self.address]) { $0.flags |= 3 },
            Self.answer(name, [Self.address]) { $0.flags |= 0x2000 },
            Self.answer(name, [Self.address]) { $0.answers[0].classCode = 3 },
            Self.answer(name, [Self.address]) { $0.answers[0].timeToLive = 0 },
            Array("no DNS at all".utf8), [],
        ]
        for bytes in others { #expect(Self.receive(bytes, &resolver).isEmpty) }
        #expect(resolver.statistics.malformed == 2 && resolver.statistics.resolved == 0)
        // Also where another record comes along with it.
        let additional = Self.answer(name, []) { $0.additionals = [DNSRecord(name.name, .address(Self.address))] }
        #expect(Self.receive(additional, &resolver) == [Self.address])
    }

    @Test func namesAreBounded() throws {
        var resolver = MDNSResolver(families: .ipv4, limit: 2)
        #expect(resolver.resolve(try Self.name(1), now: Self.start) == .awaited)
        #expect(resolver.resolve(try Self.name(2), now: Self.start) == .awaited)
        #expect(resolver.resolve(try Self.name(3), now: Self.start) == .refused)
        // Those that were asked for before may be again.
        #expect(resolver.resolve(try Self.name(1), now: Self.start) == .awaited)
        #expect(resolver.statistics.refused == 1)
    }
}
