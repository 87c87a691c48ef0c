import LiveKitProtocol
import RTCSim
import Testing

@testable import CallServer

/// Rubbish on one connection, in a room where two others talk.
@Suite(.timeLimit(.minutes(10))) struct LiveKitMalformedTests {
    /// What ends the connection that it comes on, and what the log says of it.
    private static var fatal: [(what: String, bytes: [UInt8], reason: String)] {
        var random = SeededGenerator(seed: 5)
        let noise = (0..<600).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let nonsense = Livekit_SignalRequest.with { $0.offer.sdp = "nonsense" }.wireBytes
        let candidate = Livekit_SignalRequest.with { $0.trickle.candidateInit = "{" }.wireBytes
        return [
            ("a message cut short", WebSocketBytes.frame(2, [0x0a, 0xff]), "unreadable signalling message"),
            ("noise", WebSocketBytes.frame(2, noise), "unreadable signalling message"),
            ("text that is no JSON", WebSocketBytes.frame(1, Array("hello".utf8)), "unreadable signalling message"),
            ("text that is not UTF-8", WebSocketBytes.frame(1, [0xff, 0xfe]), "text that is not UTF-8"),
            ("no mask", WebSocketBytes.frame(2, [0x0a, 0], isMasked: false), "a frame without a mask"),
            ("an unknown opcode", WebSocketBytes.frame(3, [1]), "an unknown opcode"),
            ("a continuation of nothing", WebSocketBytes.frame(0, [1]), "a continuation of nothing"),
            ("2^62 bytes", [0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4], "a frame of more than"),
            ("3 MiB", WebSocketBytes.frame(2, [UInt8](repeating: 0, count: 3 << 20)), "a frame of more than"),
            ("an offer that is no description", WebSocketBytes.frame(2, nonsense), "does not begin with v=0"),
            ("a candidate that is no JSON", WebSocketBytes.frame(2, candidate), "unreadable ICE candidate"),
        ]
    }

    /// What newer clients might say, and values that make no sense: all of it is let be, or refused by an answer.
    private static func harmless(_ track: String) -> [[UInt8]] {
        let long = String(repeating: "x", count: 50_000)
        let requests: [Livekit_SignalRequest] = [
            .init(),
            .with {
                $0.addTrack.cid = "odd"
                $0.addTrack.type = .UNRECOGNIZED(99)
                $0.addTrack.source = .UNRECOGNIZED(-7)
                $0.addTrack.width = .max
                $0.addTrack.height = .max
                $0.addTrack.encryption = .UNRECOGNIZED(1 << 30)
                $0.addTrack.layers = [
                    .with {
                        $0.quality = .UNRECOGNIZED(77)
                        $0.width = .max
                        $0.bitrate = .max
                    }
                ]
            },
            .with { $0.addTrack.layers = Array(repeating: .init(), count: 1000) },
            .with { $0.addTrack.name = long },
            .with {
                $0.trackSetting.trackSids = [track, "", long]
                $0.trackSetting.width = .max
                $0.trackSetting.height = 1
                $0.trackSetting.fps = .max
                $0.trackSetting.priority = .max
                $0.trackSetting.quality = .UNRECOGNIZED(9)
            },
            .with { $0.subscription.trackSids = [long, ""] },
            .with { $0.mute.sid = track },
            .with { $0.updateMetadata.metadata = String(repeating: "m", count: 600_000) },
            .with { $0.simulate.subscriberBandwidth = .min },
            .with { $0.simulate.subscriberBandwidth = .max },
            .with { $0.simulate.subscriberBandwidth = 0 },
            .with { $0.simulate = .init() },
            .with { $0.ping = .min },
            .with { $0.updateVideoTrack.width = .max },
            .with { $0.updateAudioTrack.features = [.UNRECOGNIZED(50)] },
            .with { $0.syncState.datachannelReceiveStates = [.with { $0.lastSeq = .max }] },
            .with { $0.subscriptionPermission.trackPermissions = [.with { $0.participantIdentity = long }] },
        ]
        // Field 900 as a number, field 901 as bytes; and the scenario 100 of a simulation.
        let newer: [[UInt8]] = [[0xa0, 0x38, 0x05], [0xaa, 0x38, 0x03, 1, 2, 3], [0x6a, 0x03, 0xa0, 0x06, 0x01]]
        return requests.map(\.wireBytes) + newer
    }

    @Test func rubbishEndsItsConnectionWithAReasonAndTouchesNobodyElse() async throws {
        let log = LogBook()
        try await withCallServer {
            $0.logger = log.logger
        } _: { server in
            let talk = try await Talk.begin(server, seeds: (201, 202))
            for (index, (what, bytes, reason)) in Self.fatal.enumerated() {
                let identity = "mallory\(index)"
                let mallory = try await LiveKitTestClient.join(server.port, token: TestTokens.join(identity))
                _ = try await mallory.next(\.joining)
                let before = log.count
                mallory.send(raw: bytes)
                try await mallory.untilClosed()
                #expect(log.contains(reason, after: before), "\(what): \(log.lines(after: before))")
                try await talk.goesOn()
            }
            // Half a frame, and then nothing more.
            let half = try await LiveKitTestClient.join(server.port, token: TestTokens.join("half"))
            _ = try await half.next(\.joining)
            half.send(raw: Array(WebSocketBytes.frame(2, [UInt8](repeating: 1, count: 100)).prefix(20)))
            half.drop()
            try await talk.goesOn()
            try await talk.nothingElseHappened()
            try await talk.close()
        }
    }

    @Test func theUnknownAndTheAbsurdAreHarmless() async throws {
        try await withCallServer { server in
            let talk = try await Talk.begin(server, seeds: (203, 204))
            let mallory = try await LiveKitTestClient.join(server.port, token: TestTokens.join("mallory"))
            _ = try await mallory.next(\.joining)
            for (index, bytes) in Self.harmless(talk.track).enumerated() {
                mallory.send(bytes: bytes)
                mallory.send(.with { $0.pingReq.timestamp = Int64(index) + 1 })
                let isAlive = try await mallory.next { response -> Bool? in
                    if response.leaving != nil { return false }
                    return response.pongResp.lastPingTimestamp == Int64(index) + 1 ? true : nil
                }
                #expect(isAlive, "message \(index) is survived")
            }
            // Text of a newer client.
            mallory.send(text: #"{"pingReq":{"timestamp":"77","later":[1,{"x":null}]},"muchLater":true}"#)
            while true {
                let frame = try await mallory.frame()
                guard frame.opcode == 1 else { continue }
                if try Livekit_SignalResponse(wireJSON: frame.text).pongResp.lastPingTimestamp == 77 { break }
            }
            try await talk.goesOn()
            try await talk.nothingElseHappened()
            try await talk.close()
        }
    }
}

/// Alice speaks, bob hears.
private final class Talk {
    let track: String
    private let alice: Caller
    private let bob: Caller
    private var packets: AsyncStream<MediaTestClient.Received>.Iterator
    private var step: UInt32 = 0

    private init(_ alice: Caller, _ bob: Caller, _ track: String) {
        self.alice = alice
        self.bob = bob
        self.track = track
        packets = bob.media.packets.makeAsyncIterator()
    }

    static func begin(_ server: CallServer, seeds: (UInt64, UInt64)) async throws -> Talk {
        let alice = try await Caller.join(server, "alice", seed: seeds.0)
        let bob = try await Caller.join(server, "bob", seed: seeds.1)
        let track = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9600)
        _ = try await bob.followRequirement()
        return Talk(alice, bob, track)
    }

    /// Ten packets arrive, all and in order.
    func goesOn() async throws {
        for _ in 0..<10 {
            step += 1
            let payload: [UInt8] = [0x78, UInt8(truncatingIfNeeded: step)]
            try await alice.media.send(ssrc: 9600, timestamp: step * 960, payload)
            #expect(await packets.next()?.payload == payload)
        }
    }

    /// Neither was sent away, and nothing was done in their names.
    func nothingElseHappened() async throws {
        for caller in [alice, bob] {
            caller.signal.send(.with { $0.pingReq.timestamp = 99 })
            while true {
                let message = try await caller.signal.next()
                if message.pongResp.lastPingTimestamp == 99 { break }
                #expect(message.leaving == nil)
                guard case .update(let update) = message.message else { continue }
                for info in update.participants where ["alice", "bob"].contains(info.identity) {
                    #expect(info.state != .disconnected && info.metadata.isEmpty && info.name.isEmpty)
                    #expect(info.tracks.allSatisfy { $0.sid == track && !$0.muted })
                }
            }
        }
    }

    func close() async throws {
        try await alice.media.close()
        try await bob.media.close()
    }
}
