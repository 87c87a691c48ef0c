import LiveKitProtocol
import Testing

@testable import CallServer

extension Livekit_SignalResponse {
    fileprivate var quality: [Livekit_ConnectionQualityInfo]? {
        if case .connectionQuality(let update) = message { update.updates } else { nil }
    }
}

@Suite(.timeLimit(.minutes(10))) struct LiveKitQualityTests {
    /// Two people talk, and both are well connected. Then one's way to the server loses a third of all packets: that one
    /// alone gets worse, within ten seconds.
    @Test func theImpairedOneAloneDegrades() async throws {
        try await withCallServer { server in
            let relay = ImpairedPath()
            let alice = try await Caller.join(server, "alice", seed: 21, path: { try await relay.through($0) })
            let bob = try await Caller.join(server, "bob", seed: 22)
            _ = try await alice.publish(.audio, .microphone, cid: "a", ssrc: 100)
            _ = try await bob.followRequirement()
            _ = try await bob.publish(.audio, .microphone, cid: "b", ssrc: 200)
            _ = try await alice.followRequirement()
            // Grades are told when one has changed, and the first ones may be past on a busy machine: a newcomer's is new.
            let carol = try await Caller.join(server, "carol", seed: 23)
            let speaking = [alice.media.speak(ssrc: 100), bob.media.speak(ssrc: 200)]
            let sids = (alice: alice.join.participant.sid, bob: bob.join.participant.sid)
            var now: [String: Livekit_ConnectionQuality] = [:]
            var scores: [Float] = []
            let clock = ContinuousClock()
            /// Reads on until alice's connection is as said; bob's is excellent all the time.
            func until(_ isIt: (Livekit_ConnectionQuality) -> Bool) async throws {
                let begin = clock.now
                while now[sids.alice].map(isIt) != true {
                    try #require(clock.now - begin < .seconds(45), "\(now), scores \(scores)")
                    for info in try await bob.signal.next(\.quality) {
                        now[info.participantSid] = info.quality
                        scores.append(info.score)
                    }
                    #expect(now[sids.bob] == .excellent)
                }
            }
            try await until { $0 == .excellent }
            let begin = clock.now
            try await relay.lose(0.33)
            try await until { $0 != .excellent }
            #expect(clock.now - begin < .seconds(10))
            // A third lost is on the edge to poor; half is beyond it whatever each window happens to lose.
            try await relay.lose(0.5)
            try await until { $0 == .poor }
            #expect(scores.allSatisfy { (1...4.5).contains($0) })
            for task in speaking { task.cancel() }
            for caller in [alice, bob, carol] { try await caller.media.close() }
            try await relay.close()
        }
    }

    /// Clients up to protocol 10 know no lost connection.
    @Test func gradesOnTheWire() {
        #expect(Livekit_ConnectionQuality(.lost, protocol: 10) == .poor)
        #expect(Livekit_ConnectionQuality(.lost, protocol: 11) == .lost)
        #expect(Livekit_ConnectionQuality(.good, protocol: 17) == .good)
        #expect(Livekit_ConnectionQuality(.excellent, protocol: 17) == .excellent)
    }
}
