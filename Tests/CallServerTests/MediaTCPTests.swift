import LiveKitProtocol
import RTCWire
import Testing

@testable import CallServer

/// Clients whose network lets no UDP pass (RFC 6544).
@Suite(.timeLimit(.minutes(10))) struct MediaTCPTests {
    /// A client that tells no UDP address, and is told none.
    private static func join(_ server: CallServer, _ identity: String, seed: UInt64) async throws -> Caller {
        let media = try await MediaTestClient.make(seed: seed, overTCP: true)
        let offer = try await media.offer(audioReceivers: 1, videoReceivers: 1, application: true)
        let signal = try await LiveKitTestClient.join(server.port, token: TestTokens.join(identity)) {
            $0.publisherOffer.type = "offer"
            $0.publisherOffer.sdp = offer
        }
        let caller = Caller(signal: signal, media: media, join: try await signal.next(\.joining))
        try await caller.takeAnswer()
        var candidates: [ICECandidate] = []
        var isFinal = false
        while !isFinal {
            let trickle = try await signal.next(\.trickling)
            candidates.append(try #require(JSONText.candidate(trickle.candidateInit) ?? nil))
            isFinal = trickle.final
        }
        #expect(candidates.map(\.transportProtocol) == [.udp, .tcp])
        let passive = try #require(candidates.last)
        #expect(passive.tcpType == "passive" && Int(passive.port) == server.mediaTCPPorts.first)
        #expect(candidates[0].priority > passive.priority)
        try await media.add(candidate: passive.encoded)
        try await media.untilConnected()
        _ = try await signal.participant(identity) { $0.state == .active }
        return caller
    }

    @Test func mediaGoesOverTCP() async throws {
        try await withCallServer {
            $0.media.tcpPort = 0
        } _: { server in
            let alice = try await Self.join(server, "alice", seed: 31)
            let bob = try await Self.join(server, "bob", seed: 32)
            _ = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9000)
            _ = try await bob.followRequirement()
            var packets = bob.media.packets.makeAsyncIterator()
            for step in 0..<50 as Range<UInt32> {
                let payload = [UInt8](repeating: UInt8(step), count: 1 + Int(step) * 20)
                try await alice.media.send(ssrc: 9000, timestamp: step * 960, payload)
                #expect(await packets.next()?.payload == payload)
            }
            #expect(await server.statistics().packetsForwarded == 50)
            for caller in [alice, bob] { try await caller.media.close() }
        }
    }

    /// The library's server has no TCP port unless it is asked for one.
    @Test func noPortIsTheDefault() async throws {
        try await withCallServer { server in
            #expect(server.mediaTCPPorts.isEmpty)
            let alice = try await Caller.join(server, "alice", seed: 33)
            try await alice.media.close()
        }
    }

    @Test func portsThatCannotBe() {
        for port in [-1, 65_536, 65_535] {
            var configuration = CallServerConfiguration(keys: ["key": "secret"])
            configuration.media.eventLoops = 2
            configuration.media.tcpPort = port
            #expect(throws: CallServerConfigurationError.mediaPort(port)) { try configuration.validate() }
        }
    }
}
