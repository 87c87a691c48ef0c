import RTCWire
import Testing

@testable import RTCCore

/// TCP candidates, RFC 6544, in virtual time.
@Suite struct ICETCPTests {
    private func network(
        seed: UInt64 = 1, roles: (ICERole, ICERole) = (.controlling, .controlled), blocksUDP: Bool = true
    ) -> ICENetwork {
        let network = makeICENetwork(seed: seed, roles: roles)
        network.blocksUDP = blocksUDP
        network.addTCPCandidates()
        network.signalAll()
        return network
    }

    /// Where UDP is blocked, a connection takes its place within a second, whoever controls.
    @Test(arguments: [ICERole.controlling, .controlled], 1...20 as ClosedRange<UInt64>)
    func aConnectionStandsWhereUDPIsBlocked(role: ICERole, seed: UInt64) throws {
        let network = network(seed: seed, roles: (role, role.opposite))
        #expect(network.run(for: .seconds(1)) { network.isConnected })
        let (a, b) = (try #require(network.a.pair), try #require(network.b.pair))
        #expect(a.remote == .testListener && a.base == .testOpener && a.localType == .host && a.remoteType == .host)
        #expect(b.base == .testListener && b.localType == .host && b.remoteType == .peerReflexive)
        // Each sees the other where it is: the opener's port is its connection's.
        #expect(b.remote == network.connections[.testListener] && a.local == b.remote && b.local == a.remote)
        network.run(for: .seconds(120))
        #expect(network.a.state == .connected && network.b.state == .connected)
        #expect(network.a.selections == 1 && network.b.selections == 1 && network.connectionsOpened == 1)
    }

    /// Where UDP passes, nobody opens a connection, even where the first checks are lost.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func UDPIsPreferred(seed: UInt64) {
        let network = network(seed: seed, blocksUDP: false)
        network.delay = .milliseconds(100)
        network.run(for: .seconds(20))
        #expect(network.a.remote == .testB && network.b.remote == .testA && network.connectionsOpened == 0)
    }

    /// On a lossy network a connection may come first; both sides then have a path, and nearly always the same one: where the
    /// check that names the better path is answered and its answer is lost, each may send by another.
    @Test func bothSidesAgreeUnderLoss() {
        var agreed = 0
        for seed in 1...40 as ClosedRange<UInt64> {
            let network = network(seed: seed, blocksUDP: false)
            network.loss = 0.3
            network.delay = .milliseconds(60)
            #expect(network.run(for: .seconds(10)) { network.isConnected }, "seed \(seed)")
            network.run(for: .seconds(30))
            #expect(network.a.state.hasPath && network.b.state.hasPath, "seed \(seed)")
            if network.a.remote?.transport == network.b.remote?.transport { agreed += 1 }
        }
        #expect(agreed >= 36)
    }

    /// A firewall that closes for UDP in the middle of a call: the other way is tried once the first one is silent.
    @Test func UDPThatIsBlockedLaterIsReplaced() {
        let network = network(blocksUDP: false)
        network.run(for: .seconds(20))
        #expect(network.a.remote == .testB)
        network.blocksUDP = true
        #expect(network.run(for: .seconds(15)) { network.a.remote == .testListener })
        network.run(for: .seconds(60))
        #expect(network.a.state == .connected && network.b.state == .connected)
        #expect(network.b.remote?.transport == .tcp)
    }

