import RTCWire
import Testing

@testable import RTCCore

@Suite struct ICEMobilityTests {
    /// A NAT gives the controlling side another address; the controlled one follows its next check.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func controlledFollowsRebinding(seed: UInt64) {
        let network = makeICENetwork(seed: seed)
        network.a.mappings[.testA] = TransportAddress(ipv4: 0xcb00_7101, port: 61_000)
        network.signalAll()
        network.run(for: .seconds(10))
        let moved = TransportAddress(ipv4: 0xcb00_7102, port: 62_000)
        network.a.mappings[.testA] = moved
        #expect(network.run(for: .seconds(9)) { network.b.remote == moved })
        network.run(for: .seconds(60))
        #expect(network.b.remote == moved && network.b.state == .connected && network.a.state == .connected)
    }

    /// The controlled side is the one that moves.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func controllingFollowsRebinding(seed: UInt64) {
        let network = makeICENetwork(seed: seed)
        let outside = TransportAddress(ipv4: 0xcb00_7101, port: 61_000)
        network.b.mappings[.testB] = outside
        network.signalAll()
        network.run(for: .seconds(10))
        #expect(network.a.remote == outside)
        let moved = TransportAddress(ipv4: 0xcb00_7102, port: 62_000)
        network.b.mappings[.testB] = moved
        #expect(network.run(for: .seconds(16)) { network.a.remote == moved })
        network.run(for: .seconds(60))
        #expect(network.a.remote == moved && network.b.state == .connected && network.a.state == .connected)
    }

    /// The controlling side opens another socket and loses the first, without signalling.
    @Test func controlledFollowsNewSocket() {
        let network = makeICENetwork()
        network.signalAll()
        network.run(for: .seconds(10))
        let elsewhere = TransportAddress(ipv4: 0x0a00_0101, port: 4100)
        network.a.bases = [elsewhere]
        network.a.agent.addLocalCandidate(elsewhere, now: network.now)
        network.a.note(network.a.agent.removeLocalCandidates(base: .testA, now: network.now))
        let start = network.now
        #expect(network.run(for: .seconds(5)) { network.a.state == .connected && network.b.remote == elsewhere })
        #expect(network.now - start < .milliseconds(200))
    }

    /// The way of the selected pair is silent: another one is chosen long before consent would be in doubt.
    @Test func aSilentWayIsLeft() throws {
        let network = makeICENetwork(bases: ([.testA, .testA6], [.testB, .testB6]))
        network.signalAll()
        network.run(for: .seconds(10))
        let base = try #require(network.a.pair?.base)
        let other = try #require([.testA, .testA6].first { $0 != base })
        network.a.note(network.a.agent.suspect(base: other, now: network.now))
        network.run(for: .seconds(1))
        #expect(network.a.pair?.base == base)
        network.a.note(network.a.agent.suspect(base: base, now: network.now))
        #expect(network.a.state == .connected && network.a.pair?.base == base)
        #expect(network.run(for: .milliseconds(500)) { network.a.pair?.base == other })
        #expect(network.a.state == .connected)
    }

    /// The controlled side does, as a subscriber whose interface is gone: the controlling one sees it elsewhere, asks at the
    /// old address in vain, and nominates the new pair.
    @Test(arguments: [(10, 1), (10, 2), (10, 3), (50, 4), (100, 5)])
    func controllingFollowsNewSocket(delay: Int, seed: UInt64) {
        let network = makeICENetwork(seed: seed)
        network.delay = .milliseconds(delay)
        network.signalAll()
        network.run(for: .seconds(10))
        let elsewhere = TransportAddress(ipv4: 0x0a00_0102, port: 5100)
        network.b.bases = [elsewhere]
        network.b.agent.addLocalCandidate(elsewhere, now: network.now)
        network.b.note(network.b.agent.removeLocalCandidates(base: .testB, now: network.now))
        let start = network.now
        #expect(network.run(for: .seconds(5)) { network.a.remote == elsewhere && network.b.pair?.base == elsewhere })
        // A check there, the doubt, and the nomination there and back.
        let patience = max(Interval.milliseconds(200), .milliseconds(4 * delay))
        #expect(network.now - start < patience + .milliseconds(30 + 4 * delay))
        network.run(for: .seconds(60))
        #expect(network.a.remote == elsewhere && network.a.state == .connected && network.b.state == .connected)
    }

    /// An intact check from elsewhere makes the controlling side ask, and nothing else: the other side is where it was.
    @Test(arguments: [0.0, 0.1]) func aCheckFromElsewhereMovesNobody(loss: Double) {
        let network = makeICENetwork()
        network.signalAll()
        network.run(for: .seconds(10))
        network.loss = loss
        let asked = network.a.statistics.consentChecksSent
        let check = STUNFixture.Request(to: network.a.agent).bytes
        network.inject(check, from: TransportAddress(ipv4: 0x0a00_0909, port: 9), to: network.a)
        network.run(for: .seconds(1))
        #expect((1...4).contains(network.a.statistics.consentChecksSent - asked))
        network.run(for: .seconds(60))
        #expect(network.a.remote == .testB && network.a.state == .connected && network.a.selections == 1)
    }

    @Test func aPeerThatMovesForHoursMeetsNoBound() {
        let network = makeICENetwork()
        network.a.mappings[.testA] = TransportAddress(ipv4: 0xcb00_7101, port: 1000)
        network.signalAll()
        network.run(for: .seconds(5))
        for port in 1001...1100 as ClosedRange<UInt16> {
            network.a.mappings[.testA] = TransportAddress(ipv4: 0xcb00_7101, port: port)
            network.run(for: .seconds(15))
            #expect(network.b.remote?.port == port)
        }
        #expect(network.b.agent.remoteCandidates.count <= 17)
        #expect(network.b.agent.checklist.indices.count <= 17)
    }

    /// Several pairs nominated at once: the best counts, in whatever order they come.
    @Test(arguments: [true, false]) func aggressiveNominationTakesTheBest(bestFirst: Bool) {
        let network = makeICENetwork(bases: ([.testA, .testA6], [.testB, .testB6]))
        network.addHostCandidates(network.a)
        network.addHostCandidates(network.b)
        network.signalCredentials(to: network.b)
        let order: [TransportAddress] = bestFirst ? [.testA6, .testA] : [.testA, .testA6]
        for source in order {
            var request = STUNFixture.Request(to: network.b.agent)
            request.useCandidate = true
            request.priority = source == .testA6 ? 0x6eff_ffff : 0x6e7f_ffff
            let base: TransportAddress = source.isIPv4 ? .testB : .testB6
            network.inject(request.bytes, from: source, to: network.b, base: base)
            answerChecks(of: network.b, in: network)
        }
        #expect(network.b.remote == .testA6)
    }

    private func answerChecks(of node: ICENode, in network: ICENetwork) {
        let key = HMACSHA1(password: network.a.agent.localCredentials.pwd)
        for (bytes, destination) in network.take(node) {
            guard let message = try? STUNMessage(parsing: bytes.span.bytes), message.messageClass == .request else {
                continue
            }
            let base: TransportAddress = destination.isIPv4 ? .testB : .testB6
            let answer = STUNFixture.success(message.transactionID, mapped: base, key: key)
            network.inject(answer, from: destination, to: node, base: base)
        }
    }
}
