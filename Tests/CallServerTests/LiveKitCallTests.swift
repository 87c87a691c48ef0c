import LiveKitProtocol
import Testing

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct LiveKitCallTests {
    /// Payload types and extension ids of the two differ, so that nothing passes by luck.
    @Test func audioPassesWithTheReceiversNumbers() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 1)
            let bob = try await Caller.join(server, "bob", seed: 2)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 1000)
            #expect(sid.hasPrefix("TR_AM"))
            let seen = try await bob.signal.participant("alice") { !$0.tracks.isEmpty }
            #expect(seen.isPublisher && seen.tracks[0].sid == sid && seen.tracks[0].mimeType == "audio/opus")
            let answer = try await bob.followRequirement()
            #expect(answer.id == 9)
            let mid = try #require(answer.midToTrackID.first { $0.value == sid }?.key)
            #expect(answer.sdp.contains("a=msid:\(seen.sid)|\(sid) \(sid)"))
            var received: [MediaTestClient.Received] = []
            var packets = bob.media.packets.makeAsyncIterator()
            for step in 0..<20 {
                try await alice.media.send(
                    ssrc: 1000, timestamp: UInt32(step) * 960, level: 20, [0x78, UInt8(step)])
                if let packet = await packets.next() { received.append(packet) }
            }
            #expect(received.map(\.payload) == (0..<20).map { [0x78, $0] })
            #expect(received.allSatisfy { $0.level == 20 })
            let expected = try await bob.media.payloadType(mid: mid)
            #expect(received.allSatisfy { $0.payloadType == expected })
            #expect(zip(received, received.dropFirst()).allSatisfy { $1.sequence == $0.sequence &+ 1 })
            #expect(received.first.map { $0.sequence < 0x8000 } == true)
            let counted = await server.statistics()
            #expect(counted.packetsForwarded == 20 && counted.participants == 2 && counted.rooms == 1)
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    @Test func videoBeginsWithAKeyFrameThatIsAskedFor() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 3)
            let sid = try await alice.publish(.video, .camera, cid: "cam", ssrc: 2000)
            // Who joins later has the track in the very first answer.
            let bob = try await Caller.join(server, "bob", seed: 4)
            #expect(bob.join.otherParticipants.first?.tracks.first?.sid == sid)
            var packets = bob.media.packets.makeAsyncIterator()
            let delta: [UInt8] = [0x90, 0x80, 0x01, 0x11, 0, 0]
            let key: [UInt8] = [0x90, 0x80, 0x02, 0x10, 0, 0]
            var step: UInt32 = 0
            while try await alice.media.keyFrameRequests(ssrc: 2000) == 0 {
                try await alice.media.send(ssrc: 2000, timestamp: step * 3000, marker: true, delta)
                step += 1
            }
            try await alice.media.send(ssrc: 2000, timestamp: step * 3000, marker: true, key)
            #expect(await packets.next()?.payload == key)
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    @Test func muteUnpublishAndLeaveAreTold() async throws {
        var timing = RoomTiming()
        timing.participantUpdates = 20
        try await withCallServer(timing: timing) { server in
            let alice = try await Caller.join(server, "alice", seed: 5)
            let bob = try await Caller.join(server, "bob", seed: 6)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 3000)
            _ = try await bob.followRequirement()
            alice.signal.send(
                .with {
                    $0.mute.sid = sid
                    $0.mute.muted = true
                })
            #expect(try await bob.signal.participant("alice") { $0.tracks.first?.muted == true }.tracks.count == 1)
            try await alice.media.stopSender(cid: "mic")
            _ = try await alice.renegotiate()
            #expect(try await bob.signal.participant("alice") { $0.tracks.isEmpty }.state == .active)
            #expect(try await bob.followRequirement().midToTrackID.isEmpty)
            alice.signal.send(.with { $0.leave.reason = .clientInitiated })
            let gone = try await bob.signal.participant("alice") { $0.state == .disconnected }
            #expect(gone.disconnectReason == .clientInitiated)
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    @Test func subscriptionsAreByChoice() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 7)
            let bob = try await Caller.join(server, "bob", seed: 8)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 4000)
            #expect(try await bob.followRequirement().midToTrackID.values.contains(sid))
            bob.signal.send(
                .with {
                    $0.subscription.trackSids = [sid]
                    $0.subscription.subscribe = false
                })
            #expect(try await bob.followRequirement().midToTrackID.isEmpty)
            bob.signal.send(
                .with {
                    $0.subscription.trackSids = [sid, "TR_unknown"]
                    $0.subscription.subscribe = true
                })
            let failed = try await bob.signal.next { response -> String? in
                if case .subscriptionResponse(let answer) = response.message { answer.trackSid } else { nil }
            }
            #expect(failed == "TR_unknown")
            #expect(try await bob.followRequirement().midToTrackID.values.contains(sid))
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    @Test func speakersAreToldToThoseWhoHear() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 9)
            let bob = try await Caller.join(server, "bob", seed: 10)
            _ = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 5000)
            _ = try await bob.followRequirement()
            for step in 0..<45 {
                try await alice.media.send(ssrc: 5000, timestamp: UInt32(step) * 960, level: 13, [0x78, 1])
            }
            let speakers = try await bob.signal.next { response -> [Livekit_SpeakerInfo]? in
                if case .speakersChanged(let changed) = response.message { changed.speakers } else { nil }
            }
            #expect(speakers.map(\.level) == [0.25] && speakers[0].active)
            #expect(speakers[0].sid == alice.join.participant.sid)
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    @Test func publishingNeedsPermissionAndHasLimits() async throws {
        try await withCallServer { server in
            let reader = try await LiveKitTestClient.join(
                server.port, token: TestTokens.join("reader") { $0.canPublishSources = ["camera"] })
            reader.send(
                .with {
                    $0.addTrack.cid = "mic"
                    $0.addTrack.source = .microphone
                })
            func refusal() async throws -> Livekit_RequestResponse {
                try await reader.next { response in
                    if case .requestResponse(let answer) = response.message { answer } else { nil }
                }
            }
            let denied = try await refusal()
            #expect(denied.reason == .notAllowed && denied.addTrack.cid == "mic")
            for index in 0..<21 {
                reader.send(
                    .with {
                        $0.addTrack.cid = "cam\(index)"
                        $0.addTrack.source = .camera
                        $0.addTrack.type = .video
                    })
            }
            let limited = try await refusal()
            #expect(limited.reason == .limitExceeded && limited.addTrack.cid == "cam20")
        }
    }

    @Test func twoConnections() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 11)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 6000)
            let signal = try await LiveKitTestClient.connect(
                server.port, "/rtc?protocol=16&sdk=swift&auto_subscribe=1", token: TestTokens.join("bob"))
            #expect(try await signal.next(\.joining).subscriberPrimary)
            let offer = try await signal.next(\.offering)
            #expect(offer.midToTrackID.values.contains(sid))
            let trickle = try await signal.next(\.trickling)
            #expect(trickle.target == .subscriber && trickle.final)
            let media = try await MediaTestClient.make(seed: 12, offers: false)
            let answer = try await media.answer(offer.sdp)
            try await media.add(candidate: try #require(JSONText.candidate(trickle.candidateInit) ?? nil).encoded)
            signal.send(
                .with {
                    $0.answer.type = "answer"
                    $0.answer.sdp = answer
                })
            try await media.untilConnected()
            #expect(try await signal.participant("bob").state == .active)
            var packets = media.packets.makeAsyncIterator()
            try await alice.media.send(ssrc: 6000, timestamp: 1, level: 9, [0x78, 7])
            #expect(await packets.next()?.payload == [0x78, 7])
            try await alice.media.close()
            try await media.close()
        }
    }

    /// Addresses that the kernel refuses to send to must not cost anybody else anything.
    @Test func candidatesThatCannotBeReached() async throws {
        try await withCallServer { server in
            let hostile = try await Caller.join(server, "hostile", seed: 13)
            let bad = try await MediaTestClient.make(seed: 14)
            let offer = try await bad.offer(audioReceivers: 1)
            let signal = try await LiveKitTestClient.join(server.port, token: TestTokens.join("bad")) {
                $0.publisherOffer.sdp = offer
            }
            _ = try await signal.next(\.answering)
            let addresses = [
                "203.0.113.9 9", "255.255.255.255 9", "240.0.0.1 9", "224.0.0.1 9", "127.0.0.1 0", "fd00::2 9",
                "0.0.0.0 9",
            ]
            for (index, address) in addresses.enumerated() {
                let candidate = "candidate:\(index) 1 udp 2122194687 \(address) typ host"
                signal.send(
                    .with {
                        $0.trickle.candidateInit =
                            #"{"candidate":"\#(candidate)","sdpMid":"0","sdpMLineIndex":0}"#
                    })
            }
            signal.send(.with { $0.pingReq.timestamp = 1 })
            _ = try await signal.next { $0.pongResp.lastPingTimestamp == 1 ? true : nil }
            // The port still takes newcomers and their packets.
            let alice = try await Caller.join(server, "alice", seed: 15)
            _ = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 7000)
            _ = try await hostile.followRequirement()
            var packets = hostile.media.packets.makeAsyncIterator()
            try await alice.media.send(ssrc: 7000, timestamp: 1, [0x78, 7])
            #expect(await packets.next()?.payload == [0x78, 7])
            for media in [hostile.media, bad, alice.media] { try await media.close() }
        }
    }

    /// A track that is announced and not sent yet ends with the permission for it, as those do that are sent.
    @Test func whatIsOnlyAnnouncedCanBeForbidden() async throws {
        try await withCallServer { server in
            let ada = try await LiveKitTestClient.join(server.port, token: TestTokens.join("ada"))
            ada.send(
                .with {
                    $0.addTrack.cid = "mic"
                    $0.addTrack.source = .microphone
                })
            let announced = try await ada.next { $0.trackPublished.cid == "mic" ? $0.trackPublished.track.sid : nil }
            let body = #"{"room":"r","identity":"ada","permission":{"can_publish":false,"can_subscribe":true}}"#
            #expect(try await RoomAPI.admin(server).call("UpdateParticipant", body).status == 200)
            let ended = try await ada.next {
                if case .trackUnpublished(let track) = $0.message { track.trackSid } else { nil }
            }
            #expect(ended == announced)
            ada.drop()
        }
    }
}
