import RTCWire
import Testing

@testable import OpenTokSignalling

@Suite struct OpenTokServerConnectionTests {
    private let join = RaptorRequest.join(connection: "c1", RaptorJoin(userAgent: "ua"))

    @Test("Somebody with a token joins; then requests come, answers and events go")
    func session() throws {
        var client = ServedClient()
        try client.ask(join, "j", token: ServedClient.token(role: .moderator))
        guard case .join(let admission, "j") = try #require(client.takeActions().first) else {
            Issue.record("nobody joins")
            return
        }
        #expect(admission.connection == "c1")
        #expect(admission.token.connectionData == "name=Ada")
        #expect(admission.permissions == OpenTokRole.moderator.permissions())
        #expect(admission.join.userAgent == "ua")
        client.serve { $0.answer("j", .done, into: &$1) }
        #expect(client.answers == ["j 200"])

        try client.ask(.readState, "r")
        #expect(client.takeActions() == [.request(.readState, transaction: "r")])
        let state = RaptorSessionState(
            connections: [RaptorConnection(id: "c1", creationTime: 1, permissions: admission.permissions)])
        client.serve { $0.answer("r", .state(state), into: &$1) }
        #expect(try RaptorSessionState(payload: try #require(client.payloads["r"])) == state)

        try client.ask(.signal(to: nil, id: "i", SignalContent(type: "t")), "s")
        client.serve { $0.answer("s", .refused(.tooMany), into: &$1) }
        #expect(client.answers == ["j 200", "r 200", "s 429"])

