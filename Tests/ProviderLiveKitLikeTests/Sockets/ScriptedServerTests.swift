import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// What the client says and does where a server is not as kind as ours.
@Suite(.timeLimit(.minutes(10))) struct ScriptedServerTests {
    private static func join(
        _ server: ScriptedServer, mode: LiveKitLikeProvider.Mode = .automatic
    ) async throws -> (Call, CallBridge) {
        try await join(server.port, mode: mode)
    }

    private static func join(_ port: Int, mode: LiveKitLikeProvider.Mode) async throws -> (Call, CallBridge) {
        let descriptor = CallDescriptor(
            callId: "c", conversationId: "c", provider: .liveKit, serviceProviderCallId: "room",
            endpoint: "ws://127.0.0.1:\(port)", credentials: .init(token: "first"))
        let bridge = CallBridge(
            configuration: .init(
                descriptors: FixedDescriptorSource(descriptor), providers: [.liveKitLike(mode: mode)]))
        do {
            return (try await bridge.join(conversation: "c"), bridge)
        } catch {
            await bridge.shutdown()
            throw error
        }
    }

    private static func refusal(
        mode: LiveKitLikeProvider.Mode = .automatic,
        _ answer: @escaping @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Answer
    ) async throws -> (CallError?, [String]) {
        let server = try await ScriptedServer.start(answer)
        let error = await #expect(throws: CallError.self) { _ = try await join(server, mode: mode) }
        await server.stop()
        return (error, server.paths)
    }

    @Test func onlyAnUnknownPathFallsBack() async throws {
        let server = try await ScriptedServer.start { request, _ in
            request.path == "/rtc" ? .socket([ScriptedServer.join()]) : .status(404, "")
        }
        let (call, bridge) = try await Self.join(server)
        #expect(server.paths == ["/rtc/v1", "/rtc"], "404 is not asked about")
        #expect(server.requests[1].query["auto_subscribe"] == "1")
        #expect(server.requests[1].query["adaptive_stream"] == "0")
        await call.leave()
        await bridge.shutdown()
        await server.stop()
    }

    @Test(arguments: [400, 401, 403]) func aRefusalIsAskedAboutAndNotRepeated(status: Int) async throws {
        let (error, paths) = try await Self.refusal { request, _ in
            request.path.hasSuffix("/validate") ? .status(status, "the server's own words") : .status(status, "short")
        }
        #expect(paths == ["/rtc/v1", "/rtc/v1/validate"])
        #expect(error?.message.contains("the server's own words") == true)
        #expect(error?.message.contains("\(status)") == true)
        #expect(error?.code == .providerRefused)
    }

    @Test func aClosedSocketIsTriedFourTimes() async throws {
        let (error, paths) = try await Self.refusal { _, _ in .socket([nil]) }
        #expect(paths == Array(repeating: "/rtc/v1", count: 4), "once, and three times again")
        #expect(error?.message.contains("join response") == true)
    }

    @Test func aServerThatSendsUsAwaySaysWhy() async throws {
        let (error, paths) = try await Self.refusal { _, _ in
            .socket([.with { $0.leave.reason = .duplicateIdentity }])
        }
        #expect(paths == ["/rtc/v1"])
        #expect(error?.message.contains("the same identity") == true)
    }

    /// The reasons with which a server ends our participation, as the call tells them.
    @Test(
        arguments: [
            (Livekit_DisconnectReason.roomDeleted, CallEndReason.conversationEnded),
            (.participantRemoved, .unknown), (.serverShutdown, .systemShutdown), (.userRejected, .declined),
        ]) func aFinalLeaveEndsTheCall(reason: Livekit_DisconnectReason, end: CallEndReason) async throws
    {
        let server = try await ScriptedServer.start { request, _ in
            .socket([ScriptedServer.join(), .with { $0.leave.reason = reason }])
        }
        let (call, bridge) = try await Self.join(server, mode: .twoConnections)
        var events = call.events.makeAsyncIterator()
        let ended = await events.first { event -> (CallEndReason, String)? in
            if case .ended(let reason, let detail) = event { (reason, detail) } else { nil }
        }
        // The call may have ended before we looked.
        if let ended {
            #expect(ended.0 == end)
            #expect(ended.1.contains(reason.explanation))
        }
        #expect(await call.state == .ended)
        #expect(server.paths == ["/rtc"], "nothing is tried again")
        await bridge.shutdown()
        await server.stop()
    }

    /// A resume names the participant and the reason, and uses the newest token; a refused token ends the call.
    @Test func aResumeUsesTheFreshTokenAndARefusalIsFinal() async throws {
        let server = try await ScriptedServer.start { request, number in
            switch number {
            case 0: .socket([ScriptedServer.join(), .with { $0.refreshToken = "second" }, nil])
            default: .status(401, "invalid token: expired")
            }
        }
        let (call, bridge) = try await Self.join(server, mode: .twoConnections)
        var events = call.events.makeAsyncIterator()
        while await events.next() != nil {}
        #expect(await call.state == .ended)
        #expect(server.paths == ["/rtc", "/rtc", "/rtc/validate"])
        let resume = server.requests[1]
        #expect(resume.token == "second")
        #expect(resume.query["reconnect"] == "1")
        #expect(resume.query["sid"] == "PA_me")
        #expect(resume.query["reconnect_reason"] == "\(Livekit_ReconnectReason.rrSignalDisconnected.rawValue)")
        await bridge.shutdown()
        await server.stop()
    }

    /// A server that no longer knows the session says so, and is joined afresh under the same ids.
    @Test func anUnknownSessionIsJoinedAfresh() async throws {
        let server = try await ScriptedServer.start { request, number in
            switch number {
            case 0: .socket([ScriptedServer.join(), nil])
            case 1:
                .socket([
                    .with {
                        $0.leave.reason = .stateMismatch
                        $0.leave.action = .reconnect
                    }
                ])
            default: .status(403, "enough")
            }
        }
        let (call, bridge) = try await Self.join(server, mode: .twoConnections)
        var events = call.events.makeAsyncIterator()
        while await events.next() != nil {}
        #expect(server.paths == ["/rtc", "/rtc", "/rtc", "/rtc/validate"])
        #expect(server.requests[1].query["reconnect"] == "1")
        #expect(server.requests[2].query["reconnect"] == nil, "a fresh join")
        await bridge.shutdown()
        await server.stop()
    }

    /// The demand comes in the segment of the answer to the upgrade, and the socket ends with it, without a close frame.
    @Test(arguments: LiveKitLikeProvider.Mode.allCases.filter { $0 != .automatic })
    func aDemandInTheUpgradesLastBytesCounts(mode: LiveKitLikeProvider.Mode) async throws {
        for _ in 0..<5 {
            let server = try await OneShotServer.start { number in
                switch number {
                case 0: [ScriptedServer.join()]
                case 1:
                    [
                        .with {
                            $0.leave.reason = .stateMismatch
                            $0.leave.action = .reconnect
                        }
                    ]
                default: nil
                }
            }
            let (call, bridge) = try await Self.join(server.port, mode: mode)
            var events = call.events.makeAsyncIterator()
            while await events.next() != nil {}
            #expect(server.resumes.prefix(3) == [false, true, false], "joined, resumed, and joined afresh at once")
            await bridge.shutdown()
            await server.stop()
        }
    }

    /// A server that restarts ICE has forgotten our candidates, and drops those that come before the answer with their
    /// credentials: media would wait for a check that is repeated after half a second.
    @Test func noCandidateOvertakesItsDescription() async throws {
        let engine = MediaEngine()
        let side = try await MediaSession(engine: engine)
        try await side.addReceivers(audio: 1, video: 0)
        var offers: [Livekit_SignalResponse] = []
        for number in 1...6 {
            let sdp = try await side.createOffer(restartingICE: number > 1).sdp
            offers.append(
                .with {
                    $0.offer.type = "offer"
                    $0.offer.sdp = sdp
                    $0.offer.id = UInt32(number)
                })
        }
        let script = offers
        let server = try await ScriptedServer.start { _, _ in .socket([ScriptedServer.join()] + script) }
        let (call, bridge) = try await Self.join(server, mode: .twoConnections)
        var described: Set<String> = []
        var early: [String] = []
        var answers = 0
        for await message in server.messages {
            switch message.message {
            case .answer(let answer):
                answers += 1
                described.insert(try #require(Self.ufrag(answer.sdp)))
                if answers > 1 { #expect(answer.sdp.contains("a=candidate:"), "who restarts knows none any more") }
            case .trickle(let trickle) where trickle.target == .subscriber:
                let candidate = try #require(CandidateJSON.decode(trickle.candidateInit))
                let ufrag = try #require(candidate.usernameFragment)
                if !described.contains(ufrag) { early.append(ufrag) }
            default: break
            }
            if answers == script.count { break }
        }
        #expect(early.isEmpty)
        #expect(described.count == script.count)
        await call.leave()
        await bridge.shutdown()
        await server.stop()
        await side.close()
        await engine.shutdown()
    }

    private static func ufrag(_ sdp: String) -> String? {
        sdp.components(separatedBy: "\r\n").first { $0.hasPrefix("a=ice-ufrag:") }.map { String($0.dropFirst(12)) }
    }

    @Test func requestsAboutOurselvesAreAnswered() async throws {
        let server = try await ScriptedServer.start { _, _ in
            .socket([
                ScriptedServer.join { $0.participant.name = "me" },
                .with {
                    $0.requestResponse.requestID = 1
                    $0.requestResponse.reason = .ok
                },
                .with {
                    $0.update.participants = [
                        .with { ($0.sid, $0.identity, $0.state) = ("PA_late", "ada", .active) }
                    ]
                },
            ])
        }
        let (call, bridge) = try await Self.join(server, mode: .twoConnections)
        // Ada comes behind the answer: when she is there, that has been read.
        for await event in call.events { if case .participantJoined = event { break } }
        async let change: Void = call.setMetadata("hello")
        var sent: Livekit_UpdateParticipantMetadata?
        for await message in server.messages {
            guard case .updateMetadata(let update) = message.message else { continue }
            sent = update
            break
        }
        #expect(sent?.metadata == "hello")
        #expect(sent?.name == "me", "what stays is said as it is")
        #expect(sent?.requestID == 1)
        // The script's answer came before the question: nobody answers, and that is said.
        var failure: CallError?
        do { try await change } catch let error as CallError { failure = error }
        #expect(failure?.message.contains("within 5 s") == true)
        await call.leave()
        await bridge.shutdown()
        await server.stop()
    }

    /// A server that carries us over to another room keeps the connections: the people change, and so does what a resume
    /// says.
    @Test func aMoveToAnotherRoomKeepsTheCall() async throws {
        @Sendable func person(_ sid: String, _ identity: String) -> Livekit_ParticipantInfo {
            .with {
                $0.sid = sid
                $0.identity = identity
                $0.state = .active
            }
        }
        let server = try await ScriptedServer.start { _, number in
            guard number == 0 else { return .status(401, "invalid token: expired") }
            return .socket([
                ScriptedServer.join { $0.otherParticipants = [person("PA_old", "ada")] },
                .with {
                    $0.roomMoved.room.name = "next room"
                    $0.roomMoved.token = "of the next room"
                    $0.roomMoved.participant = person("PA_moved", "me")
                    $0.roomMoved.otherParticipants = [person("PA_new", "bob"), person("PA_newer", "cleo")]
                },
                nil,
            ])
        }
        let (call, bridge) = try await Self.join(server, mode: .twoConnections)
        // What happened before we looked is told as it stands then.
        var present: Set<String> = []
        for await event in call.events {
            switch event {
            case .participantJoined(let who): present.insert(who.identity)
            case .participantLeft(let who, _): present.remove(who.identity)
            default: break
            }
        }
        #expect(present == ["bob", "cleo"])
        #expect(server.paths == ["/rtc", "/rtc", "/rtc/validate"])
        #expect(server.requests[1].token == "of the next room")
        #expect(server.requests[1].query["sid"] == "PA_moved")
        await bridge.shutdown()
        await server.stop()
    }
}
