import RTCWire
import Testing

@testable import RTCCore

@Suite struct ICERestartTests {
    private func connected(seed: UInt64 = 1) -> ICENetwork {
        let network = makeICENetwork(seed: seed)
        network.signalAll()
        network.run(for: .seconds(7))
        return network
    }

    /// Offer and answer of a restart, `pause` apart from each other.
    private func restart(_ network: ICENetwork, pause: Interval = .milliseconds(50)) {
        network.a.note(network.a.agent.restart(now: network.now))
        network.run(for: pause)
        network.b.note(network.b.agent.restart(now: network.now))
        network.signalCredentials(to: network.b)
        network.signalCandidates(to: network.b)
        network.run(for: pause)
        network.signalCredentials(to: network.a)
        network.signalCandidates(to: network.a)
    }

    @Test func oldPairCarriesUntilTheNewOneIsChosen() {
        let network = connected()
        let (ufragA, ufragB) = (network.a.agent.localCredentials.ufrag, network.b.agent.localCredentials.ufrag)
        network.a.note(network.a.agent.restart(now: network.now))
        #expect(network.a.agent.localCredentials.ufrag != ufragA)
        // The answer takes its time: consent of the old pair is kept meanwhile.
        network.run(for: .seconds(40))
        #expect(network.a.state == .connected && network.b.state == .connected)
        #expect(network.a.remote == .testB && network.b.remote == .testA)
        let selections = network.a.selections
        restart(network)
        #expect(network.run(for: .seconds(1)) { network.a.selections > selections })
        #expect(network.b.agent.localCredentials.ufrag != ufragB)
        network.run(for: .seconds(60))
        #expect(network.a.states == [.checking, .connected] && network.b.states == [.checking, .connected])
        #expect(network.a.agent.retained == nil && network.b.agent.retained == nil)
    }

    @Test func restartsOnLossyNetwork() {
        for seed in 1...50 as ClosedRange<UInt64> {
            let network = connected(seed: seed)
            network.loss = 0.2
            network.jitter = .milliseconds(50)
            restart(network)
            #expect(network.run(for: .seconds(25)) { network.a.agent.hasChosen && network.b.agent.hasChosen })
            network.run(for: .seconds(20))
            #expect(network.isConnected, "seed \(seed)")
        }
    }

    @Test func revivesFailedAgent() {
        let network = connected()
        network.isDown = true
        #expect(network.run(for: .seconds(40)) { network.a.state == .failed && network.b.state == .failed })
        network.isDown = false
        restart(network)
        #expect(network.a.state == .checking)
        #expect(network.run(for: .seconds(1)) { network.isConnected })
    }

    @Test func movesToAnotherSocket() {
        let network = connected()
        let elsewhere = TransportAddress(ipv4: 0x0a00_0101, port: 4100)
        network.a.bases = [elsewhere]
        network.a.note(network.a.agent.removeLocalCandidates(base: .testA, now: network.now))
        #expect(network.a.state == .disconnected)
        network.a.agent.addLocalCandidate(elsewhere, now: network.now)
        restart(network)
        #expect(network.run(for: .seconds(1)) { network.a.state == .connected && network.b.remote == elsewhere })
    }

    @Test func candidatesFindTheirGeneration() {
        let network = connected()
        let old = network.b.agent.localCredentials.ufrag
        network.a.note(network.a.agent.restart(now: network.now))
        let next = ICECredentials(ufrag: "next", pwd: "0123456789012345678901")
        let candidate = { (ufrag: String, port: UInt16) in
            ICECandidate(
                foundation: "1", priority: 1, address: TransportAddress(ipv4: 0x0a00_0002, port: port), type: .host,
                ufrag: ufrag)
        }
        #expect(network.a.agent.addRemoteCandidate(candidate(old, 1), now: network.now) == .ignored(.generation))
        #expect(network.a.agent.addRemoteCandidate(candidate("next", 2), now: network.now) == .added)
        #expect(network.a.agent.addRemoteCandidate(candidate("other", 3), now: network.now) == .added)
        network.a.note(network.a.agent.setRemoteCredentials(next, now: network.now))
        #expect(network.a.agent.remoteCandidates.map(\.address.port) == [2])
        #expect(network.a.agent.addRemoteCandidate(candidate("later", 4), now: network.now) == .deferred)
        network.a.note(network.a.agent.restart(now: network.now))
        let later = ICECredentials(ufrag: "later", pwd: "0123456789012345678901")
        network.a.note(network.a.agent.setRemoteCredentials(later, now: network.now))
        #expect(network.a.agent.remoteCandidates.map(\.address.port) == [4])
    }

    @Test func repeatedDescriptionChangesNothing() {
        let network = connected()
        let before = network.a.agent.generation.number
        network.signalCredentials(to: network.a)
        network.signalCandidates(to: network.a)
        #expect(network.a.agent.generation.number == before)
        #expect(network.a.agent.remoteCandidates.count == 1)
    }
}