        let signal = RaptorEvent.signal(id: "i", SignalContent(data: "d"))
        client.serve { $0.tell(signal, from: "c2", into: &$1) }
        client.serve { $0.tell(.streamDeleted(id: "x", .mediaStopped), into: &$1) }
        #expect(client.events == [signal, .streamDeleted(id: "x", .mediaStopped)])
        #expect(client.senders == ["c2", "symphony.1"])
        client.run(.seconds(600))
        #expect(client.server.hasJoined)
    }

    @Test("Tokens that don't hold: one answer, and an end")
    func badTokens() throws {
        let other = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 2)
        let foreign = OpenTokToken(
            project: "777", sessionID: ServedClient.session.text, created: ServedClient.timeOfDay)
        #expect(throws: OpenTokTokenError.foreignSession) { try foreign.signed(secret: "other") }
        for (token, status) in [(nil, 403), ("nonsense", 403), (try ServedClient.token(session: other), 400)] {
            var client = ServedClient()
            try client.ask(join, "j", token: token)
            #expect(client.answers == ["j \(status)"])
            #expect(client.payloads["j"]?.isEmpty == false)
            #expect(client.closeCodes == [1000])
            #expect(client.takeActions() == [.ended(.clientDisconnected, hadJoined: false)])
        }
    }

    @Test func refusedByTheRoom() throws {
        var client = ServedClient()
        try client.ask(join, "j", token: ServedClient.token())
        client.serve { $0.answer("j", .refused(.conflict), into: &$1) }
        #expect(client.answers == ["j 409"])
        #expect(client.takeActions().last == .ended(.clientDisconnected, hadJoined: false))
    }

    @Test("What is not for this connection is refused, and harms nobody")
    func refusals() throws {
        var client = ServedClient()
        try client.ask(.readState, "early")
        #expect(client.answers.last == "early 403")
        try client.join()
        try client.ask(.readState, "a", to: "symphony.2")
        try client.ask(.readState, "b", from: "c2")
        try client.ask(.readState, "c", project: "777")
        try client.ask(join, "d", token: ServedClient.token())
        try client.ask(.updateStream(stream: "s", channel: "v", .init(width: -1)), "e")
        try client.ask(.signal(to: nil, id: "i", SignalContent(data: String(repeating: "x", count: 8193))), "f")
        #expect(client.answers.suffix(6) == ["a 404", "b 403", "c 404", "d 409", "e 400", "f 413"])
        #expect(client.payloads["e"].map { String(decoding: $0, as: UTF8.self) }?.contains("content.width") == true)
        #expect(client.server.hasJoined)
        #expect(client.takeActions().count == 1)
    }

    @Test(
        "Other connection ids, topics and orders are no client of ours",
        arguments: [
            [RumorFrame.connect(connection: "c2", disconnectAddress: "a")],
            [.connect(connection: "c1", disconnectAddress: "a"), .connect(connection: "c1", disconnectAddress: "a")],
            [.connect(connection: "c1", disconnectAddress: "a"), .subscribe("/v2/partner/12345/session/other")],
            [.message(to: "symphony.1", from: "c1", transaction: "t", payload: [])],
            [.connect(connection: "c1", disconnectAddress: "a"), RumorFrame(.message, addresses: ["symphony.1"])],
        ])
    func misbehaviour(greeting: [RumorFrame]) {
        var client = ServedClient(greeting: greeting)
        #expect(client.closeCodes == [1002])
        #expect(client.takeActions() == [.ended(.networkDisconnected, hadJoined: false)])
        #expect(client.server.nextDeadline == nil)
    }

    @Test func bytesThatAreNoFrame() throws {
        var client = ServedClient()
        try client.join()
        _ = client.takeActions()
        client.serve { $0.receive([1, 2, 3], .zero, timeOfDay: 0, into: &$1) }
        #expect(client.closeCodes == [1002])
        #expect(client.takeActions() == [.ended(.networkDisconnected, hadJoined: true)])
        client.serve { $0.receive([1, 2, 3], .zero, timeOfDay: 0, into: &$1) }
        #expect(client.actions.isEmpty)
    }

    @Test(
        "Who does not join in time is sent away, pings or not",
        arguments: [
            [], [RumorFrame.connect(connection: "c1", disconnectAddress: "a")],
        ])
    func patience(greeting: [RumorFrame]) {
        var client = ServedClient(greeting: greeting)
        client.run(.milliseconds(14_999))
        #expect(client.closeCodes.isEmpty)
        client.run(.milliseconds(1))
        #expect(client.closeCodes == [1011])
        #expect(client.takeActions() == [.ended(.networkDisconnected, hadJoined: false)])
    }

    @Test("A lost link: events wait, a request whose answer was lost is not done twice")
    func reconnection() throws {
        var client = ServedClient()
        try client.join()
        _ = client.takeActions()
        try client.ask(.muteStream("s"), "m")
        client.hasSocket = false
        client.serve { $0.answer("m", .done, into: &$1) }
        client.serve { $0.tell(.streamMuted("s"), into: &$1) }
        try client.ask(.readState, "r")
        client.run(.seconds(20))
        #expect(client.takeActions() == [.request(.muteStream("s"), transaction: "m"), .linkChanged(isUp: false)])
        client.comeBack()
        #expect(client.takeActions() == [.linkChanged(isUp: true), .request(.readState, transaction: "r")])
        #expect(client.answers == ["j 200", "m 200"])
        #expect(client.events == [.streamMuted("s")])
    }

    @Test func nobodyComesBack() throws {
        var client = ServedClient()
        try client.join()
        client.hasSocket = false
        client.run(.seconds(71))
        #expect(client.takeActions().last == .ended(.networkDisconnected, hadJoined: true))
    }

    @Test("Who is sent away hears why")
    func removal() throws {
        var client = ServedClient()
        try client.join()
        client.serve { $0.remove(into: &$1) }
        #expect(client.events == [.connectionDeleted(id: "c1", .forceDisconnected)])
        #expect(client.closeCodes == [1000])
        #expect(client.takeActions().last == .ended(.forceDisconnected, hadJoined: true))
        client.serve { $0.tell(.streamMuted("s"), into: &$1) }
        client.serve { $0.answer("late", .done, into: &$1) }
        #expect(client.actions.isEmpty)
    }

    @Test("A client that takes nothing is given up when too much waits")
    func backlog() throws {
        var client = ServedClient()
        try client.join()
        client.hasSocket = false
        for _ in 0...RumorBacklog.largestCount { client.serve { $0.tell(.streamMuted("s"), into: &$1) } }
        #expect(client.takeActions().last == .ended(.networkDisconnected, hadJoined: true))
        #expect(client.closeCodes == [1011])
    }
}
