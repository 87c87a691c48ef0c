import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// Who is let in, who goes and what everybody is told of it.
@Suite(.timeLimit(.minutes(10))) struct LiveKitLifeTests {
    @Test func roomsAreNotOpenedWhereThatIsOff() async throws {
        try await withCallServer {
            $0.rooms.autoCreates = false
        } _: { server in
            await #expect(throws: LiveKitTestClient.Refused(status: 404, body: "requested room does not exist")) {
                try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
            }
            #expect(await server.statistics().rooms == 0)
        }
    }

    /// A full room has place for those who are in it: by a resume, and by a fresh join.
    @Test func whoeverIsInAFullRoomCanComeBack() async throws {
        try await withCallServer {
            $0.limits.participantsPerRoom = 1
        } _: { server in
            var alice = try await Caller.join(server, "alice", seed: 41)
            alice.signal.drop()
            _ = try await alice.resume(server, "alice")
            let error = await #expect(throws: LiveKitTestClient.Refused.self) {
                try await LiveKitTestClient.join(server.port, token: TestTokens.join("bob"))
            }
            #expect(error?.status == 429)
            let again = try await LiveKitTestClient.join(server.port, token: TestTokens.join("alice"))
            #expect(try await again.next(\.joining).participant.sid != alice.join.participant.sid)
            #expect(try await alice.signal.next(\.leaving).reason == .duplicateIdentity)
            try await alice.media.close()
        }
    }

    /// A resume does not bring a room to life.
    @Test func aResumeOpensNoRoom() async throws {
        try await withCallServer { server in
            let client = try await LiveKitTestClient.resume(server.port, "alice", sid: "PA_gone")
            let leave = try await client.next(\.leaving)
            #expect(leave.reason == .stateMismatch && leave.action == .reconnect)
            #expect(await server.statistics().rooms == 0)
        }
    }

    @Test func olderClientsAreToldInTheirWords() async throws {
        try await withCallServer { server in
            let path = "/rtc?protocol=9&reconnect=1&sid=PA_gone"
            let client = try await LiveKitTestClient.connect(server.port, path, token: TestTokens.join("a"))
            let leave = try await client.next(\.leaving)
            #expect(leave.canReconnect && leave.action == .disconnect && leave.reason == .stateMismatch)
            let reader = try await LiveKitTestClient.connect(
                server.port, "/rtc?protocol=9", token: TestTokens.join("reader") { $0.canSubscribe = false })
            #expect(try await reader.next(\.joining).subscriberPrimary == false)
        }
    }

    @Test func aSecondConnectionThatOnlyPublishes() async throws {
        try await withCallServer { server in
            let client = try await LiveKitTestClient.connect(
                server.port, "/rtc?protocol=16&publish=screen", token: TestTokens.join("a"))
            let me = try await client.next(\.joining).participant
            #expect(me.identity == "a#screen" && me.permission.canPublish && !me.permission.canSubscribe)
        }
    }

    @Test func theNumberOfParticipantsIsTold() async throws {
        var timing = RoomTiming()
        timing.roomUpdates = 20
        try await withCallServer(timing: timing) { server in
            let alice = try await Caller.join(server, "alice", seed: 42)
            let bob = try await LiveKitTestClient.join(server.port, token: TestTokens.join("bob"))
            _ = try await bob.next(\.joining)
            func participants(_ count: UInt32) async throws {
                _ = try await alice.signal.next { response -> Bool? in
                    guard case .roomUpdate(let update) = response.message else { return nil }
                    return update.room.numParticipants == count ? true : nil
                }
            }
            try await participants(2)
            bob.send(.with { $0.leave.reason = .userRejected })
            try await participants(1)
            try await alice.media.close()
        }
    }

    @Test func theClientsReasonIsPassedOn() async throws {
        var timing = RoomTiming()
        timing.participantUpdates = 10
        try await withCallServer(timing: timing) { server in
            let alice = try await Caller.join(server, "alice", seed: 43)
            for (client, told) in [
                (Livekit_DisconnectReason.userRejected, Livekit_DisconnectReason.userRejected),
                (.roomDeleted, .clientInitiated), (.clientInitiated, .clientInitiated),
            ] {
                let bob = try await LiveKitTestClient.join(server.port, token: TestTokens.join("bob"))
                _ = try await bob.next(\.joining)
                bob.send(.with { $0.leave.reason = client })
                let gone = try await alice.signal.participant("bob") { $0.state == .disconnected }
                #expect(gone.disconnectReason == told)
            }
            try await alice.media.close()
        }
    }

    /// The token for coming back says what holds now.
    @Test func refreshedTokensAreUpToDate() async throws {
        var timing = RoomTiming()
        timing.tokenRefresh = 30
        try await withCallServer(timing: timing) { server in
            let token = TestTokens.join("a", expires: 30) { $0.canUpdateOwnMetadata = true }
            let client = try await LiveKitTestClient.join(server.port, token: token)
            func refreshed(_ isIt: (TokenClaims) -> Bool) async throws -> TokenClaims {
                while true {
                    let token = try await client.next { response -> String? in
                        if case .refreshToken(let token) = response.message { token } else { nil }
                    }
                    let claims = try AccessToken.verify(
                        token, secrets: ["key": "secret"], now: Date().timeIntervalSince1970)
                    if isIt(claims) { return claims }
                }
            }
            let first = try await refreshed { _ in true }
            let lifetime = (first.expires ?? 0) - (first.notBefore ?? 0)
            #expect(lifetime == 600)
            client.send(.with { $0.updateMetadata.name = "Ann" })
            let second = try await refreshed { $0.name == "Ann" }
            #expect(second.video?.canUpdateOwnMetadata == true && second.video?.room == "r" && second.identity == "a")
        }
    }

    @Test func anUnansweredOfferEndsInAFullReconnect() async throws {
        var timing = RoomTiming()
        timing.negotiation = 30
        try await withCallServer(timing: timing) { server in
            let client = try await LiveKitTestClient.connect(
                server.port, "/rtc?protocol=16", token: TestTokens.join("a"))
            _ = try await client.next(\.offering)
            let leave = try await client.next(\.leaving)
            #expect(leave.reason == .stateMismatch && leave.action == .reconnect)
            #expect(await server.statistics().participants == 0)
        }
    }

    // MARK: What test clients ask for

    @Test func simulatedLossesLookLikeRealOnes() async throws {
        try await withCallServer { server in
            for (index, scenario) in [
                Livekit_SimulateScenario.OneOf_Scenario.nodeFailure(true), .migration(true),
            ].enumerated() {
                var alice = try await Caller.join(server, "alice", seed: 50 + UInt64(index))
                alice.signal.send(.with { $0.simulate.scenario = scenario })
                // Without a word, and what was is not known any more. Browsers come back after anything but 1000.
                while true {
                    let frame = try await alice.signal.frame()
                    if frame.opcode == 8 {
                        #expect(frame.closeCode == 1001)
                        break
                    }
                    #expect(try Livekit_SignalResponse(wireBytes: frame.payload).leaving == nil)
                }
                alice.signal = try await LiveKitTestClient.resume(
                    server.port, "alice", sid: alice.join.participant.sid)
                #expect(try await alice.signal.next(\.leaving).action == .reconnect)
                try await alice.media.close()
            }
        }
    }

    @Test func simulatedLeaves() async throws {
        try await withCallServer { server in
            for (scenario, reason, action) in [
                (
                    Livekit_SimulateScenario.OneOf_Scenario.serverLeave(true), Livekit_DisconnectReason.serverShutdown,
                    Livekit_LeaveRequest.Action.disconnect
                ), (.leaveRequestFullReconnect(true), .clientInitiated, .reconnect),
            ] {
                let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
                _ = try await client.next(\.joining)
                client.send(.with { $0.simulate.scenario = scenario })
                let leave = try await client.next(\.leaving)
                #expect(leave.reason == reason && leave.action == action)
                try await client.untilClosed()
            }
        }
    }

    @Test func simulatedDisconnectionsAtTheNextResume() async throws {
        try await withCallServer { server in
            var alice = try await Caller.join(server, "alice", seed: 61)
            let sid = alice.join.participant.sid
            alice.signal.send(.with { $0.simulate.disconnectSignalOnResumeNoMessages = true })
            try await alice.signal.untilClosed()
            alice.signal = try await LiveKitTestClient.resume(server.port, "alice", sid: sid)
            #expect(try await alice.signal.frame().closeCode == 1001)
            // The one after that goes through: the session has stayed.
            _ = try await alice.resume(server, "alice")
            alice.signal.send(.with { $0.simulate.disconnectSignalOnResume = true })
            try await alice.signal.untilClosed()
            alice.signal = try await LiveKitTestClient.resume(server.port, "alice", sid: sid)
            guard case .reconnect = try await alice.signal.next().message else {
                Issue.record("no reconnect response before the close")
                return
            }
            try await alice.signal.untilClosed()
            _ = try await alice.resume(server, "alice")
            try await alice.media.close()
        }
    }

    @Test func simulatedSpeaking() async throws {
        try await withCallServer { server in
            let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("a"))
            let sid = try await client.next(\.joining).participant.sid
            client.send(.with { $0.simulate.speakerUpdate = 0 })
            for level in [Float(0.9), 0] {
                let speakers = try await client.next { response -> [Livekit_SpeakerInfo]? in
                    if case .speakersChanged(let changed) = response.message { changed.speakers } else { nil }
                }
                #expect(speakers.map(\.sid) == [sid] && speakers.map(\.level) == [level])
                #expect(speakers.first?.active == (level > 0))
            }
        }
    }
}