    /// Where media flows meanwhile, its end is noticed: the call goes on within four seconds, whenever UDP is blocked.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func mediaThatStopsIsAskedAfter(seed: UInt64) {
        let network = network(seed: seed, blocksUDP: false)
        for _ in 0..<100 * Int(seed) {
            network.run(for: .milliseconds(20))
            for node in [network.a, network.b] where node.state.hasPath { node.agent.mediaArrived(now: network.now) }
        }
        let checks = network.a.statistics.consentChecksSent
        network.run(for: .milliseconds(900))
        network.blocksUDP = true
        #expect(
            network.run(for: .milliseconds(3_500)) {
                network.a.remote == .testListener && network.b.remote?.transport == .tcp
            })
        #expect(network.a.statistics.consentChecksSent > checks)
        network.run(for: .seconds(60))
        #expect(network.a.state == .connected && network.b.state == .connected)
    }

    /// A connection that breaks is opened anew, and both sides follow it, whoever controls.
    @Test(arguments: [ICERole.controlling, .controlled]) func aBrokenConnectionIsReplaced(role: ICERole) {
        let network = network(roles: (role, role.opposite))
        #expect(network.run(for: .seconds(2)) { network.isConnected })
        network.run(for: .seconds(3))
        for number in 2...5 {
            let before = network.now
            network.cutConnections()
            #expect(
                network.run(for: .seconds(2)) {
                    network.b.remote == network.connections[.testListener] && network.b.state == .connected
                })
            #expect(network.now - before < .milliseconds(200) && network.connectionsOpened == number)
            network.run(for: .seconds(20))
            #expect(network.a.state == .connected && network.a.remote == .testListener)
        }
        // What belonged to connections that are gone is forgotten.
        #expect(network.b.agent.remoteCandidates.filter { $0.address.transport == .tcp }.count == 1)
    }

    /// A port that takes no connections for a while is tried again.
    @Test func aListenerMayComeLate() {
        let network = network()
        network.unreachable = [.testListener]
        network.run(for: .seconds(5))
        #expect(!network.isConnected)
        network.unreachable = []
        #expect(network.run(for: .seconds(3)) { network.isConnected })
    }

    @Test func withoutTCPCandidatesNothingChanges() {
        let network = makeICENetwork()
        network.blocksUDP = true
        network.signalAll()
        network.run(for: .seconds(31))
        #expect(network.a.state == .failed && network.b.state == .failed && network.connectionsOpened == 0)
    }

    // MARK: Candidates

    /// Section 4.2: behind all UDP candidates but relayed ones; whoever opens comes first.
    @Test func priorities() {
        func tcp(_ type: TCPCandidateType, _ preference: UInt16 = 0x7fff) -> LocalCandidate {
            LocalCandidate(host: .testListener, base: .testListener, localPreference: preference, tcpType: type)
        }
        let server = TransportAddress(ipv4: 0x0808_0808, port: 3478)
        let reflexive = LocalCandidate(
            .serverReflexive, .testB, base: .testA, related: nil, server: server, path: 0, localPreference: 0)
        let relay = LocalCandidate(
            .relay, .testB, base: .testB, related: nil, server: server, path: 1, localPreference: 0xffff)
        #expect(tcp(.active, 0).priority > tcp(.passive, 0xffff).priority)
        #expect(tcp(.active, 9).priority > tcp(.active, 1).priority)
        #expect(reflexive.priority > tcp(.active, 0xffff).priority && tcp(.passive, 0).priority > relay.priority)
        #expect(tcp(.active).priority == 99 << 24 | (6 << 13 | 0x0fff) << 8 | 255)
        #expect(tcp(.passive).peerReflexivePriority == 83 << 24 | (4 << 13 | 0x0fff) << 8 | 255)
        #expect(tcp(.active).foundation != LocalCandidate(host: .testB, base: .testB, localPreference: 0).foundation)
    }

    @Test func lines() throws {
        let network = makeICENetwork()
        network.addTCPCandidates()
        let active = try #require(network.a.agent.localCandidates.first).sdp(ufrag: "u").encoded
        #expect(active.contains(" tcp ") && active.hasSuffix(" 10.0.0.1 9 typ host tcptype active ufrag u"))
        let passive = try #require(network.b.agent.localCandidates.first).sdp(ufrag: "u").encoded
        #expect(passive.hasSuffix(" 10.0.0.2 5000 typ host tcptype passive ufrag u"))
    }

    /// Section 6.2: only an active candidate and a passive one make a pair, and only the former checks by itself.
    @Test func pairs() throws {
        let network = makeICENetwork()
        network.addTCPCandidates()
        network.addHostCandidates(network.a)
        for node in [network.a, network.b] { network.signalCredentials(to: node) }
        let passive = "1 1 tcp 5 10.0.0.9 443 typ host tcptype passive"
        let active = "1 1 tcp 5 10.0.0.9 9 typ host tcptype active"
        let both = "1 1 tcp 5 10.0.0.9 443 typ host tcptype so"
        func add(_ line: String, to node: ICENode) throws -> RemoteCandidateResult {
            node.agent.addRemoteCandidate(try ICECandidate(parsing: line), now: network.now)
        }
        #expect(try add(passive, to: network.a) == .added)
        #expect(network.a.agent.checklist.pairs.map(\.local.tcpType) == [.active])
        #expect(try add(passive, to: network.b) == .added && network.b.agent.checklist.pairs.isEmpty)
        for node in [network.a, network.b] {
            #expect(try add(active, to: node) == .awaited)
            #expect(try add(both, to: node) == .ignored(.transport))
            #expect(try add("1 1 tcp 5 10.0.0.9 443 typ host", to: node) == .ignored(.transport))
        }
        #expect(network.a.agent.checklist.indices.count == 1 && network.b.agent.checklist.indices.isEmpty)
        // One number is two ports.
        #expect(try add("1 1 udp 5 10.0.0.9 443 typ host", to: network.a) == .added)
        #expect(network.a.agent.checklist.indices.count == 2)
    }

    /// Whoever names ports by the hundred doesn't have us knock at all of them.
    @Test func connectionsAreBounded() throws {
        let network = makeICENetwork()
        network.addTCPCandidates()
        network.signalCredentials(to: network.a)
        for port in 1...100 {
            let line = "\(port) 1 tcp 5 10.0.0.9 \(port) typ host tcptype passive"
            let result = network.a.agent.addRemoteCandidate(try ICECandidate(parsing: line), now: network.now)
            #expect(result == (port <= 8 ? .added : .ignored(.limit)))
        }
        #expect(network.a.agent.checklist.indices.count == 8)
    }

    /// Before the head start is over, nothing is sent over TCP, and the agent does not ask to be woken for it.
    @Test func theHeadStartCostsNoWakeUps() {
        let network = makeICENetwork()
        network.addTCPCandidates()
        network.signalCredentials(to: network.a)
        network.signalCandidates(to: network.a)
        let start = network.now
        #expect(network.a.agent.nextDeadline?.instant == start + .milliseconds(500))
        network.run(for: .milliseconds(499))
        #expect(network.a.sent == 0 && network.steps == 0)
        network.run(for: .milliseconds(2))
        #expect(network.a.sent == 1 && network.connectionsOpened == 1)
    }
}
