import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

@Suite struct PeerLifecycleTests {
    @Test func statesComeInOrder() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(10)))
        #expect(call.alice.node.peer.state == .new)
        try call.connect()
        for side in [call.alice, call.bob] {
            let states = side.node.events.compactMap { if case .stateChanged(let state) = $0 { state } else { nil } }
            #expect(states == [.connecting, .connected])
            #expect(side.node.peer.selectedPair?.local == side.node.address)
            #expect(side.node.peer.selectedPair?.remote == call.pair.other(side.node).address)
        }
    }

    @Test func connectsInAFewRoundTrips() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(50)))
        let start = call.simulation.now
        try call.connect()
        #expect(call.simulation.now - start < .milliseconds(600))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>) func connectsThroughHeavyLoss(_ seed: UInt64) throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(30), loss: 0.25), seed: seed)
        try call.connect()
    }

    @Test(arguments: [true, false]) func closingReachesTheOtherSide(_ aliceCloses: Bool) throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20)))
        try call.connect()
        call.talk(for: .seconds(1))
        let (leaver, other) = aliceCloses ? (call.alice, call.bob) : (call.bob, call.alice)
        call.pair.drive(leaver.node) { peer, now, outbox in peer.close(now: now, into: outbox) }
        #expect(leaver.node.peer.state == .closed)
        #expect(leaver.node.peer.nextDeadline == nil)
        call.simulation.run(for: .milliseconds(50))
        #expect(other.node.peer.state == .closed)
        let byes = other.node.events.compactMap { if case .bye(let ssrc) = $0 { ssrc } else { nil } }
        #expect(Set(byes) == [leaver.audioSSRC, leaver.videoSSRC])
        #expect(other.node.events.contains { if case .closed = $0 { true } else { false } })
        // Nothing is sent any more, and closing again is nothing.
        let sent = leaver.node.peer.statistics.datagramsSent
        call.pair.drive(leaver.node) { peer, now, outbox in peer.close(now: now, into: outbox) }
        call.sendAudio(leaver)
        call.simulation.run(for: .seconds(60))
        #expect(leaver.node.peer.statistics.datagramsSent == sent)
    }

    @Test func removingAStreamSaysGoodbye() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20)))
        try call.connect()
        call.talk(for: .seconds(1))
        let ssrc = call.alice.videoSSRC
        call.pair.drive(call.alice.node) { peer, now, outbox in
            peer.removeSendStream(ssrc: ssrc, sendBye: true, now: now, into: outbox)
        }
        call.simulation.run(for: .milliseconds(50))
        let byes = call.bob.node.events.compactMap { if case .bye(let ssrc) = $0 { ssrc } else { nil } }
        #expect(byes == [ssrc])
        #expect(call.bob.node.peer.state == .connected)
        #expect(call.alice.sent(ssrc) == nil)
    }

    @Test func aStreamThatComesBackGoesOnCounting() throws {
        let call = try PeerCall()
        try call.connect()
        call.talk(for: .seconds(2), video: false)
        let ssrc = call.alice.audioSSRC
        let stream = try #require(call.alice.node.peer.sendStreams.first { $0.ssrc == ssrc })
        call.pair.drive(call.alice.node) { peer, now, outbox in
            peer.removeSendStream(ssrc: ssrc, sendBye: false, now: now, into: outbox)
            peer.addSendStream(stream)
        }
        call.talk(for: .seconds(2), video: false)
        #expect(call.audioIsWhole(from: call.alice, to: call.bob))
        #expect(call.bob.received(ssrc)?.lost == 0)
    }

    @Test func consentLostEndsTheCall() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20)))
        try call.connect()
        call.talk(for: .seconds(1))
        var dead = NetworkConditions()
        dead.loss = 1
        let (alice, bob) = (call.alice.node, call.bob.node)
        call.simulation.network.set(dead, from: bob.address, to: alice.address)
        let cut = call.simulation.now
        #expect(call.simulation.run(until: cut + .seconds(20)) { alice.peer.state == .disconnected })
        #expect(call.simulation.run(until: cut + .seconds(60)) { alice.peer.state == .failed })
        #expect(call.simulation.now - cut < .seconds(45))
        #expect(alice.events.contains { if case .failed(.ice) = $0 { true } else { false } })
        let sent = alice.peer.statistics.datagramsSent
        call.sendAudio(call.alice)
        #expect(alice.peer.statistics.datagramsSent == sent)
    }

    @Test func aShortBlackoutHeals() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20)))
        try call.connect()
        let (alice, bob) = (call.alice.node, call.bob.node)
        var dead = NetworkConditions(delay: .milliseconds(20))
        dead.blackouts = [(call.simulation.now + .seconds(3))..<(call.simulation.now + .seconds(15))]
        call.simulation.network.set(dead, from: bob.address, to: alice.address)
        call.simulation.network.set(dead, from: alice.address, to: bob.address)
        #expect(call.simulation.run(until: call.simulation.now + .seconds(20)) { alice.peer.state == .disconnected })
        #expect(call.simulation.run(until: call.simulation.now + .seconds(20)) { alice.peer.state == .connected })
        call.talk(for: .seconds(2))
        #expect(call.audioIsWhole(from: call.alice, to: call.bob))
    }

    /// Sending goes on until consent expires, so that media is there with the first datagram that passes again; while
    /// the path is dead it is asked for every half second.
    @Test(arguments: [8, 15, 25]) func aBlackoutEndsWithTheFirstCheckThatPasses(seconds: Int) throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20)), seed: UInt64(seconds))
        try call.connect()
        let (alice, bob) = (call.alice.node, call.bob.node)
        call.talk(for: .seconds(2))
        let begin = call.simulation.now
        let end = begin + .seconds(seconds)
        var dead = NetworkConditions(delay: .milliseconds(20))
        dead.blackouts = [begin..<end]
        call.simulation.network.set(dead, from: bob.address, to: alice.address)
        call.simulation.network.set(dead, from: alice.address, to: bob.address)
        let before = (sent: call.alice.audioSent, heard: call.bob.audio.count)
        call.talk(for: .seconds(seconds), tail: .zero, video: false)
        #expect(alice.peer.state != .failed && bob.peer.state != .failed)
        // Everything was sent, nothing arrived.
        #expect(call.alice.audioSent - before.sent >= UInt64(seconds * 50 - 2))
        #expect(call.bob.audio.count - before.heard <= 2)
        let (probes, heard) = (alice.peer.iceStatistics.consentChecksSent, call.bob.audio.count)
        call.talk(for: .seconds(1), tail: .zero, video: false)
        #expect(alice.peer.state == .connected && bob.peer.state == .connected)
        // Audio of that second, from its first packet on.
        #expect(call.bob.audio.count - heard >= 48)
        #expect(alice.peer.iceStatistics.consentChecksSent - probes <= 2)
        #expect(alice.peer.iceStatistics.restarts == 0)
    }

    @Test func aRestartKeepsMediaFlowing() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20)))
        try call.connect()
        let (alice, bob) = (call.alice.node, call.bob.node)
        let start = call.simulation.now
        call.simulation.schedule(at: start + .seconds(2)) {
            call.pair.drive(alice) { peer, now, outbox in peer.restartICE(now: now, into: outbox) }
            call.pair.drive(bob) { peer, now, outbox in peer.restartICE(now: now, into: outbox) }
            call.pair.connect()
        }
        call.talk(for: .seconds(5))
        #expect(alice.peer.state == .connected)
        #expect(call.videoIsWhole(from: call.alice, to: call.bob))
        #expect(call.videoIsWhole(from: call.bob, to: call.alice))
    }

    @Test func anUnansweredPeerFails() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20), loss: 1))
        call.negotiate()
        call.pair.connect()
        #expect(!call.pair.runUntilConnected(limit: .seconds(60)))
        #expect(call.alice.node.peer.state == .failed)
        #expect(call.bob.node.peer.state == .failed)
    }

    @Test func theWrongCertificateIsRefused() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(5)))
        let (alice, bob) = (call.alice.node, call.bob.node)
        let (fingerprint, credentials) = (alice.peer.localFingerprint, bob.peer.localCredentials)
        // Alice is told her own fingerprint as bob's.
        call.pair.drive(alice) { peer, now, outbox in
            peer.setRemote(
                credentials: credentials, fingerprint: fingerprint, dtlsRole: .server, now: now, into: outbox)
        }
        call.pair.describe(alice, to: bob, localRole: .client)
        for node in [alice, bob] { call.pair.drive(node) { peer, _, _ in peer.addLocalCandidate(node.address) } }
        for (node, other) in [(alice, bob), (bob, alice)] {
            let candidate = try #require(node.peer.localCandidates.first)
            let line = candidate.sdp(ufrag: node.peer.localCredentials.ufrag)
            call.pair.drive(other) { peer, now, outbox in peer.addRemoteCandidate(line, now: now, into: outbox) }
        }
        #expect(!call.pair.runUntilConnected(limit: .seconds(5)))
        #expect(alice.peer.state == .failed)
        let failures = alice.events.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
        #expect(failures == [.dtls(.fingerprintMismatch)])
        #expect(bob.peer.state != .connected)
    }

    @Test func applicationDataPassesOverDTLS() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(5)))
        try call.connect()
        call.pair.drive(call.alice.node) { peer, now, outbox in
            [UInt8]([1, 2, 3]).withUnsafeBytes { _ = peer.sendApplicationData($0, now: now, into: outbox) }
        }
        call.simulation.run(for: .milliseconds(20))
        let data = call.bob.node.events.compactMap { if case .applicationData(let data) = $0 { data } else { nil } }
        #expect(data == [[1, 2, 3]])
    }
}
