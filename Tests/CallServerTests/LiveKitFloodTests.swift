import Foundation
import LiveKitProtocol
import RTCTransport
import RTCWire
import Testing

@testable import CallServer

extension Livekit_SignalResponse {
    fileprivate var refusing: Livekit_RequestResponse? {
        if case .requestResponse(let response) = message { response } else { nil }
    }
}

/// What one participant asks for without end, and what the others notice of it.
@Suite(.timeLimit(.minutes(10))) struct LiveKitFloodTests {
    /// Somebody in another room gets answers, and no single message held the loop.
    private func expectCalm(_ server: CallServer, _ victim: LiveKitTestClient) async throws {
        victim.send(.with { $0.pingReq.timestamp = 4711 })
        _ = try await victim.next { $0.pongResp.lastPingTimestamp == 4711 ? true : nil }
        let longest = server.stalls.longest(.message)
        print("longest message:", longest?.kind ?? "-", longest?.held.milliseconds ?? 0, "ms")
        #expect(server.stalls.stalls == 0, "\(server.stalls.holds.prefix(3))")
    }

    private func withVictim(
        _ log: LogBook = LogBook(), limits: CallServerConfiguration.Limits = .init(),
        _ body: (CallServer, LiveKitTestClient) async throws -> Void
    ) async throws {
        // Nobody here has media to connect; a busy machine may take longer than they are given for it.
        var timing = RoomTiming()
        timing.join = 3_600_000
        try await withCallServer(timing: timing) {
            $0.logger = log.logger
            $0.limits = limits
        } _: { server in
            let victim = try await LiveKitTestClient.join(server.port, token: TestTokens.join("victim", room: "other"))
            _ = try await victim.next(\.joining)
            try await body(server, victim)
        }
    }

    private func untilClosed(_ client: LiveKitTestClient) async throws -> Int? {
        while true {
            let frame = try await client.frame()
            if frame.opcode == 8 { return frame.closeCode }
        }
    }

    @Test func aListOfEmptyNamesIsOneRefusal() async throws {
        let log = LogBook()
        try await withVictim(log) { server, victim in
            let mallory = try await LiveKitTestClient.join(server.port, token: TestTokens.join("mallory"))
            _ = try await mallory.next(\.joining)
            server.stalls.reset()
            mallory.send(.with { $0.subscription.trackSids = [String](repeating: "", count: 200_000) })
            #expect(try await untilClosed(mallory) == 1009)
            #expect(log.contains("signalling message refused"))
            try await expectCalm(server, victim)
        }
    }

    @Test func unknownTracksAreAnsweredOnceEachAndNotWithoutEnd() async throws {
        try await withVictim { server, victim in
            let mallory = try await LiveKitTestClient.join(server.port, token: TestTokens.join("mallory"))
            _ = try await mallory.next(\.joining)
            server.stalls.reset()
            mallory.send(.with { $0.subscription.trackSids = (0..<9_000).map { "TR_\($0 % 1_500)" } + ["", ""] })
            mallory.send(.with { $0.pingReq.timestamp = 1 })
            var answers: [String] = []
            while true {
                let message = try await mallory.next()
                if message.pongResp.lastPingTimestamp == 1 { break }
                if case .subscriptionResponse(let response) = message.message { answers.append(response.trackSid) }
            }
            #expect(answers.count == 100 && Set(answers).count == 100)
            try await expectCalm(server, victim)
        }
    }

    /// Twenty thousand at once: they have their turn, and nobody waits on them.
    @Test func aFloodIsSlowedDown() async throws {
        let log = LogBook()
        try await withVictim(log) { server, victim in
            let token = TestTokens.join("mallory") { $0.canUpdateOwnMetadata = true }
            let mallory = try await LiveKitTestClient.join(server.port, token: token)
            _ = try await mallory.next(\.joining)
            server.stalls.reset()
            var frames: [UInt8] = []
            for index in 0..<20_000 {
                let request = Livekit_SignalRequest.with {
                    if index % 2 == 0 { $0.addTrack.cid = "c\(index)" } else { $0.updateMetadata.name = "n\(index)" }
                }
                frames += WebSocketBytes.frame(2, request.wireBytes)
            }
            mallory.send(raw: frames)
            await log.until("slowed down")
            try await expectCalm(server, victim)
            // Of the tracks as many are announced as may be, of the rest it is said that they are too many.
            #expect(try await mallory.next(\.refusing).reason == .ok)
            #expect(try await mallory.next { $0.requestResponse.reason == .limitExceeded ? true : nil })
        }
    }

    /// Sixty kilobytes at a time, and never the same names.
    @Test func attributesAreBoundedInSum() async throws {
        try await withVictim { server, victim in
            let token = TestTokens.join("mallory") { $0.canUpdateOwnMetadata = true }
            let mallory = try await LiveKitTestClient.join(server.port, token: token)
            _ = try await mallory.next(\.joining)
            var reasons: [Livekit_RequestResponse.Reason] = []
            for index in 0..<4 {
                mallory.send(
                    .with { $0.updateMetadata.attributes = ["k\(index)": String(repeating: "v", count: 60_000)] })
                reasons.append(try await mallory.next(\.refusing).reason)
            }
            #expect(reasons == [.ok, .limitExceeded, .limitExceeded, .limitExceeded])
            let newcomer = try await LiveKitTestClient.join(server.port, token: TestTokens.join("newcomer"))
            let join = try await newcomer.next(\.joining)
            #expect(join.otherParticipants.first?.attributes.count == 1)
            try await expectCalm(server, victim)
        }
    }

    /// Each keeps to the bounds, and together they would be more than what a newcomer's client takes.
    @Test func aJoinResponseFitsWhateverAllHaveSaid() async throws {
        var limits = CallServerConfiguration.Limits()
        limits.roomDescription = 60_000
        let metadata = String(repeating: "m", count: 16_000)
        try await withVictim(limits: limits) { server, victim in
            var clients: [LiveKitTestClient] = []
            var reasons: [Livekit_RequestResponse.Reason] = []
            for index in 0..<6 {
                let token = TestTokens.join("m\(index)") { $0.canUpdateOwnMetadata = true }
                let client = try await LiveKitTestClient.join(server.port, token: token)
                _ = try await client.next(\.joining)
                client.send(.with { $0.updateMetadata.metadata = metadata })
                reasons.append(try await client.next(\.refusing).reason)
                clients.append(client)
            }
            #expect(reasons.filter { $0 == .ok }.count == 3 && reasons.last == .limitExceeded)
            let newcomer = try await LiveKitTestClient.join(server.port, token: TestTokens.join("newcomer"))
            let join = try await newcomer.next(\.joining)
            #expect(join.otherParticipants.count == 6 && join.wireBytes.count < 61_000)
            // What one takes back is free for others.
            clients[0].send(.with { $0.leave.reason = .clientInitiated })
            _ = try await clients[0].next(\.leaving)
            clients[5].send(.with { $0.updateMetadata.metadata = metadata })
            #expect(try await clients[5].next(\.refusing).reason == .ok)
            try await expectCalm(server, victim)
        }
    }

    /// One who comes again with more than there is room for is refused, and loses nothing.
    @Test func aRefusedNewcomerLeavesItsEarlierSelfAlone() async throws {
        var limits = CallServerConfiguration.Limits()
        limits.roomDescription = 20_000
        try await withVictim(limits: limits) { server, victim in
            let token = TestTokens.join("ann") { $0.canUpdateOwnMetadata = true }
            let ann = try await LiveKitTestClient.join(server.port, token: token) { $0.metadata = "here" }
            _ = try await ann.next(\.joining)
            let again = try await LiveKitTestClient.join(server.port, token: token) {
                $0.metadata = String(repeating: "m", count: 30_000)
            }
            #expect(try await again.next(\.leaving).reason == .joinFailure)
            ann.send(.with { $0.updateMetadata.metadata = "still here" })
            #expect(try await ann.next(\.refusing).reason == .ok)
            let newcomer = try await LiveKitTestClient.join(server.port, token: TestTokens.join("newcomer"))
            let others = try await newcomer.next(\.joining).otherParticipants
            #expect(others.first { $0.identity == "ann" }?.metadata == "still here")
            try await expectCalm(server, victim)
        }
    }

    @Test func connectionsThatPublishAreNamedAndCounted() async throws {
        try await withVictim { server, _ in
            let token = TestTokens.join("mallory")
            for name in ["a%0Aforged", String(repeating: "x", count: 65), "%1B%5B2J"] {
                let error = await #expect(throws: LiveKitTestClient.Refused.self) {
                    try await LiveKitTestClient.connect(server.port, "/rtc?protocol=17&publish=\(name)", token: token)
                }
                #expect(error?.status == 400)
            }
            var clients: [LiveKitTestClient] = []
            for index in 0..<4 {
                let path = "/rtc?protocol=17&publish=screen\(index)"
                clients.append(try await LiveKitTestClient.connect(server.port, path, token: token))
                _ = try await clients[index].next(\.joining)
            }
            let error = await #expect(throws: LiveKitTestClient.Refused.self) {
                try await LiveKitTestClient.connect(server.port, "/rtc?protocol=17&publish=another", token: token)
            }
            #expect(error?.status == 429)
            _ = try await LiveKitTestClient.connect(
                server.port, "/rtc?protocol=17&publish=screen", token: TestTokens.join("ann")
            ).next(\.joining)
        }
    }

    @Test func whoJoinsOverAndOverHasToWait() {
        let directory = RoomDirectory(
            configuration: CallServerConfiguration(keys: ["key": "secret"]), timing: RoomTiming(), loops: [])
        func joins(_ count: Int, _ identity: String, at seconds: Int) -> Int {
            (0..<count).count { _ in
                directory.mayJoinAgain("r", identity, now: .zero + .seconds(seconds))
            }
        }
        #expect(joins(200, "mallory", at: 0) == 30)
        #expect(joins(1, "ann", at: 0) == 1)
        #expect(joins(200, "mallory", at: 5) == 5)
    }

    @Test func lengthsAreBytes() async throws {
        try await withVictim { server, _ in
            let name = "e" + String(repeating: "\u{301}", count: 200)
            #expect(name.count == 1 && name.utf8.count > 256)
            for token in [TestTokens.join(name), TestTokens.join("a", room: name)] {
                let error = await #expect(throws: LiveKitTestClient.Refused.self) {
                    try await LiveKitTestClient.join(server.port, token: token)
                }
                #expect(error?.status == 400)
            }
            let mallory = try await LiveKitTestClient.join(server.port, token: TestTokens.join("mallory"))
            _ = try await mallory.next(\.joining)
            for field in [\Livekit_AddTrackRequest.name, \.stream, \.cid] {
                mallory.send(.with { $0.addTrack[keyPath: field] = name })
                #expect(try await mallory.next(\.refusing).reason == .limitExceeded)
            }
        }
    }

    @Test func logLinesCannotBeForged() async throws {
        let log = LogBook(.debug)
        try await withVictim(log) { server, _ in
            let identity = "mallory\n2026-01-01T00:00:00 notice forged: room closed\u{1b}[2J"
            let mallory = try await LiveKitTestClient.join(server.port, token: TestTokens.join(identity))
            _ = try await mallory.next(\.joining)
            mallory.send(bytes: [0x0a, 0xff])
            try await mallory.untilClosed()
            #expect(log.contains("forged"))
            #expect(log.lines(after: 0).allSatisfy { !$0.contains("\n") && !$0.contains("\u{1b}") })
        }
    }

    /// As many media as a description may have, each offered to be received.
    @Test func theLargestOfferHoldsTheLoopForNobody() async throws {
        try await withVictim { server, victim in
            let mallory = try await LiveKitTestClient.join(server.port, token: TestTokens.join("mallory"))
            _ = try await mallory.next(\.joining)
            server.stalls.reset()
            mallory.send(
                .with {
                    $0.offer.type = "offer"
                    $0.offer.sdp = Self.offer(sections: 512)
                })
            let answer = try await mallory.next(\.answering)
            #expect(answer.sdp.split(separator: "m=audio").count == 513)
            try await expectCalm(server, victim)
        }
    }

    private static func offer(sections: Int) -> String {
        let mids = (0..<sections).map { "\($0)" }
        let head =
            "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE \(mids.joined(separator: " "))\r\n"
            + "a=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=setup:actpass\r\na=fingerprint:sha-256 "
            + Array(repeating: "AB", count: 32).joined(separator: ":") + "\r\n"
        return mids.reduce(into: head) {
            $0 += "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:\($1)\r\na=rtcp-mux\r\na=recvonly\r\n"
            $0 += "a=rtpmap:111 opus/48000/2\r\n"
        }
    }

    /// LiveKit's server has no bound on the participants of a room, and neither have we by default.
    @Test func theHundredAndFirstIsLetIn() async throws {
        try await withVictim { server, _ in
            var clients: [LiveKitTestClient] = []
            for index in 0..<101 {
                let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("p\(index)"))
                clients.append(client)
                #expect(try await client.next(\.joining).otherParticipants.count == index)
            }
            for client in clients { client.drop() }
        }
    }
}
