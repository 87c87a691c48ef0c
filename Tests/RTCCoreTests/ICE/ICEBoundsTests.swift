import RTCWire
import Testing

@testable import RTCCore

@Suite struct ICEBoundsTests {
    private func candidate(_ index: Int) -> ICECandidate {
        ICECandidate(
            foundation: "\(index)", priority: UInt32(1000 + index),
            address: TransportAddress(ipv4: 0x0a02_0000 + UInt32(index), port: 5000), type: .host)
    }

    @Test func floodOfSignalledCandidates() {
        let network = makeICENetwork(
            bases: ([.testA, .testA6, TransportAddress(ipv4: 0x0a00_0003, port: 1)], [.testB]))
        network.addHostCandidates(network.a)
        network.signalCredentials(to: network.a)
        for index in 0..<10_000 { network.a.agent.addRemoteCandidate(candidate(index), now: network.now) }
        #expect(network.a.agent.remoteCandidates.count == 64)
        #expect(network.a.agent.checklist.indices.count == 128)
        #expect(network.a.statistics.ignoredCandidates.limit == 10_000 - 64)
    }

    @Test func authenticatedFloodFromManyAddresses() {
        let network = makeICENetwork()
        network.signalAll()
        network.run(for: .seconds(1))
        let before = network.b.sent
        for index in 0..<5_000 {
            let source = TransportAddress(ipv4: 0x0a03_0000 + UInt32(index), port: 7000)
            network.inject(STUNFixture.Request(to: network.b.agent).bytes, from: source, to: network.b)
        }
        #expect(network.b.agent.remoteCandidates.count <= 17)
        #expect(network.b.agent.checklist.indices.count <= 17)
        // One response and one triggered check for each; the consent check besides.
        #expect(network.take(network.b).count <= 10_001)
        network.run(for: .seconds(60))
        #expect(network.b.sent - before < 400)
        #expect(network.a.remote == .testB && network.b.remote == .testA)
        #expect(network.isConnected)
    }

    @Test func repeatedRequestsTriggerOneCheck() {
        let network = makeICENetwork()
        network.addHostCandidates(network.b)
        network.signalCredentials(to: network.b)
        for _ in 0..<1000 {
            network.inject(STUNFixture.Request(to: network.b.agent).bytes, from: .testA, to: network.b)
        }
        #expect(network.b.statistics.responsesSent == 1000)
        #expect(network.b.statistics.checksSent == 1)
    }

    @Test func unusableCandidatesAreCounted() throws {
        let network = makeICENetwork()
        let lines: [(String, RemoteCandidateResult.Reason)] = [
            ("1 1 tcp 1 10.0.0.9 9 typ host tcptype so", .transport),
            ("1 1 sctp 1 10.0.0.9 9 typ host", .transport),
            ("1 1 udp 1 10.0.0.9 9 typ future", .transport),
            ("1 1 udp 1 0a1b2c3d.local 5000 typ host", .hostName),
            ("1 1 udp 1 turn.example.org 5000 typ relay", .hostName),
            ("1 2 udp 1 10.0.0.9 5000 typ host", .component),
            ("1 1 udp 1 10.0.0.9 0 typ host", .unusableAddress),
            ("1 1 udp 1 0.0.0.0 5000 typ host", .unusableAddress),
            ("1 1 udp 1 239.1.2.3 5000 typ host", .unusableAddress),
            ("1 1 udp 1 255.255.255.255 5000 typ host", .unusableAddress),
            ("1 1 udp 1 ff02::1 5000 typ host", .unusableAddress),
            ("1 1 udp 1 :: 5000 typ host", .unusableAddress),
        ]
        for (line, reason) in lines {
            let candidate = try ICECandidate(parsing: line)
            #expect(network.a.agent.addRemoteCandidate(candidate, now: network.now) == .ignored(reason), "\(line)")
        }
        let ignored = network.a.statistics.ignoredCandidates
        #expect(ignored.transport == 3 && ignored.hostName == 2 && ignored.component == 1)
        #expect(ignored.unusableAddress == 6)
        #expect(network.a.agent.remoteCandidates.isEmpty)
    }

    @Test func linkLocalPairsWithItsLikeOnly() {
        let linkLocal = TransportAddress(high: 0xfe80_0000_0000_0000, low: 9, port: 1)
        #expect(
            !linkLocal.canReach(.testA6) && linkLocal.canReach(linkLocal) && !TransportAddress.testA.canReach(.testA6))
    }

    @Test func closedAgentIsSilent() {
        let network = makeICENetwork()
        network.signalAll()
        network.run(for: .seconds(1))
        let request = STUNFixture.Request(to: network.b.agent).bytes
        network.b.agent.close()
        #expect(network.b.state == .closed && network.b.pair == nil && network.b.agent.nextDeadline == nil)
        #expect(network.inject(request, from: .testA, to: network.b).isEmpty)
        #expect(network.take(network.b).isEmpty)
        #expect(network.b.agent.addRemoteCandidate(candidate(1), now: network.now) == .ignored(.closed))
    }
}
