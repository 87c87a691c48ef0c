import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct LiveKitJoinTests {
    private func validate(_ port: Int, _ path: String, token: String?) async throws -> HTTPTestClient.Response {
        let client = try await HTTPTestClient.connect(port)
        defer { client.close() }
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\(authorization)\r\n")
        return try await client.response()
    }

    @Test func statusesOfTheDocument() async throws {
        try await withCallServer { server in
            var noRoom = TokenClaims(issuer: "key", subject: "a", expires: .max / 2)
            noRoom.video = VideoGrant(room: "", roomJoin: true)
            var noIdentity = TokenClaims(issuer: "key", expires: .max / 2)
            noIdentity.video = .join(room: "r")
            var foreign = TokenClaims(issuer: "other", subject: "a", expires: .max / 2)
            foreign.video = .join(room: "r")
            let cases: [(String?, Int, String)] = [
                (TestTokens.join("a"), 200, "success"),
                (nil, 401, "no permissions to access the room"),
                ("garbage", 401, "invalid authorization token"),
                (AccessToken.mint(foreign, secret: "secret"), 401, "invalid API key: other"),
                (TestTokens.join("a", expires: -100), 401, "invalid token: token is expired (exp)"),
                (TestTokens.join("a", expires: -20), 200, "success"),
                (TestTokens.join("a") { $0.roomJoin = false }, 401, "permissions denied"),
                (AccessToken.mint(noIdentity, secret: "secret"), 400, "identity cannot be empty"),
                (AccessToken.mint(noRoom, secret: "secret"), 400, "no room name"),
                (
                    TestTokens.join(String(repeating: "x", count: 257)), 400,
                    "participant identity length exceeds limits: max length 256"
                ),
            ]
            for (token, status, body) in cases {
                let response = try await validate(server.port, "/rtc/validate", token: token)
                #expect(response.status == status)
                #expect(response.body == body)
                #expect(response.fields["access-control-allow-origin"] == "*")
            }
        }
    }

    @Test func pathsAndQueries() async throws {
        try await withCallServer { server in
            let token = TestTokens.join("a")
            let empty = try await validate(server.port, "/", token: nil)
            #expect(empty.status == 200 && empty.body == "OK")
            #expect(try await validate(server.port, "/rtc", token: nil).status == 404)
            #expect(try await validate(server.port, "/rtc", token: token).status == 404)
            #expect(try await validate(server.port, "/rtc/v1", token: "garbage").status == 401)
            #expect(try await validate(server.port, "/rtc/validate?access_token=\(token)", token: nil).status == 200)
            #expect(try await validate(server.port, "//rtc/validate", token: token).status == 200)
            #expect(try await validate(server.port, "/rtc/v1/validate", token: token).status == 400)
            #expect(try await validate(server.port, "/rtc/v1/validate?join_request=%21", token: token).status == 400)
        }
    }

    @Test func refusedUpgradesSayWhy() async throws {
        try await withCallServer { server in
            await #expect(throws: LiveKitTestClient.Refused(status: 401, body: "no permissions to access the room")) {
                try await LiveKitTestClient.connect(server.port, "/rtc", token: nil)
            }
        }
    }

    @Test func fullRoomsAreRefused() async throws {
        try await withCallServer {
            $0.limits.participantsPerRoom = 1
        } _: { server in
            let alice = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
            _ = try await alice.next(\.joining)
            await #expect(
                throws: LiveKitTestClient.Refused(status: 429, body: "room has exceeded its max participants")
            ) {
                try await LiveKitTestClient.join(server.port, token: TestTokens.join("b"))
            }
            _ = try await LiveKitTestClient.join(server.port, token: TestTokens.join("b", room: "other"))
        }
    }

    @Test func theAnswerToAJoin() async throws {
        try await withCallServer { server in
            let token = TestTokens.join("alice") { $0.canUpdateOwnMetadata = true }
            let alice = try await LiveKitTestClient.join(server.port, token: token) { $0.metadata = "m" }
            let join = try #require(try await alice.next().joining)
            #expect(join.room.name == "r" && join.room.sid.hasPrefix("RM_"))
            #expect(join.participant.identity == "alice" && join.participant.sid.hasPrefix("PA_"))
            #expect(join.participant.state == .joining && join.participant.metadata == "m")
            #expect(!join.subscriberPrimary && join.fastPublish)
            #expect(join.pingInterval == 5 && join.pingTimeout == 15)
            #expect(join.serverInfo.protocol == 17)
            #expect(join.iceServers.isEmpty)
            let refreshed = try await alice.next().refreshToken
            let claims = try AccessToken.verify(
                refreshed, secrets: ["key": "secret"], now: Date().timeIntervalSince1970)
            #expect(claims.identity == "alice" && claims.video?.room == "r")
            alice.send(.with { $0.pingReq.timestamp = 77 })
            #expect(try await alice.next().pongResp.lastPingTimestamp == 77)
            alice.send(.with { $0.leave.reason = .clientInitiated })
            #expect(try await alice.next().leave.reason == .clientInitiated)
            #expect(try await alice.frame().closeCode == 1000)
        }
    }

    @Test func sameIdentityTakesThePlace() async throws {
        try await withCallServer { server in
            let first = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
            let sid = try await first.next(\.joining).participant.sid
            let second = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
            let join = try await second.next(\.joining)
            #expect(join.participant.sid != sid && join.otherParticipants.isEmpty)
            let leave = try await first.next(\.leaving)
            #expect(leave.reason == .duplicateIdentity && leave.action == .disconnect)
        }
    }

    @Test func resumeBecomesAFreshJoin() async throws {
        try await withCallServer { server in
            let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a")) {
                $0.reconnect = true
                $0.participantSid = "PA_gone"
            }
            let leave = try await client.next(\.leaving)
            #expect(leave.reason == .stateMismatch && leave.action == .reconnect)
        }
    }

    @Test func hiddenParticipantsAreNotListed() async throws {
        try await withCallServer { server in
            let ghost = try await LiveKitTestClient.join(
                server.port, token: TestTokens.join("ghost") { $0.hidden = true })
            _ = try await ghost.next(\.joining)
            let alice = try await LiveKitTestClient.join(server.port, token: TestTokens.join("alice"))
            #expect(try await alice.next(\.joining).otherParticipants.isEmpty)
        }
    }

    @Test func malformedSignallingEndsThatConnectionAlone() async throws {
        try await withCallServer { server in
            let good = try await LiveKitTestClient.join(server.port, token: TestTokens.join("good"))
            _ = try await good.next(\.joining)
            for (index, bytes) in [[0x0a, 0xff], [0xff]].enumerated() as EnumeratedSequence<[[UInt8]]> {
                let bad = try await LiveKitTestClient.join(server.port, token: TestTokens.join("bad\(index)"))
                _ = try await bad.next(\.joining)
                bad.send(bytes: bytes)
                try await bad.untilClosed()
                // On a slow machine all this takes longer than a server waits for a sign of life.
                good.send(.with { $0.ping = 1 })
            }
            for message in [
                Livekit_SignalRequest.with { $0.offer.sdp = "nonsense" },
                .with { $0.answer.sdp = "v=0" }, .with { $0.trickle.candidateInit = "{" },
            ] {
                let bad = try await LiveKitTestClient.join(server.port, token: TestTokens.join("bad"))
                _ = try await bad.next(\.joining)
                bad.send(message)
                try await bad.untilClosed()
                good.send(.with { $0.ping = 1 })
            }
            // What a newer client might say is let be.
            good.send(bytes: [0xa0, 0x38, 0x05])
            good.send(.with { $0.ping = 1 })
            #expect(try await good.next { $0.pong == 0 ? nil : $0.pong } > 0)
        }
    }

    @Test func textFramesAreAnsweredInJSON() async throws {
        try await withCallServer { server in
            let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
            _ = try await client.next(\.joining)
            _ = try await client.next()
            client.send(text: #"{"pingReq":{"timestamp":"5"}}"#)
            let frame = try await client.frame()
            #expect(frame.opcode == 1)
            #expect(try Livekit_SignalResponse(wireJSON: frame.text).pongResp.lastPingTimestamp == 5)
        }
    }

    @Test func whoeverDoesNotConnectIsRemoved() async throws {
        var timing = RoomTiming()
        timing.join = 50
        try await withCallServer(timing: timing) { server in
            let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
            #expect(try await client.next(\.leaving).reason == .joinFailure)
            try await client.untilClosed()
            #expect(await server.statistics().participants == 0)
        }
    }

    @Test func startErrorsSayWhatToDo() async throws {
        try await withCallServer { server in
            var configuration = CallServerConfiguration(keys: ["k": "s"])
            configuration.port = server.port
            let second = CallServer(configuration: configuration)
            await #expect(throws: CallServerError.self) { try await second.start() }
            await #expect(throws: CallServerError.alreadyStarted) { try await second.start() }
        }
        let keyless = CallServer(configuration: CallServerConfiguration(keys: [:]))
        await #expect(throws: CallServerError.self) { try await keyless.start() }
    }

    @Test func stoppingSaysGoodbye() async throws {
        var configuration = CallServerConfiguration(keys: ["key": "secret"])
        configuration.port = 0
        let server = CallServer(configuration: configuration)
        try await server.start()
        let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
        _ = try await client.next(\.joining)
        await server.stop()
        #expect(try await client.next(\.leaving).reason == .serverShutdown)
        try await client.untilClosed()
        #expect(server.port == 0)
    }
}
