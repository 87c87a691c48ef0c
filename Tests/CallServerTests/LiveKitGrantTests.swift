import LiveKitProtocol
import Testing

@testable import CallServer

extension Livekit_SignalResponse {
    fileprivate var permission: Livekit_SubscriptionPermissionUpdate? {
        if case .subscriptionPermissionUpdate(let update) = message { update } else { nil }
    }
}

/// What tokens, publishers and subscribers allow and choose, judged by the packets that pass. Bob, for whom everything is
/// as usual, is the control of each test.
@Suite(.timeLimit(.minutes(10))) struct LiveKitGrantTests {
    /// So many packets of alice's, all of which bob gets; the number that the server has sent to anybody in that time.
    private func forwarded(_ count: Int, from alice: Caller, ssrc: UInt32, to bob: Caller, _ server: CallServer)
        async throws -> Int
    {
        let before = await server.statistics().packetsForwarded
        var packets = bob.media.packets.makeAsyncIterator()
        for step in 0..<count {
            try await alice.media.send(ssrc: ssrc, timestamp: UInt32(step) * 960, [0x78, UInt8(step)])
            #expect(await packets.next()?.payload == [0x78, UInt8(step)])
        }
        return await server.statistics().packetsForwarded - before
    }

    private func close(_ callers: Caller...) async throws {
        for caller in callers { try await caller.media.close() }
    }

    @Test func whoeverMayNotSubscribeGetsNothing() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 301)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9700)
            let deaf = try await Caller.join(server, "deaf", seed: 302, grant: { $0.canSubscribe = false })
            let bob = try await Caller.join(server, "bob", seed: 303)
            #expect(deaf.join.otherParticipants.first?.tracks.first?.sid == sid, "it sees that there is something")
            deaf.signal.send(
                .with {
                    $0.subscription.trackSids = [sid]
                    $0.subscription.subscribe = true
                    $0.trackSetting.trackSids = [sid]
                })
            deaf.signal.send(.with { $0.pingReq.timestamp = 1 })
            _ = try await deaf.signal.next { $0.pongResp.lastPingTimestamp == 1 ? true : nil }
            #expect(try await forwarded(20, from: alice, ssrc: 9700, to: bob, server) == 20, "to bob alone")
            try await close(alice, deaf, bob)
        }
    }

    @Test func withoutAutoSubscribeOnlyWhatIsAskedForComes() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 304)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9701)
            let bob = try await Caller.join(server, "bob", seed: 305)
            let carol = try await Caller.join(
                server, "carol", seed: 306, request: { $0.connectionSettings.autoSubscribe = false })
            #expect(try await forwarded(20, from: alice, ssrc: 9701, to: bob, server) == 20, "to bob alone")
            carol.signal.send(
                .with {
                    $0.subscription.trackSids = [sid]
                    $0.subscription.subscribe = true
                })
            #expect(try await carol.followRequirement().midToTrackID.values.contains(sid))
            #expect(try await forwarded(20, from: alice, ssrc: 9701, to: bob, server) == 40, "to carol as well")
            try await close(alice, bob, carol)
        }
    }

    @Test func publishersChooseWhoMayListen() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 307)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9702)
            let bob = try await Caller.join(server, "bob", seed: 308)
            let carol = try await Caller.join(server, "carol", seed: 309)
            #expect(try await forwarded(10, from: alice, ssrc: 9702, to: bob, server) == 20, "to both")
            alice.signal.send(
                .with {
                    $0.subscriptionPermission.trackPermissions = [
                        .with {
                            $0.participantIdentity = "bob"
                            $0.allTracks = true
                        }
                    ]
                })
            let refused = try await carol.signal.next { $0.permission.flatMap { $0.allowed ? nil : $0 } }
            #expect(refused.trackSid == sid && refused.participantSid == alice.join.participant.sid)
            #expect(try await carol.followRequirement().midToTrackID.isEmpty)
            #expect(try await forwarded(10, from: alice, ssrc: 9702, to: bob, server) == 10, "to bob alone")
            alice.signal.send(.with { $0.subscriptionPermission.allParticipants = true })
            _ = try await carol.signal.next { $0.permission.flatMap { $0.allowed ? $0 : nil } }
            #expect(try await carol.followRequirement().midToTrackID.values.contains(sid))
            #expect(try await forwarded(10, from: alice, ssrc: 9702, to: bob, server) == 20, "to both again")
            try await close(alice, bob, carol)
        }
    }

    @Test func theHiddenHearAndAreNotSeen() async throws {
        var timing = RoomTiming()
        timing.participantUpdates = 10
        try await withCallServer(timing: timing) { server in
            let alice = try await Caller.join(server, "alice", seed: 310)
            _ = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9703)
            let ghost = try await Caller.join(server, "ghost", seed: 311, grant: { $0.hidden = true })
            let bob = try await Caller.join(server, "bob", seed: 312)
            #expect(try await forwarded(10, from: alice, ssrc: 9703, to: bob, server) == 20, "to the ghost as well")
            #expect(bob.join.otherParticipants.map(\.identity) == ["alice"])
            // The first one that alice is told of is bob, who came later.
            let told = try await alice.signal.next { response -> [String]? in
                guard case .update(let update) = response.message else { return nil }
                let others = update.participants.map(\.identity).filter { $0 != "alice" }
                return others.isEmpty ? nil : others
            }
            #expect(told == ["bob"])
            #expect(ghost.join.otherParticipants.map(\.identity) == ["alice"])
            try await close(alice, ghost, bob)
        }
    }

    /// The server's mute reaches the publisher, and the others see it.
    @Test func aMuteOfTheRoomServiceIsTold() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 313)
            let bob = try await Caller.join(server, "bob", seed: 314)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9704)
            let body = #"{"room":"r","identity":"alice","track_sid":"\#(sid)","muted":true}"#
            #expect(try await RoomAPI.admin(server).call("MutePublishedTrack", body).status == 200)
            let mute = try await alice.signal.next { response -> Livekit_MuteTrackRequest? in
                if case .mute(let mute) = response.message { mute } else { nil }
            }
            #expect(mute.sid == sid && mute.muted)
            let seen = try await bob.signal.participant("alice") { $0.tracks.first?.muted == true }
            #expect(seen.tracks.map(\.sid) == [sid])
            try await close(alice, bob)
        }
    }
}