@Suite struct SignalBacklogTests {
    @Test func whatTheResumeSaysAnywayIsNotKept() {
        var backlog = SignalBacklog()
        for message in [
            Livekit_SignalResponse.with { $0.update = .init() }, .with { $0.roomUpdate = .init() },
            .with { $0.refreshToken = "t" }, .with { $0.offer = .init() }, .with { $0.answer = .init() },
            .with { $0.trickle = .init() }, .with { $0.mediaSectionsRequirement = .init() }, .init(),
        ] { backlog.keep(message, bytes: 1) }
        #expect(backlog.messages.isEmpty)
        backlog.keep(.with { $0.mute.sid = "TR_1" }, bytes: 1)
        backlog.keep(.with { $0.trackPublished.cid = "c" }, bytes: 1)
        #expect(backlog.drain().map(\.mute.sid) == ["TR_1", ""] && backlog.messages.isEmpty)
    }

    /// Sent or not, what is said again is the newest.
    @Test(arguments: [0, 2, 3]) func levelsAndQualitiesAreMerged(sent: Int) {
        var backlog = SignalBacklog()
        for (index, (sid, level)) in [("a", Float(0.5)), ("b", 0.25), ("a", 0)].enumerated() {
            let number = index < sent ? index + 1 : nil
            backlog.keep(
                .with {
                    $0.speakersChanged.speakers = [
                        .with {
                            $0.sid = sid
                            $0.level = level
                        }
                    ]
                }, number: number, bytes: 1)
            backlog.keep(
                .with {
                    $0.connectionQuality.updates = [
                        .with {
                            $0.participantSid = sid
                            $0.score = level
                        }
                    ]
                }, number: number, bytes: 1)
            backlog.keep(.with { $0.subscribedQualityUpdate.trackSid = sid }, number: number, bytes: 1)
        }
        let messages = backlog.drain()
        #expect(messages.count == 4)
        #expect(messages.map(\.speakersChanged.speakers).joined().map(\.level) == [0.25, 0])
        #expect(messages.map(\.connectionQuality.updates).joined().map(\.participantSid) == ["b", "a"])
        #expect(messages.map(\.subscribedQualityUpdate.trackSid).filter { !$0.isEmpty } == ["b", "a"])
    }

