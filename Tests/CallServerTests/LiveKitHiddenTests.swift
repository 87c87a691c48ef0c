import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// Somebody hidden publishes: the others learn nothing of it, and the application's own servers do.
@Suite(.timeLimit(.minutes(10))) struct LiveKitHiddenTests {
    /// All that somebody is told from here on up to the message in which `pick` finds something.
    private func told(
        _ client: LiveKitTestClient, upTo pick: (Livekit_SignalResponse) -> Bool
    ) async throws -> [Livekit_SignalResponse] {
        var messages: [Livekit_SignalResponse] = []
        repeat { messages.append(try await client.next()) } while !pick(messages[messages.count - 1])
        return messages
    }

    private func speakers(_ message: Livekit_SignalResponse) -> [String] {
        if case .speakersChanged(let update) = message.message { update.speakers.map(\.sid) } else { [] }
    }

    private func graded(_ message: Livekit_SignalResponse) -> [String] {
        if case .connectionQuality(let update) = message.message { update.updates.map(\.participantSid) } else { [] }
    }

    /// Sound and picture of a ghost don't leave the server, and its ids stand in no message that others get: not where it
    /// speaks, not where connections are graded.
    @Test func nothingOfAHiddenPublisherReachesTheOthers() async throws {
        try await withCallServer { server in
            let bob = try await Caller.join(server, "bob", seed: 801)
            let ghost = try await Caller.join(server, "ghost", seed: 802, grant: { $0.hidden = true })
            var ids = [ghost.join.participant.sid, "ghost"]
            ids.append(try await ghost.publish(.audio, .microphone, cid: "g", ssrc: 9900))
            ids.append(try await ghost.publish(.video, .camera, cid: "p", ssrc: 9910))
            let haunting = [ghost.media.speak(ssrc: 9900, level: 20), ghost.media.film(ssrc: 9910)]
            // The ghost itself is told that it speaks.
            _ = try await told(ghost.signal) { speakers($0).contains(ids[0]) }
            let alice = try await Caller.join(server, "alice", seed: 803)
            _ = try await alice.publish(.audio, .microphone, cid: "a", ssrc: 9920)
            // Who comes later gets what there is with the first answer.
            let carol = try await Caller.join(server, "carol", seed: 810)
            let speaking = alice.media.speak(ssrc: 9920, level: 20)
            let sid = alice.join.participant.sid
            var (isHeard, isGraded) = (false, false)
            let messages = try await told(bob.signal) {
                isHeard = isHeard || speakers($0).contains(sid)
                isGraded = isGraded || graded($0).contains(sid)
                return isHeard && isGraded
            }
            let joins = [alice.join, carol.join].map { Data($0.wireBytes) }
            let bytes = messages.map { Data($0.wireBytes) } + joins
            for id in ids { #expect(bytes.allSatisfy { $0.range(of: Data(id.utf8)) == nil }, "\(id)") }
            var packets = carol.media.packets.makeAsyncIterator()
            var sources: Set<UInt32> = []
            for _ in 0..<50 { if let packet = await packets.next() { sources.insert(packet.ssrc) } }
            #expect(sources.count == 1, "alice alone")
            let counted = await server.statistics()
            // Alice's go on; what the ghost sends, pictures too, comes in and stays.
            #expect(counted.packetsReceived > 0 && counted.packetsForwarded < counted.packetsReceived)
            for task in haunting + [speaking] { task.cancel() }
            for caller in [alice, bob, carol, ghost] { try await caller.media.close() }
        }
    }

    /// Who is hidden no more is seen and heard, and hides again.
    @Test func hidingEndsWhatOthersGet() async throws {
        try await withCallServer { server in
            let bob = try await Caller.join(server, "bob", seed: 804)
            let ghost = try await Caller.join(server, "ghost", seed: 805, grant: { $0.hidden = true })
            let track = try await ghost.publish(.audio, .microphone, cid: "g", ssrc: 9930)
            let haunting = ghost.media.speak(ssrc: 9930)
            func change(_ hidden: Bool) async throws {
                let permission = #"{"can_publish":true,"can_subscribe":true,"hidden":\#(hidden)}"#
                let body = #"{"room":"r","identity":"ghost","permission":\#(permission)}"#
                #expect(try await RoomAPI.admin(server).call("UpdateParticipant", body).status == 200)
            }
            try await change(false)
            let seen = try await bob.signal.participant("ghost")
            #expect(seen.tracks.map(\.sid) == [track])
            _ = try await bob.signal.next { response in
                if case .subscriptionPermissionUpdate(let update) = response.message { update } else { nil }
            }
            #expect(try await bob.followRequirement().midToTrackID.values.contains(track))
            var packets = bob.media.packets.makeAsyncIterator()
            #expect(await packets.next() != nil)
            try await change(true)
            _ = try await bob.signal.participant("ghost") { $0.state == .disconnected }
            #expect(try await bob.followRequirement().midToTrackID.isEmpty)
            haunting.cancel()
            for caller in [bob, ghost] { try await caller.media.close() }
        }
    }

    /// A recorder that is hidden gets what alice publishes; she is told that somebody listens when somebody else does.
    @Test func aHiddenSubscriberIsNotTold() async throws {
        try await withCallServer { server in
            let recorder = try await Caller.join(server, "recorder", seed: 806, grant: { $0.hidden = true })
            let alice = try await Caller.join(server, "alice", seed: 807)
            let track = try await alice.publish(.audio, .microphone, cid: "a", ssrc: 9940)
            #expect(try await recorder.followRequirement().midToTrackID.values.contains(track))
            alice.signal.send(.with { $0.pingReq.timestamp = 5 })
            let before = try await told(alice.signal) { $0.pongResp.lastPingTimestamp == 5 }
            #expect(before.allSatisfy { $0.trackSubscribed.trackSid.isEmpty })
            let bob = try await Caller.join(server, "bob", seed: 808)
            let heard = try await told(alice.signal) { $0.trackSubscribed.trackSid == track }
            #expect(!heard.isEmpty)
            for caller in [recorder, alice, bob] { try await caller.media.close() }
        }
    }

    /// Webhooks are for who runs the rooms: they name everybody.
    @Test func webhooksNameTheHidden() async throws {
        let receiver = WebhookReceiver()
        try await withHTTPServer(receiver.router) { http in
            try await withCallServer({ $0.webhooks.rooms = ["http://127.0.0.1:\(http.port)/hooks"] }) { server in
                let ghost = try await Caller.join(server, "ghost", seed: 809, grant: { $0.hidden = true })
                let track = try await ghost.publish(.audio, .microphone, cid: "g", ssrc: 9950)
                try await ghost.media.send(ssrc: 9950, timestamp: 0, [0x78, 1])
                _ = await receiver.count(3)
                let events = receiver.events
                #expect(events.map(\.event) == ["room_started", "participant_joined", "track_published"])
                #expect(events.dropFirst().allSatisfy { $0.participant.identity == "ghost" })
                #expect(events.last?.track.sid == track && events.allSatisfy { $0.room.numPublishers == 0 })
                try await ghost.media.close()
            }
        }
    }
}
