import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

extension Livekit_SignalResponse {
    fileprivate var refusing: Livekit_RequestResponse? {
        if case .requestResponse(let response) = message { response } else { nil }
    }
}

/// What clients ask for and don't get, and in which words.
@Suite(.timeLimit(.minutes(10))) struct LiveKitRefusalTests {
    private func status(_ server: CallServer, _ path: String, _ token: String) async throws -> HTTPTestClient.Response {
        let client = try await HTTPTestClient.connect(server.port)
        defer { client.close() }
        client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
        return try await client.response()
    }

    @Test func aPublishOnlyConnectionNeedsTheGrant() async throws {
        try await withCallServer { server in
            let listener = TestTokens.join("a") { $0.canPublish = false }
            let refused = try await status(server, "/rtc/validate?publish=screen", listener)
            #expect(refused.status == 401 && refused.body == "no permissions to access the room")
            let second = try await LiveKitTestClient.connect(
                server.port, "/rtc?protocol=17&publish=screen", token: TestTokens.join("a"))
            let join = try await second.next(\.joining)
            #expect(join.participant.identity == "a#screen")
            #expect(join.participant.permission.canPublish && !join.participant.permission.canSubscribe)
        }
    }

    @Test func attributesInTheQueryNeedTheGrant() async throws {
        try await withCallServer { server in
            let attributes = Base64.encodeURL(Array(#"{"a":"1","b":""}"#.utf8))
            let plain = TestTokens.join("a")
            let trusted = TestTokens.join("a") { $0.canUpdateOwnMetadata = true }
            #expect(try await status(server, "/rtc/validate?attributes=\(attributes)", plain).status == 401)
            #expect(try await status(server, "/rtc/validate?attributes=\(attributes)", trusted).status == 200)
            let unreadable = try await status(server, "/rtc/validate?attributes=%21", trusted)
            #expect(unreadable.status == 400 && unreadable.body == "cannot decode attributes")
            let client = try await LiveKitTestClient.connect(
                server.port, "/rtc?protocol=17&attributes=\(attributes)", token: trusted)
            #expect(try await client.next(\.joining).participant.attributes == ["a": "1"], "nothing is taken away")
            let careless = try await LiveKitTestClient.connect(
                server.port, "/rtc?protocol=17&attributes=%21", token: TestTokens.join("b"))
            #expect(try await careless.next(\.joining).participant.attributes.isEmpty)
        }
    }

    @Test func requestsAboutUnknownTracksComeBack() async throws {
        try await withCallServer { server in
            let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
            _ = try await client.next(\.joining)
            client.send(.with { $0.mute.sid = "TR_none" })
            let mute = try await client.next(\.refusing)
            #expect(mute.reason == .notFound && mute.mute.sid == "TR_none")
            client.send(.with { $0.updateAudioTrack.trackSid = "TR_none" })
            #expect(try await client.next(\.refusing).updateAudioTrack.trackSid == "TR_none")
            client.send(.with { $0.updateVideoTrack.trackSid = "TR_none" })
            #expect(try await client.next(\.refusing).updateVideoTrack.trackSid == "TR_none")
            client.send(
                .with {
                    $0.addTrack.cid = "second codec"
                    $0.addTrack.sid = "TR_none"
                })
            let codec = try await client.next(\.refusing)
            #expect(codec.reason == .notFound && codec.addTrack.cid == "second codec")
            client.send(.with { $0.updateMetadata.name = "b" })
            let name = try await client.next(\.refusing)
            #expect(name.reason == .notAllowed && name.message == "does not have permission to update own metadata")
        }
    }

    @Test func textIsAnsweredWithTextUntilBinaryComes() async throws {
        try await withCallServer { server in
            let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
            _ = try await client.next(\.joining)
            while try await client.next().refreshToken.isEmpty {}
            client.send(text: #"{"pingReq":{"timestamp":"7"}}"#)
            let text = try await client.frame()
            #expect(text.opcode == 1 && String(decoding: text.payload, as: UTF8.self).contains("pongResp"))
            client.send(.with { $0.pingReq.timestamp = 8 })
            #expect(try await client.next().pongResp.lastPingTimestamp == 8)
        }
    }

    @Test func whoSendsAJoinRequestHasOneConnection() async throws {
        try await withCallServer { server in
            var join = Livekit_JoinRequest()
            join.clientInfo.protocol = 17
            let wrapped = Livekit_WrappedJoinRequest.with { $0.joinRequest = Data(join.wireBytes) }
            let request = Base64.encodeURL(wrapped.wireBytes)
            let client = try await LiveKitTestClient.connect(
                server.port, "/rtc?join_request=\(request)", token: TestTokens.join("a"))
            #expect(try await client.next(\.joining).subscriberPrimary == false)
        }
    }

    @Test func whatATokenGrantsIsShown() async throws {
        try await withCallServer { server in
            let token = TestTokens.join("recorder") {
                $0.recorder = true
                $0.canSubscribeMetrics = true
                $0.canManageAgentSession = true
                $0.canPublish = false
            }
            let client = try await LiveKitTestClient.join(server.port, token: token)
            let join = try await client.next(\.joining)
            let permission = join.participant.permission
            #expect(permission.recorder && permission.canSubscribeMetrics && permission.canManageAgentSession)
            #expect(!permission.agent && !join.fastPublish)
            #expect(join.room.activeRecording && join.room.numParticipants == 0, "who records is no participant")
            #expect(join.sifTrailer.count == 43)
            let other = try await LiveKitTestClient.join(server.port, token: TestTokens.join("other"))
            let seen = try await other.next(\.joining)
            #expect(seen.sifTrailer == join.sifTrailer && seen.room.numParticipants == 1 && seen.fastPublish)
        }
    }

    @Test func theRoomAPINamesTheWrongArgument() async throws {
        try await withCallServer { server in
            let api = RoomAPI.admin(server)
            let long = String(repeating: "x", count: 600_000)
            let answer = try await api.call("CreateRoom", #"{"name":"r","metadata":"\#(long)"}"#)
            #expect(answer.status == 400 && answer.code == "invalid_argument")
            #expect(answer.json["meta"] == .object(["argument": .string("metadata size exceeds limits")]))
            for method in ["GetParticipant", "RemoveParticipant", "UpdateParticipant"] {
                let nobody = try await api.call(method, #"{"room":"r","identity":"a"}"#)
                #expect(nobody.status == 404 && nobody.json["msg"] == .string("participant does not exist"))
            }
            #expect(
                try await api.call("SendData", #"{"room":"r"}"#).json["msg"] != .string("participant does not exist"))
        }
    }
}