    @Test func theBacklogIsBounded() {
        var backlog = SignalBacklog()
        func mute(_ index: Int) -> Livekit_SignalResponse { .with { $0.mute.sid = "\(index)" } }
        for index in 0..<(SignalBacklog.limit + 10) { backlog.keep(mute(index), bytes: 1) }
        #expect(backlog.messages.count == SignalBacklog.limit && backlog.messages.first?.mute.sid == "10")
        for index in 0..<5 { backlog.keep(mute(index), bytes: SignalBacklog.byteLimit / 3) }
        #expect(backlog.messages.map(\.mute.sid) == ["2", "3", "4"])
        backlog.keep(mute(5), bytes: SignalBacklog.byteLimit + 1)
        #expect(backlog.messages.count == 3)
    }

    @Test func whatTheClientHasGotIsForgotten() {
        var backlog = SignalBacklog()
        func kept() -> [String] { backlog.messages.map(\.mute.sid) }
        for number in 1...4 { backlog.keep(.with { $0.mute.sid = "\(number)" }, number: number, bytes: 1) }
        backlog.keep(.with { $0.mute.sid = "away" }, bytes: 1)
        backlog.confirm(first: 2)
        #expect(kept() == ["3", "4", "away"])
        backlog.confirm(first: 1)
        backlog.forgetMute(of: "3")
        #expect(kept() == ["4", "away"])
        backlog.confirm(first: .max)
        #expect(kept() == ["away"])
    }
}
