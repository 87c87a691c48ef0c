import LiveKitProtocol
import NIOCore
import NIOPosix
import RTCTransport
import RTCWire
import Testing

@testable import CallServer

extension Livekit_SignalResponse {
    fileprivate var quality: [Livekit_ConnectionQualityInfo]? {
        if case .connectionQuality(let update) = message { update.updates } else { nil }
    }
}

@Suite struct LiveKitQualityTests {
    /// Two people talk; after a while one's way to the server loses a third of all packets: that one alone gets worse.
    @Test(.timeLimit(.minutes(2))) func theImpairedOneAloneDegrades() async throws {
        var profile = RelayConfiguration()
        profile.up.loss = 0.33
        let impairment = profile
        try await withCallServer { server in
            let relay = ImpairedPath()
            let alice = try await Caller.join(server, "alice", seed: 21) { try await relay.through($0, impairment) }
            let bob = try await Caller.join(server, "bob", seed: 22)
            _ = try await alice.publish(.audio, .microphone, cid: "a", ssrc: 100)
            _ = try await bob.followRequirement()
            _ = try await bob.publish(.audio, .microphone, cid: "b", ssrc: 200)
            _ = try await alice.followRequirement()
            let speaking = [alice.media.speak(ssrc: 100), bob.media.speak(ssrc: 200)]
            let sids = (alice: alice.join.participant.sid, bob: bob.join.participant.sid)
            var worst: [String: Livekit_ConnectionQuality] = [:]
            var scores: [Float] = []
            while worst[sids.alice] != .poor {
                for info in try await bob.signal.next(\.quality) {
                    worst[info.participantSid] = info.quality
                    scores.append(info.score)
                }
            }
            #expect(worst == [sids.alice: .poor, sids.bob: .excellent])
            #expect(scores.allSatisfy { (1...4.5).contains($0) })
            for task in speaking { task.cancel() }
            for caller in [alice, bob] { try await caller.media.close() }
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

/// A relay in the way of one client.
private actor ImpairedPath {
    private var relay: UDPRelay?

    /// Puts a relay in front of the server's candidate.
    func through(_ candidate: ICECandidate, _ configuration: RelayConfiguration) async throws -> ICECandidate {
        var candidate = candidate
        let target = TransportAddress(ipv4: 0x7f00_0001, port: candidate.port)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let relay = try await UDPRelay.bind(on: loop, host: "127.0.0.1", configuration: configuration).get()
        relay.target = target
        self.relay = relay
        candidate.port = relay.address.port
        return candidate
    }

    func close() async throws { try await relay?.close().get() }
}
