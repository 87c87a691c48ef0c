import LiveKitProtocol
import RTCSim
import Testing

@testable import CallServer

/// Damaged signalling over a live server: it may end the connection that it came on, and touches nobody else.
@Suite(.timeLimit(.minutes(10))) struct SignallingMutationTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>) func damagedMessagesHarmNobodyElse(seed: UInt64) async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 70 + seed)
            let bob = try await Caller.join(server, "bob", seed: 80 + seed)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9500)
            _ = try await bob.followRequirement()
            var generator = SeededGenerator(seed: seed)
            let samples = Self.samples(publisher: alice.join.participant.sid, track: sid)
            for round in 0..<12 {
                let mallory = try await LiveKitTestClient.join(server.port, token: TestTokens.join("mallory\(round)"))
                for _ in 0..<6 {
                    var bytes = samples.randomElement(using: &generator)?.wireBytes ?? []
                    Self.damage(&bytes, &generator)
                    if generator.next() % 4 == 0 {
                        mallory.send(text: String(decoding: bytes, as: UTF8.self))
                    } else {
                        mallory.send(bytes: bytes)
                    }
                }
                mallory.drop()
            }
            // Alice and bob hear each other as before, and nothing was done in their names.
            var packets = bob.media.packets.makeAsyncIterator()
            for step in 0..<10 as Range<UInt8> {
                try await alice.media.send(ssrc: 9500, timestamp: UInt32(step) * 960, [0x78, step])
                #expect(await packets.next()?.payload == [0x78, step])
            }
            for caller in [alice, bob] {
                caller.signal.send(.with { $0.pingReq.timestamp = 99 })
                while true {
                    let message = try await caller.signal.next()
                    if message.pongResp.lastPingTimestamp == 99 { break }
                    #expect(message.leaving == nil)
                    guard case .update(let update) = message.message else { continue }
                    for info in update.participants where ["alice", "bob"].contains(info.identity) {
                        #expect(info.state != .disconnected && info.metadata.isEmpty && info.name.isEmpty)
                        #expect(info.tracks.allSatisfy { $0.sid == sid && !$0.muted })
                    }
                }
            }
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    /// Every kind of message that a client can send, about somebody else's things.
    private static func samples(publisher: String, track: String) -> [Livekit_SignalRequest] {
        let offer =
            "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\n"
            + "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na=rtcp-mux\r\na=recvonly\r\n"
            + "a=rtpmap:111 opus/48000/2\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\n"
            + "a=setup:actpass\r\na=fingerprint:sha-256 " + Array(repeating: "AB", count: 32).joined(separator: ":")
            + "\r\n"
        return [
            .with {
                $0.offer.type = "offer"
                $0.offer.sdp = offer
            }, .with { $0.answer.sdp = offer },
            .with {
                $0.trickle.candidateInit =
                    #"{"candidate":"candidate:1 1 udp 2122194687 127.0.0.1 9 typ host","sdpMid":"0","sdpMLineIndex":0}"#
            },
            .with {
                $0.addTrack.cid = "mic"
                $0.addTrack.source = .microphone
            },
            .with {
                $0.mute.sid = track
                $0.mute.muted = true
            },
            .with {
                $0.subscription.trackSids = [track]
                $0.subscription.participantTracks = [.with { $0.participantSid = publisher }]
            },
            .with {
                $0.trackSetting.trackSids = [track]
                $0.trackSetting.width = 320
            },
            .with { $0.subscriptionPermission.trackPermissions = [.with { $0.participantSid = publisher }] },
            .with {
                $0.syncState.publishTracks = [.with { $0.track.sid = track }]
                $0.syncState.offer.sdp = offer
                $0.syncState.datachannelReceiveStates = [.with { $0.publisherSid = publisher }]
            }, .with { $0.simulate.switchCandidateProtocol = .tcp }, .with { $0.simulate.speakerUpdate = 1 },
            .with {
                $0.updateMetadata.metadata = "m"
                $0.updateMetadata.attributes = ["a": "b"]
            },
            .with {
                $0.updateAudioTrack.trackSid = track
                $0.updateAudioTrack.features = [.tfStereo]
            },
            .with {
                $0.updateVideoTrack.trackSid = track
                $0.updateVideoTrack.width = 1
            }, .with { $0.leave.reason = .clientInitiated }, .with { $0.ping = 1 },
        ]
    }

    private static func damage(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        for _ in 0..<Int(generator.next() % 4) where !bytes.isEmpty {
            let position = Int(generator.next() % UInt64(bytes.count))
            switch generator.next() % 4 {
            case 0: bytes[position] = UInt8(truncatingIfNeeded: generator.next())
            case 1: bytes.removeSubrange(position...)
            case 2: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: position)
            default: bytes[position] ^= 1 << UInt8(generator.next() % 8)
            }
        }
    }
}
