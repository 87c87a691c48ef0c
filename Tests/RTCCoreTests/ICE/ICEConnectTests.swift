import RTCWire
import Testing

@testable import RTCCore

@Suite struct ICEConnectTests {
    @Test func connectsWithinThreeRoundTrips() throws {
        let network = makeICENetwork()
        network.signalAll()
        let start = network.now
        #expect(network.run(for: .seconds(1)) { network.isConnected })
        #expect(network.now - start <= .milliseconds(60))
        #expect(network.a.remote == .testB && network.b.remote == .testA)
        let pair = try #require(network.a.pair)
        #expect(pair.local == .testA && pair.base == .testA && pair.localType == .host && pair.remoteType == .host)
        #expect(pair.roundTripTime == .milliseconds(20))
        #expect(network.a.states == [.checking, .connected])
    }

    @Test func firstCheckLeavesAtOnce() {
        let network = makeICENetwork()
        network.signalAll()
        #expect(network.a.agent.nextDeadline?.instant == network.now)
        #expect(network.a.agent.nextDeadline?.reason == .check)
        network.delay = .microseconds(50)
        let start = network.now
        network.run(for: .seconds(1)) { network.isConnected }
        #expect(network.now - start <= .microseconds(300))
    }

    @Test(arguments: [true, false]) func takesCandidatesAndCredentialsInAnyOrder(credentialsFirst: Bool) {
        let network = makeICENetwork()
        for node in [network.a, network.b] {
            if credentialsFirst { network.signalCredentials(to: node) }
            network.addHostCandidates(node)
        }
        network.run(for: .milliseconds(100))
        network.signalCandidates(to: network.a)
        network.run(for: .milliseconds(100))
        network.signalCandidates(to: network.b)
        network.run(for: .milliseconds(100))
        if !credentialsFirst {
            for node in [network.b, network.a] { network.signalCredentials(to: node) }
        }
        #expect(network.run(for: .seconds(1)) { network.isConnected })
    }

    @Test func checksBeforeTheAnswerMakeThePair() {
        let network = makeICENetwork()
        network.addHostCandidates(network.a)
        network.addHostCandidates(network.b)
        // The answerer knows everything and checks; the offerer has not seen the answer.
        network.signalCredentials(to: network.b)
        network.signalCandidates(to: network.b)
        network.run(for: .milliseconds(700))
        #expect(network.a.state == .new)
        #expect(network.a.agent.remoteCandidates.map(\.type) == [.peerReflexive])
        let start = network.now
        network.signalCredentials(to: network.a)
        #expect(network.run(for: .seconds(1)) { network.isConnected })
        #expect(network.now - start <= .milliseconds(60))
        #expect(network.a.pair?.remoteType == .peerReflexive)
        network.signalCandidates(to: network.a)
        #expect(network.a.pair?.remoteType == .host)
        #expect(network.a.agent.remoteCandidates.count == 1)
    }

    @Test func oneSideAloneKnowingCandidatesIsEnough() {
        let network = makeICENetwork()
        network.addHostCandidates(network.a)
        network.addHostCandidates(network.b)
        network.signalCredentials(to: network.a)
        network.signalCredentials(to: network.b)
        network.signalCandidates(to: network.b)
        #expect(network.run(for: .seconds(1)) { network.isConnected })
        #expect(network.a.pair?.remoteType == .peerReflexive)
    }

    @Test func prefersIPv6AndFallsBackToIPv4() {
        for reachable in [true, false] {
            let network = makeICENetwork(bases: ([.testA, .testA6], [.testB, .testB6]))
            if !reachable { network.unreachable = [.testA6, .testB6] }
            network.signalAll()
            let start = network.now
            #expect(network.run(for: .seconds(2)) { network.isConnected })
            #expect(network.now - start <= .milliseconds(150))
            #expect(network.a.remote == (reachable ? .testB6 : .testB))
            #expect(network.b.remote == (reachable ? .testA6 : .testA))
        }
    }

    @Test func findsPeerBehindNAT() throws {
        let network = makeICENetwork()
        let outside = TransportAddress(ipv4: 0xcb00_7101, port: 61_000)
        network.a.mappings[.testA] = outside
        network.signalAll()
        #expect(network.run(for: .seconds(3)) { network.isConnected })
        #expect(network.b.remote == outside)
        #expect(network.b.pair?.remoteType == .peerReflexive)
        let pair = try #require(network.a.pair)
        #expect(pair.local == outside && pair.base == .testA && pair.localType == .peerReflexive)
    }

    /// A browser hides its addresses behind names; its checks show where it is.
    @Test func findsPeerBehindNamesOfTheLocalNetwork() throws {
        let network = makeICENetwork()
        for node in [network.a, network.b] { network.addHostCandidates(node) }
        for node in [network.a, network.b] { network.signalCredentials(to: node) }
        for candidate in network.a.agent.localCandidates {
            var named = candidate.sdp(ufrag: network.a.agent.localCredentials.ufrag)
            named.host = "0a1b2c3d-0000-4000-8000-000000000000.local"
            #expect(network.b.agent.addRemoteCandidate(named, now: network.now) == .ignored(.hostName))
        }
        network.signalCandidates(to: network.a)
        let start = network.now
        #expect(network.run(for: .seconds(3)) { network.isConnected })
        #expect(network.now - start <= .milliseconds(200))
        #expect(network.b.remote == .testA)
        #expect(try #require(network.b.pair).remoteType == .peerReflexive)
        #expect(network.b.statistics.ignoredCandidates.hostName == 1)
    }

    @Test func manyCandidatesArePaced() {
        let bases = (0..<10).map { TransportAddress(ipv4: 0x0a01_0000 + UInt32($0), port: 5000) }
        let network = makeICENetwork(bases: ([.testA], bases))
        network.unreachable = Set(bases)
        network.addHostCandidates(network.a)
        network.addHostCandidates(network.b)
        network.signalCandidates(to: network.a)
        network.signalCredentials(to: network.a)
        network.run(for: .milliseconds(105))
        #expect(network.a.statistics.checksSent == 6)
        network.run(for: .milliseconds(200))
        #expect(network.a.statistics.checksSent == 10)
    }

    @Test func completesWhenNoCandidateIsToCome() {
        let network = makeICENetwork()
        network.signalAll()
        network.run(for: .seconds(1))
        #expect(network.a.state == .connected)
        network.a.note(network.a.agent.endOfRemoteCandidates(now: network.now))
        #expect(network.a.state == .completed)
    }

    @Test func failsWhenNobodyAnswers() {
        let network = makeICENetwork()
        network.isDown = true
        network.signalAll()
        let start = network.now
        #expect(network.run(for: .seconds(60)) { network.a.state == .failed })
        #expect(network.now - start == .seconds(30))
        #expect(network.a.agent.nextDeadline == nil)
        // 0, 0.5, 1.5, 3.5 and every two seconds from there.
        #expect(network.a.statistics.checksSent == 1)
        #expect((15...17).contains(network.a.statistics.checksRetransmitted))
    }

    @Test func restsWhileConnected() {
        let network = makeICENetwork()
        network.signalAll()
        network.run(for: .seconds(1))
        let steps = network.steps
        network.run(for: .seconds(100))
        // About twenty consent checks a side: send, request, response.
        #expect(network.steps - steps < 200)
    }
}
