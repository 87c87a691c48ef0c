import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct LiveKitResumeTests {
    /// Packets `range` go from one to the other and arrive, all of them and in order.
    private func pass(_ range: Range<UInt32>, from sender: Caller, ssrc: UInt32, to receiver: Caller) async throws {
        var packets = receiver.media.packets.makeAsyncIterator()
        for step in range {
            try await sender.media.send(ssrc: ssrc, timestamp: step * 960, [0x78, UInt8(truncatingIfNeeded: step)])
            #expect(await packets.next()?.payload == [0x78, UInt8(truncatingIfNeeded: step)])
        }
    }

    @Test func mediaGoesOnWhileSignallingIsLostAndTheSessionIsResumed() async throws {
        try await withCallServer {
            $0.media.iceServers = [ICEServer(urls: ["stun:192.0.2.1:3478"])]
        } _: { server in
            var alice = try await Caller.join(server, "alice", seed: 21)
            let bob = try await Caller.join(server, "bob", seed: 22)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9000)
            _ = try await bob.followRequirement()
            try await pass(0..<5, from: alice, ssrc: 9000, to: bob)
            alice.signal.drop()
            try await pass(5..<10, from: alice, ssrc: 9000, to: bob)
            let reconnect = try await alice.resume(
                server, "alice",
                sync: .with {
                    $0.publishTracks = [
                        .with {
                            $0.cid = "mic"
                            $0.track.sid = sid
                        }
                    ]
                })
            #expect(reconnect.iceServers.map(\.urls) == [["stun:192.0.2.1:3478"]])
            #expect(reconnect.serverInfo.protocol == 17)
            guard case .update(let update) = try await alice.signal.next().message else {
                Issue.record("no update after the reconnect response")
                return
            }
            #expect(Set(update.participants.map(\.identity)) == ["alice", "bob"])
            #expect(update.participants.first { $0.identity == "alice" }?.tracks.map(\.sid) == [sid])
            #expect(update.participants.allSatisfy { $0.state == .active })
            #expect(try await alice.signal.next().roomUpdate.room.numParticipants == 2)
            #expect(!(try await alice.signal.next().refreshToken.isEmpty))
            let before = try await alice.media.iceSelections()
            try await alice.restartICE()
            try await pass(10..<30, from: alice, ssrc: 9000, to: bob)
            // Media may well have passed by the pair of before.
            while try await alice.media.iceSelections() == before { await Task.yield() }
            // Nobody else was told of a departure, and the sids are the old ones.
            let statistics = await server.statistics()
            #expect(statistics.participants == 2 && statistics.packetsForwarded == 30)
            bob.signal.send(.with { $0.pingReq.timestamp = 3 })
            while true {
                let message = try await bob.signal.next()
                if message.pongResp.lastPingTimestamp == 3 { break }
                if case .update(let update) = message.message {
                    #expect(update.participants.allSatisfy { $0.state != .disconnected })
                }
            }
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    /// The old TCP connection may not know yet that it is dead.
    @Test func aResumeDoesNotWaitForTheOldConnection() async throws {
        try await withCallServer { server in
            var alice = try await Caller.join(server, "alice", seed: 23)
            let old = alice.signal
            _ = try await alice.resume(server, "alice")
            try await old.untilClosed()
            alice.signal.send(.with { $0.pingReq.timestamp = 5 })
            #expect(try await alice.signal.next { $0.pongResp.lastPingTimestamp == 5 ? true : nil })
            #expect(await server.statistics().participants == 1)
            try await alice.media.close()
        }
    }

    /// The server may know that the connection is dead, not know it yet, or never learn of it.
    @Test(arguments: [true, false]) func whatAClientIsToldWhileItIsAwayWaits(isClosed: Bool) async throws {
        try await withCallServer { server in
            var alice = try await Caller.join(server, "alice", seed: 24)
            let bob = try await Caller.join(server, "bob", seed: 25)
            let dead = alice.signal
            if isClosed { dead.drop() }
            let sid = try await bob.publish(.audio, .microphone, cid: "mic", ssrc: 9100)
            _ = try await alice.resume(server, "alice")
            let update = try await alice.signal.participant("bob")
            #expect(update.tracks.map(\.sid) == [sid])
            let permission = try await alice.signal.next { response in
                if case .subscriptionPermissionUpdate(let update) = response.message { update } else { nil }
            }
            #expect(permission.trackSid == sid && permission.allowed)
            // The subscription that could not be negotiated gets its line now.
            try await alice.restartICE()
            try await pass(0..<5, from: bob, ssrc: 9100, to: alice)
            try await alice.media.close()
            try await bob.media.close()
            withExtendedLifetime(dead) {}
        }
    }

    /// What has arrived is not said again.
    @Test func whatAClientHasGotIsNotRepeated() async throws {
        try await withCallServer {
            $0.timing.webSocketPing = 200
        } _: { server in
            var alice = try await Caller.join(server, "alice", seed: 31)
            let bob = try await Caller.join(server, "bob", seed: 32)
            let sid = try await bob.publish(.audio, .microphone, cid: "mic", ssrc: 9300)
            func permission(_ response: Livekit_SignalResponse) -> Bool? {
                guard case .subscriptionPermissionUpdate(let update) = response.message else { return nil }
                return update.trackSid == sid
            }
            #expect(try await alice.signal.next(permission))
            try await alice.signal.answerPing()
            _ = try await alice.resume(server, "alice")
            alice.signal.send(.with { $0.pingReq.timestamp = 6 })
            while true {
                let message = try await alice.signal.next()
                #expect(permission(message) == nil)
                if message.pongResp.lastPingTimestamp == 6 { break }
            }
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    @Test func sidsThatAreNotKnownMustJoinAnew() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 26)
            for (identity, sid) in [("alice", "PA_other"), ("bob", alice.join.participant.sid)] {
                let client = try await LiveKitTestClient.resume(server.port, identity, sid: sid)
                let leave = try await client.next(\.leaving)
                #expect(leave.reason == .stateMismatch && leave.action == .reconnect)
                try await client.untilClosed()
            }
            // The session itself is untouched.
            alice.signal.send(.with { $0.pingReq.timestamp = 5 })
            #expect(try await alice.signal.next { $0.pongResp.lastPingTimestamp == 5 ? true : nil })
            try await alice.media.close()
        }
    }

    @Test func aPublicationThatIsNotKnownEndsInAFullReconnect() async throws {
        try await withCallServer { server in
            var alice = try await Caller.join(server, "alice", seed: 27)
            let bob = try await Caller.join(server, "bob", seed: 28)
            _ = try await alice.resume(
                server, "alice", sync: .with { $0.publishTracks = [.with { $0.track.sid = "TR_AMunknown" }] })
            let leave = try await alice.signal.next(\.leaving)
            #expect(leave.reason == .stateMismatch && leave.action == .reconnect)
            #expect(
                try await bob.signal.participant("alice") { $0.state == .disconnected }.disconnectReason
                    == .stateMismatch)
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    @Test func subscriptionsAndPausesOfTheSyncStateHold() async throws {
        try await withCallServer { server in
            let bob = try await Caller.join(server, "bob", seed: 29)
            let first = try await bob.publish(.audio, .microphone, cid: "mic", ssrc: 9200)
            var alice = try await Caller.join(server, "alice", seed: 30)
            try await pass(0..<3, from: bob, ssrc: 9200, to: alice)
            _ = try await alice.resume(
                server, "alice",
                sync: .with {
                    $0.subscription.trackSids = [first]
                    $0.subscription.subscribe = false
                })
            try await alice.media.restartICE()
            #expect(try await alice.renegotiate().midToTrackID.isEmpty)
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    @Test func theClientIsToldToResumeWhenItsMediaPathIsLost() async throws {
        var timing = RoomTiming()
        timing.departure = 100
        try await withCallServer(timing: timing) { server in
            let alice = try await Caller.join(server, "alice", seed: 31)
            let bob = try await Caller.join(server, "bob", seed: 32)
            // Closing the media connection says so to the server.
            try await alice.media.close()
            let leave = try await alice.signal.next(\.leaving)
            #expect(leave.reason == .connectionTimeout && leave.action == .disconnect)
            let gone = try await bob.signal.participant("alice") { $0.state == .disconnected }
            #expect(gone.disconnectReason == .connectionTimeout)
            try await bob.media.close()
        }
    }

    @Test func twoConnectionsAreResumed() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 33)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 9300)
            let query = "protocol=16&sdk=swift&auto_subscribe=1"
            let first = try await LiveKitTestClient.connect(
                server.port, "/rtc?\(query)", token: TestTokens.join("bob"))
            let join = try await first.next(\.joining)
            let media = try await MediaTestClient.make(seed: 34, offers: false)
            try await Self.answer(first, media)
            try await media.untilConnected()
            #expect(try await first.participant("bob").state == .active)
            var packets = media.packets.makeAsyncIterator()
            try await alice.media.send(ssrc: 9300, timestamp: 1, [0x78, 1])
            #expect(await packets.next()?.payload == [0x78, 1])
            first.drop()
            let second = try await LiveKitTestClient.connect(
                server.port, "/rtc?\(query)&reconnect=1&sid=\(join.participant.sid)", token: TestTokens.join("bob"))
            guard case .reconnect = try await second.next().message else {
                Issue.record("no reconnect response")
                return
            }
            second.send(.with { $0.syncState.dataChannels = [] })
            let selections = try await media.iceSelections()
            // The server offers its new ICE generation by itself.
            let offer = try await Self.answer(second, media)
            #expect(offer.midToTrackID.values.contains(sid))
            for step in 2..<20 as Range<UInt8> {
                try await alice.media.send(ssrc: 9300, timestamp: UInt32(step) * 960, [0x78, step])
                #expect(await packets.next()?.payload == [0x78, step])
            }
            while try await media.iceSelections() == selections { await Task.yield() }
            #expect(await server.statistics().participants == 2)
            try await alice.media.close()
            try await media.close()
        }
    }

    @discardableResult
    private static func answer(
        _ signal: LiveKitTestClient, _ media: MediaTestClient
    ) async throws -> Livekit_SessionDescription {
        let offer = try await signal.next(\.offering)
        let trickle = try await signal.next(\.trickling)
        let answer = try await media.answer(offer.sdp, restarting: true)
        try await media.add(candidate: try #require(JSONText.candidate(trickle.candidateInit) ?? nil).encoded)
        signal.send(
            .with {
                $0.answer.type = "answer"
                $0.answer.sdp = answer
                $0.answer.id = offer.id
            })
        return offer
    }
}
