import RTCWire
import Testing

@testable import RTCCore

/// Calls in any order over a network that comes and goes: no trap, no timer that spins, and order in the end.
@Suite struct ICEStressTests {
    @Test func anyOrderOfCallsSettles() {
        for seed in 1...150 as ClosedRange<UInt64> {
            let network = makeICENetwork(seed: seed, bases: ([.testA, .testA6], [.testB, .testB6]))
            var random = ICERandom(seed: seed &* 77)
            network.jitter = .milliseconds(30)
            for _ in 0..<60 {
                act(network, &random)
                let steps = network.steps
                network.run(for: .milliseconds(Int(random.next() % 3000)))
                #expect(network.steps - steps < 3000, "seed \(seed)")
            }
            bringUp(network)
            network.run(for: .seconds(20))
            #expect(network.isConnected, "seed \(seed)")
        }
    }

    private func act(_ network: ICENetwork, _ random: inout ICERandom) {
        let node = random.next() & 1 == 0 ? network.a : network.b
        switch random.next() % 10 {
        case 0: network.addHostCandidates(node)
        case 1: network.signalCandidates(to: node)
        case 2, 3: network.signalCredentials(to: node)
        case 4: node.note(node.agent.restart(now: network.now))
        case 5: node.note(node.agent.removeLocalCandidates(base: node.bases[0], now: network.now))
        case 6: network.isDown.toggle()
        case 7: network.loss = Double(random.next() % 8) / 10
        case 8: node.note(node.agent.endOfRemoteCandidates(now: network.now))
        default: injectRequest(network, node, &random)
        }
    }

    private func injectRequest(_ network: ICENetwork, _ node: ICENode, _ random: inout ICERandom) {
        let bits = random.next()
        let source = TransportAddress(ipv4: 0x0a00_0001 + UInt32(bits % 5), port: UInt16(4000 + bits % 3))
        var request = STUNFixture.Request(to: node.agent)
        if bits & 64 != 0 { (request.controlling, request.controlled) = (bits, nil) }
        request.useCandidate = bits & 128 != 0
        request.priority = UInt32(truncatingIfNeeded: bits >> 8)
        network.inject(request.bytes, from: source, to: node)
    }

    /// A restart with complete signalling over a network that works.
    private func bringUp(_ network: ICENetwork) {
        (network.isDown, network.loss) = (false, 0)
        for node in [network.a, network.b] {
            network.addHostCandidates(node)
            node.note(node.agent.restart(now: network.now))
        }
        for node in [network.a, network.b] {
            network.signalCredentials(to: node)
            network.signalCandidates(to: node)
        }
    }
}
