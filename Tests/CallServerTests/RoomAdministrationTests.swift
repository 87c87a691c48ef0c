import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

extension Livekit_SignalResponse {
    fileprivate var roomUpdated: Livekit_Room? {
        if case .roomUpdate(let update) = message { update.room } else { nil }
    }
    fileprivate var refreshed: String? { if case .refreshToken(let token) = message { token } else { nil } }
}

/// The room API with participants there.
@Suite(.timeLimit(.minutes(10))) struct RoomAdministrationTests {
    private func join(_ server: CallServer, _ identity: String, hidden: Bool = false) async throws -> LiveKitTestClient
    {
        let token = TestTokens.join(identity) { $0.hidden = hidden }
        let client = try await LiveKitTestClient.join(server.port, token: token)
        _ = try await client.next(\.joining)
        return client
    }

    @Test func participantsAreListedWithAllFields() async throws {
        try await withCallServer { server in
            let alice = try await join(server, "alice")
            let ghost = try await join(server, "ghost", hidden: true)
            let api = RoomAPI.admin(server)
            let answer = try await api.call("ListParticipants", #"{"room":"r"}"#)
            guard case .array(let list)? = answer.json["participants"], case .object(let first)? = list.first else {
                return #expect(Bool(false), "\(answer)")
            }
            #expect(list.count == 2)
            #expect(first["identity"] == .string("alice") && first["state"] == .string("JOINING"))
            #expect(first["kind"] == .string("STANDARD") && first["tracks"] == .array([]))
            #expect(first["attributes"] == .object([:]) && first["region"] == .string(""))
            #expect(first["disconnect_reason"] == .string("UNKNOWN_REASON"))
            guard case .object(let permission)? = first["permission"] else { return #expect(Bool(false)) }
            #expect(permission["can_publish"] == .bool(true) && permission["hidden"] == .bool(false))
            let rooms = try await api.call("ListRooms", "{}")
            // Hidden ones are not counted.
            #expect(rooms.body.contains(#""num_participants":1,"#))
            let one = try await api.call("GetParticipant", #"{"room":"r","identity":"alice"}"#)
            #expect(one.json == first)
            alice.drop()
            ghost.drop()
        }
    }

    @Test func removedOnesAreToldWhy() async throws {
        try await withCallServer { server in
            let alice = try await join(server, "alice")
            let answer = try await RoomAPI.admin(server).call(
                "RemoveParticipant", #"{"room":"r","identity":"alice"}"#)
            #expect(answer.status == 200 && answer.body == "{}")
            let leave = try await alice.next(\.leaving)
            #expect(leave.reason == .participantRemoved && leave.action == .disconnect)
            try await alice.untilClosed()
        }
    }

    @Test func deletingARoomSendsEverybodyAway() async throws {
        try await withCallServer { server in
            let alice = try await join(server, "alice")
            let bob = try await join(server, "bob")
            _ = try await RoomAPI.admin(server).call("DeleteRoom", #"{"room":"r"}"#)
            for client in [alice, bob] { #expect(try await client.next(\.leaving).reason == .roomDeleted) }
            #expect(await server.statistics().rooms == 0)
        }
    }

    @Test func metadataOfTheRoomReachesEverybody() async throws {
        try await withCallServer { server in
            let alice = try await join(server, "alice")
            let answer = try await RoomAPI.admin(server).call("UpdateRoomMetadata", #"{"room":"r","metadata":"topic"}"#)
            #expect(answer.json["metadata"] == .string("topic"))
            let room = try await alice.next { $0.roomUpdated.flatMap { $0.metadata == "topic" ? $0 : nil } }
            #expect(room.name == "r")
            let bob = try await LiveKitTestClient.join(server.port, token: TestTokens.join("bob"))
            #expect(try await bob.next(\.joining).room.metadata == "topic")
            let long = String(repeating: "x", count: 512 * 1024 + 1)
            let refused = try await RoomAPI.admin(server).call(
                "UpdateRoomMetadata", #"{"room":"r","metadata":"\#(long)"}"#)
            #expect(refused.status == 400 && refused.code == "invalid_argument")
        }
    }

    @Test func aParticipantIsChanged() async throws {
        try await withCallServer { server in
            let alice = try await join(server, "alice")
            let bob = try await join(server, "bob")
            let api = RoomAPI.admin(server)
            let body = #"""
                {"room":"r","identity":"alice","metadata":"m","name":"Alice","attributes":{"a":"1","b":"2"},
                "permission":{"canSubscribe":false,"can_publish":true,"can_publish_sources":["MICROPHONE"]}}
                """#
            let answer = try await api.call("UpdateParticipant", body)
            #expect(answer.json["name"] == .string("Alice"))
            #expect(answer.json["attributes"] == .object(["a": .string("1"), "b": .string("2")]))
            for client in [alice, bob] {
                let seen = try await client.participant("alice") { $0.metadata == "m" }
                #expect(seen.name == "Alice" && !seen.permission.canSubscribe && !seen.permission.canPublishData)
                #expect(seen.permission.canPublishSources == [.microphone])
            }
            let token = try await alice.next(\.refreshed)
            let claims = try AccessToken.inspect(token)
            #expect(claims.metadata == "m" && claims.video?.canSubscribe == false)
            #expect(claims.video?.canPublishSources == ["microphone"])
            _ = try await api.call(
                "UpdateParticipant", #"{"room":"r","identity":"alice","attributes":{"a":""}}"#)
            let kept = try await bob.participant("alice") { $0.attributes["a"] == nil }
            #expect(kept.attributes == ["b": "2"] && kept.metadata == "m" && !kept.permission.canSubscribe)
            // A camera is refused now.
            alice.send(
                .with {
                    $0.addTrack.cid = "cam"
                    $0.addTrack.type = .video
                    $0.addTrack.source = .camera
                })
            let refusal = try await alice.next { response -> Livekit_RequestResponse? in
                if case .requestResponse(let answer) = response.message { answer } else { nil }
            }
            #expect(refusal.reason == .notAllowed)
        }
    }

    @Test func oneWhoIsHiddenVanishesForTheOthers() async throws {
        try await withCallServer { server in
            let alice = try await join(server, "alice")
            let bob = try await join(server, "bob")
            let body = #"{"room":"r","identity":"alice","permission":{"can_publish":true,"hidden":true}}"#
            #expect(try await RoomAPI.admin(server).call("UpdateParticipant", body).status == 200)
            _ = try await bob.participant("alice") { $0.state == .disconnected }
            #expect(try await alice.participant("alice") { $0.permission.hidden }.state == .joining)
        }
    }

    @Test func theLastSeatOfARoomIsKept() async throws {
        try await withCallServer { server in
            let api = RoomAPI.admin(server)
            _ = try await api.call("CreateRoom", #"{"name":"r","max_participants":1}"#)
            let alice = try await join(server, "alice")
            let full = await #expect(throws: LiveKitTestClient.Refused.self) {
                try await LiveKitTestClient.join(server.port, token: TestTokens.join("bob"))
            }
            #expect(full?.status == 429)
            _ = try await api.call("CreateRoom", #"{"name":"r","max_participants":2}"#)
            _ = try await join(server, "bob")
            alice.drop()
        }
    }

    @Test func theTokenThatOpensARoomSaysWhatItIsLike() async throws {
        try await withCallServer { server in
            var claims = try AccessToken.inspect(TestTokens.join("alice"))
            claims.roomConfig = .object([
                "emptyTimeout": .integer(11), "departureTimeout": .integer(12), "maxParticipants": .integer(5),
                "metadata": .string("of the token"), "tags": .object(["a": .string("b")]), "newer": .bool(true),
            ])
            let token = AccessToken.mint(claims, secret: "secret")
            let client = try await LiveKitTestClient.join(server.port, token: token)
            let room = try await client.next(\.joining).room
            #expect(room.emptyTimeout == 11 && room.departureTimeout == 12 && room.maxParticipants == 5)
            #expect(room.metadata == "of the token")
        }
    }

    @Test func aTokenWhoseRoomConfigIsNoneStillOpensTheRoom() async throws {
        try await withCallServer { server in
            var claims = try AccessToken.inspect(TestTokens.join("alice"))
            claims.roomConfig = .array([.number(1.5), .null])
            let client = try await LiveKitTestClient.join(
                server.port, token: AccessToken.mint(claims, secret: "secret"))
            #expect(try await client.next(\.joining).room.emptyTimeout == 300)
        }
    }
}
