import LiveKitProtocol
import OpenTokSignalling
import Testing

@testable import CallServer

/// One room in two dialects, on sockets.
@Suite(.timeLimit(.minutes(10))) struct CrossSocketTests {
    private static func stream(of client: OpenTokTestClient) async throws -> RaptorStream {
        try await client.next { event in
            if case .streamCreated(let stream) = event, stream.id.hasPrefix("TR_") { stream } else { nil }
        }
    }

    private static func sound(_ media: MediaTestClient, count: Int, _ payload: [UInt8]) async {
        var heard = 0
        for await packet in media.packets where packet.payload == payload {
            heard += 1
            if heard == count { return }
        }
    }

    @Test func eachHearsTheOther() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let lea = try await Caller.join(server, "lea", seed: 11, grant: { $0.room = session.text })
            let other = try #require(lea.join.otherParticipants.first)
            #expect(other.identity == "name=ada" && other.state == .active)

            let source = try await OpenTokTestMedia.publish(ada)
            let tasks = (source.speak(ssrc: 100, [0x78, 1, 2, 3]), source.film(ssrc: 200))
            let seen = try await lea.signal.participant("name=ada") { $0.tracks.count == 2 }
            #expect(seen.tracks.map(\.source) == [.microphone, .camera])
            #expect(seen.tracks.map(\.mimeType) == ["audio/opus", "video/VP8"])
            _ = try await lea.followRequirement()
            await OpenTokTestMedia.receive(lea.media, sounds: 10, pictures: 10)

            let sid = try await lea.publish(.audio, .microphone, cid: "mic", ssrc: 1000)
            #expect(try await Self.stream(of: ada).id == sid)
            let voice = lea.media.speak(ssrc: 1000, [0x78, 9])
            let ear = try await OpenTokTestMedia.subscribe(ada, to: sid, as: "u", seed: 12)
            await Self.sound(ear, count: 10, [0x78, 9])
            let counted = await server.statistics()
            #expect(counted.rooms == 1 && counted.participants == 2)

            lea.signal.send(.with { $0.leave.reason = .clientInitiated })
            let ends = try await ada.next { event -> RaptorReason? in
                if case .streamDeleted(sid, let reason) = event { reason } else { nil }
            }
            #expect(ends == .clientDisconnected)
            let gone = try await ada.next { event -> String? in
                if case .connectionDeleted(let id, _) = event { id } else { nil }
            }
            #expect(gone == lea.join.participant.sid)
            for task in [tasks.0, tasks.1, voice] { task.cancel() }
            for media in [source, ear, lea.media] { try await media.close() }
        }
    }

    @Test func signalsAndPacketsCross() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let lea = try await Caller.join(server, "lea", seed: 21, grant: { $0.room = session.text })
            try await lea.media.openReliable()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let sid = lea.join.participant.sid
            try await ada.ask(.signal(to: nil, id: "1", SignalContent(type: "chat", data: "hi")))
            try await ada.ask(.signal(to: sid, id: "2", SignalContent(type: nil, data: "you")))
            try await ada.ask(.signal(to: "ada", id: "3", SignalContent(type: "own", data: "me")))
            var messages = lea.media.messages.makeAsyncIterator()
            for (topic, text) in [("chat", "hi"), ("", "you")] {
                let packet = try Livekit_DataPacket(wireBytes: try #require(await messages.next()))
                #expect(packet.user.topic == topic && packet.user.payload == .init(text.utf8))
                #expect(packet.participantIdentity == "name=ada" && packet.kind == .reliable)
            }
            #expect(try await ada.signals(until: "me") == ["hi", "me"])

            var packet = Livekit_DataPacket()
            packet.user.payload = .init("from lea".utf8)
            packet.user.topic = "chat"
            try await lea.media.send(message: packet.wireBytes)
            #expect(try await ada.signals(until: "from lea") == ["from lea"])
            // No signal may say so.
            packet.user.topic = "a topic with spaces"
            try await lea.media.send(message: packet.wireBytes)
            packet.user.topic = "end"
            packet.user.payload = .init("end".utf8)
            try await lea.media.send(message: packet.wireBytes)
            #expect(try await ada.signals(until: "end") == ["end"])
            try await lea.media.close()
        }
    }

    @Test func theRoomAPIModeratesASession() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let source = try await OpenTokTestMedia.publish(ada)
            let api = RoomAPI.admin(server, room: session.text)
            let list = try await api.call("ListParticipants", #"{"room":"\#(session.text)"}"#)
            #expect(list.status == 200 && list.body.contains("name=ada") && list.body.contains("TR_AM"))
            let sid = try #require(list.body.firstMatch(of: /TR_AM\w+/)).0
            let mute = #"{"room":"\#(session.text)","identity":"name=ada","trackSid":"\#(sid)","muted":true}"#
            #expect(try await api.call("MutePublishedTrack", mute).status == 200)
            _ = try await ada.next { event -> Bool? in if case .streamMuted("s") = event { true } else { nil } }
            let channel = try await ada.next { event -> RaptorChannelProperties? in
                if case .streamUpdated("s", "audio1", let properties) = event { properties } else { nil }
            }
            #expect(channel.isActive == false)
            let remove = #"{"room":"\#(session.text)","identity":"name=ada"}"#
            #expect(try await api.call("RemoveParticipant", remove).status == 200)
            let reason = try await ada.next { event -> RaptorReason? in
                if case .connectionDeleted("ada", let reason) = event { reason } else { nil }
            }
            #expect(reason == .forceDisconnected)
            #expect(try await ada.closeCode() == 1000)
            #expect(try await api.call("RemoveParticipant", remove).status == 404)
            try await source.close()
        }
    }

    @Test func aSessionIsItsProjectsAndRouted() async throws {
        try await withCallServer {
            $0.keys["other"] = "secret"
        } _: { server in
            let application = OpenTokTestApplication(port: server.port)
            let routed = try await application.makeSession()
            let relayed = try await application.makeSession(.relayed)
            let ada = try await OpenTokTestClient.join(server.port, routed, id: "ada")
            func refusal(_ session: OpenTokSessionID, key: String) async throws -> LiveKitTestClient.Refused? {
                var claims = TokenClaims(
                    issuer: key, subject: "lea", notBefore: OpenTokTestApplication.now,
                    expires: OpenTokTestApplication.now + 60)
                claims.video = .join(room: session.text)
                do {
                    _ = try await LiveKitTestClient.join(server.port, token: AccessToken.mint(claims, secret: "secret"))
                    return nil
                } catch { return error as? LiveKitTestClient.Refused }
            }
            #expect(try await refusal(routed, key: "key") == nil)
            let foreign = try #require(try await refusal(routed, key: "other"))
            #expect(foreign.status == 403 && foreign.body.contains("another API key"))
            let past = try #require(try await refusal(relayed, key: "key"))
            #expect(past.status == 403 && past.body.contains("routed"))
            let api = RoomAPI.admin(server, room: routed.text)
            let stranger = RoomAPI.admin(server, room: routed.text, key: "other")
            let body = #"{"room":"\#(routed.text)"}"#
            #expect(try await api.call("ListParticipants", body).status == 200)
            #expect(try await stranger.call("ListParticipants", body).code == "unauthenticated")
            #expect(try await stranger.call("CreateRoom", #"{"name":"\#(routed.text)"}"#).code == "unauthenticated")
            #expect(try await api.call("ListRooms", "{}").body.contains(routed.text))
            #expect(try await stranger.call("ListRooms", "{}").body.contains(routed.text) == false)
            #expect(try await ada.settled().allSatisfy { if case .streamCreated = $0 { false } else { true } })
        }
    }

    @Test func boundsCountBothDialects() async throws {
        try await withCallServer {
            $0.limits.participantsPerRoom = 2
        } _: { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            _ = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let lea = try await Caller.join(server, "lea", seed: 31, grant: { $0.room = session.text })
            let token = try OpenTokTestApplication.token(session)
            let third = try await OpenTokTestClient.connect(server.port, session, id: "bob", token: token)
            #expect(try await third.closeCode() == 1011)
            await #expect(throws: LiveKitTestClient.Refused.self) {
                _ = try await LiveKitTestClient.join(
                    server.port, token: TestTokens.join("max", room: session.text))
            }
            try await lea.media.close()
        }
    }
}
