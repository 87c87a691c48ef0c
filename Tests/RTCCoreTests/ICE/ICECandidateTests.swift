import RTCWire
import Testing

@testable import RTCCore

/// Candidates of ours and of the other side, RFC 8445 section 5.1.
@Suite struct ICECandidateTests {
    private let server = TransportAddress(ipv4: 0x0808_0808, port: 3478)

    private func host(_ address: TransportAddress) -> LocalCandidate {
        LocalCandidate(host: address, base: address, localPreference: 500)
    }

    private func learnt(
        _ type: CandidateType, base: TransportAddress = .testA, server: TransportAddress? = nil,
        related: TransportAddress? = nil
    ) -> LocalCandidate {
        LocalCandidate(
            type, TransportAddress(ipv4: 0x0102_0304, port: 999), base: base, related: related,
            server: server ?? self.server, path: 3, localPreference: 500)
    }

    /// Section 5.1.1.3: equal for one type, one base address and one server.
    @Test func foundations() {
        var other = TransportAddress.testA
        other.port = 9
        #expect(host(.testA).foundation == host(other).foundation)
        #expect(host(.testA).foundation != host(.testB).foundation)
        #expect(host(.testA).foundation != learnt(.serverReflexive).foundation)
        #expect(learnt(.serverReflexive).foundation == learnt(.serverReflexive, base: other).foundation)
        #expect(learnt(.serverReflexive).foundation != learnt(.relay).foundation)
        let another = TransportAddress(ipv4: 0x0909_0909, port: 3478)
        #expect(learnt(.relay).foundation != learnt(.relay, server: another).foundation)
        for candidate in [host(.testA6), learnt(.relay)] {
            #expect((1...32).contains(candidate.foundation.count))
            #expect(candidate.foundation.utf8.allSatisfy { (48...57).contains($0) })
        }
    }