/// How long rooms stay without anybody.
@Suite(.timeLimit(.minutes(10))) struct LiveKitRoomTimeoutTests {
    private func finished(_ receiver: WebhookReceiver) -> [Livekit_WebhookEvent] {
        receiver.events.filter { $0.event == "room_finished" }
    }

    /// Of two rooms that differ in nothing but the time one closes.
    @Test func aRoomThatNobodyEntersCloses() async throws {
        try await withWebhooks { server, receiver in
            let api = RoomAPI.admin(server)
            _ = try await api.call("CreateRoom", #"{"name":"patient","empty_timeout":600,"departure_timeout":1}"#)
            _ = try await api.call("CreateRoom", #"{"name":"brief","empty_timeout":1,"departure_timeout":600}"#)
            _ = await receiver.count(3)
            #expect(finished(receiver).map(\.room.name) == ["brief"])
            #expect(finished(receiver).map(\.roomEndReason) == [.roomEndIdleTimeout])
            #expect(await server.statistics().rooms == 1)
        }
    }

    @Test func aRoomThatEverybodyHasLeftCloses() async throws {
        try await withWebhooks { server, receiver in
            let api = RoomAPI.admin(server)
            // Each is entered at once: a busy machine must not take longer than an empty one stays.
            for (room, empty, departure) in [("patient", 5, 600), ("brief", 600, 1)] {
                _ = try await api.call(
                    "CreateRoom", #"{"name":"\#(room)","empty_timeout":\#(empty),"departure_timeout":\#(departure)}"#)
                let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a", room: room))
                _ = try await client.next(\.joining)
                client.send(.with { $0.leave.reason = .clientInitiated })
                try await client.untilClosed()
            }
            // Its end tells that the first one has outlived its time without anybody.
            _ = try await api.call("CreateRoom", #"{"name":"clock","empty_timeout":6}"#)
            // Three beginnings, two visits whose media never stood, two ends.
            _ = await receiver.count(7)
            #expect(finished(receiver).map(\.room.name) == ["brief", "clock"])
            #expect(await server.statistics().rooms == 1)
        }
    }

    private func withWebhooks(_ body: (CallServer, WebhookReceiver) async throws -> Void) async throws {
        let receiver = WebhookReceiver()
        try await withHTTPServer(receiver.router) { http in
            try await withCallServer({ $0.webhooks.rooms = ["http://127.0.0.1:\(http.port)/hooks"] }) { server in
                try await body(server, receiver)
            }
        }
    }
}