    /// Section 5.1.2.1: type, then local preference, then component.
    @Test func prioritiesOrderTheTypes() {
        let all = [host(.testA), learnt(.serverReflexive), learnt(.relay)]
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.priority > $1.priority })
        #expect(host(.testA).priority == 126 << 24 | 500 << 8 | 255)
        #expect(host(.testA).peerReflexivePriority == 110 << 24 | 500 << 8 | 255)
        #expect(learnt(.relay).peerReflexivePriority == 110 << 24 | 500 << 8 | 255)
        let better = LocalCandidate(host: .testA, base: .testA, localPreference: 501)
        #expect(better.priority == host(.testA).priority + 256)
    }

    /// RFC 8839 section 5.1: who tells no related address writes zeros.
    @Test func theRelatedAddressMayBeHidden() {
        #expect(host(.testA).sdp(ufrag: "u").related == nil)
        #expect(learnt(.serverReflexive).sdp(ufrag: "u").related == TransportAddress(ipv4: 0, port: 0))
        #expect(learnt(.relay, related: .testA).sdp(ufrag: "u").related == .testA)
        var six = learnt(.relay)
        six.address = .testA6
        #expect(six.sdp(ufrag: "u").related == TransportAddress(high: 0, low: 0, port: 0))
    }

    @Test func aMappedAddressMakesAPeerReflexiveOne() {
        let mapped = TransportAddress(ipv4: 0x0506_0708, port: 77)
        let candidate = host(.testA).peerReflexive(mapped: mapped)
        #expect(candidate.type == .peerReflexive && candidate.address == mapped && candidate.base == .testA)
        #expect(candidate.priority == host(.testA).peerReflexivePriority)
    }

    @Test(arguments: [CandidateType.host, .peerReflexive, .serverReflexive, .relay])
    func typesHaveTheirWords(_ type: CandidateType) throws {
        let line = ICECandidate(foundation: "1", priority: 1, address: .testA, type: type.sdp, related: .testB)
        #expect(line.encoded.contains(" typ \(type.name)"))
        #expect(try CandidateType(ICECandidate(parsing: line.encoded).type) == type)
    }

    @Test func unknownTypesAreNone() throws {
        #expect(CandidateType(try ICECandidate(parsing: "candidate:1 1 udp 1 10.0.0.9 9 typ future").type) == nil)
    }

    // MARK: Addresses

    @Test(arguments: [
        (TransportAddress(ipv4: 0x0a00_0001, port: 1), true), (TransportAddress(ipv4: 0x0a00_0001, port: 0), false),
        (TransportAddress(ipv4: 0, port: 9), false), (TransportAddress(ipv4: 0x0012_3456, port: 9), false),
        (TransportAddress(ipv4: 0xdfff_ffff, port: 9), true), (TransportAddress(ipv4: 0xe000_0001, port: 9), false),
        (TransportAddress(ipv4: 0xffff_ffff, port: 9), false), (TransportAddress(ipv4: 0x7f00_0001, port: 9), true),
        (TransportAddress(high: 0, low: 0, port: 9), false), (TransportAddress(high: 0, low: 1, port: 9), true),
        (TransportAddress(high: 0xff02 << 48, low: 1, port: 9), false),
        (TransportAddress(high: 0xfe80 << 48, low: 1, port: 9), true),
        (TransportAddress(high: 0x2001_0db8 << 32, low: 1, port: 9), true),
    ])
    func destinations(_ address: TransportAddress, isUsable: Bool) {
        #expect(address.isUsableDestination == isUsable)
    }

    /// Section 6.1.2.2: families don't mix, and link-local reaches link-local alone.
    @Test func whoReachesWhom() {
        let linkLocal = TransportAddress(high: 0xfe80 << 48, low: 1, port: 9)
        let edge = TransportAddress(high: 0xfebf << 48, low: 2, port: 9)
        let siteLocal = TransportAddress(high: 0xfec0 << 48, low: 1, port: 9)
        #expect(TransportAddress.testA.canReach(.testB) && TransportAddress.testA6.canReach(.testB6))
        #expect(!TransportAddress.testA.canReach(.testB6) && !TransportAddress.testA6.canReach(.testB))
        #expect(linkLocal.canReach(edge) && !linkLocal.canReach(.testB6) && !TransportAddress.testA6.canReach(edge))
        #expect(!linkLocal.canReach(siteLocal) && siteLocal.canReach(.testA6))
        #expect(TransportAddress(high: 0, low: 1, port: 1).isLoopback && !TransportAddress.testA.isLoopback)
        #expect(TransportAddress(ipv4: 0x7fff_0001, port: 1).isLoopback)
    }

    // MARK: Pairs of an agent

    /// Section 6.1.2.4: a server-reflexive candidate's pairs are those of its base.
    @Test func aServerReflexiveCandidateMakesNoPair() {
        let network = makeICENetwork()
        network.signalAll()
        let before = network.a.agent.checklist.indices.count
        network.a.agent.addServerCandidate(
            .serverReflexive, TransportAddress(ipv4: 0x0102_0304, port: 9), base: .testA, related: .testA,
            server: server, path: 0, rank: 0, now: network.now)
        #expect(network.a.agent.checklist.indices.count == before && network.a.agent.localCandidates.count == 2)
        network.a.agent.addServerCandidate(
            .relay, TransportAddress(ipv4: 0x0102_0305, port: 9), base: TransportAddress(ipv4: 0x0102_0305, port: 9),
            related: nil, server: server, path: 1, rank: 0, now: network.now)
        #expect(network.a.agent.checklist.indices.count == before + 1)
    }

    /// Ways to a server are ranked: UDP before TCP before TLS.
    @Test func worseWaysToAServerComeLater() {
        let network = makeICENetwork()
        var priorities: [UInt32] = []
        for rank: UInt16 in [0, 1, 2, 9] {
            let address = TransportAddress(ipv4: 0x0102_0304, port: 100 + rank)
            let candidate = network.a.agent.addServerCandidate(
                .relay, address, base: address, related: nil, server: server, path: 1, rank: rank, now: network.now)
            priorities.append(candidate?.priority ?? 0)
        }
        #expect(zip(priorities, priorities.dropFirst()).allSatisfy { $0 > $1 })
        #expect(priorities[2] - priorities[3] < 0x1000 << 8)
    }

    /// IPv6 before IPv4 before loopback, earlier before later.
    @Test func defaultPreferences() {
        let loopback = TransportAddress(ipv4: 0x7f00_0001, port: 9)
        let network = makeICENetwork(bases: ([loopback, .testA, .testB, .testA6], []))
        network.addHostCandidates(network.a)
        let order = network.a.agent.localCandidates.sorted { $0.priority > $1.priority }.map(\.address)
        #expect(order == [.testA6, .testA, .testB, loopback])
    }

    /// The bound holds; what shows no sign of life gives way to what is better.
    @Test func theWorstPairGivesWay() {
        let network = makeICENetwork { $0.limits.pairs = 2 }
        network.addHostCandidates(network.a)
        network.signalCredentials(to: network.a)
        for (index, priority) in [300, 100, 200, 50].enumerated() as EnumeratedSequence<[UInt32]> {
            network.a.agent.addRemoteCandidate(
                ICECandidate(
                    foundation: "\(index)", priority: priority,
                    address: TransportAddress(ipv4: 0x0a00_0100 + UInt32(index), port: 9), type: .host),
                now: network.now)
        }
        #expect(network.a.agent.checklist.pairs.map(\.remote.priority).sorted() == [200, 300])
        #expect(network.a.statistics.pairsDropped == 2)
    }
}
