import RTCWire
import Testing

@testable import OpenTokSignalling

/// Clients, their connections and the session together, in virtual time.
@Suite struct ServedSessionTests {
    private static func data(_ client: ServedClient?) -> [String] {
        client?.events.compactMap { event in
            if case .signal(_, let content) = event { content.data } else { nil }
        } ?? []
    }

    @Test(arguments: [Interval.milliseconds(100), .seconds(5), .seconds(59)])
    func aLostSocketLosesNoSignalAndDoublesNone(away: Interval) throws {
        var room = ServedSession()
        for id in ["ada", "bob", "eve"] { try room.join(id) }
        var expected: [String] = []
        for round in 0..<30 {
            if round == 10 { room.change("bob") { $0.lose() } }
            if round == 20 {
                room.run(away)
                room.change("bob") { $0.comeBack() }
            }
            for (id, word) in [("ada", "a"), ("bob", "b")] {
                let content = SignalContent(type: "t", data: "\(word)\(round)")
                try room.ask(id, .signal(to: nil, id: "\(round)", content))
                expected.append("\(word)\(round)")
            }
            room.run(.milliseconds(50))
        }
        for id in ["ada", "bob", "eve"] {
            let heard = Self.data(room.clients[id])
            // What bob said while away is said when he is back; each one's words keep their order.
            #expect(heard.count == expected.count && Set(heard) == Set(expected), "\(id) hears each once")
            for word in ["a", "b"] {
                #expect(heard.filter { $0.hasPrefix(word) } == expected.filter { $0.hasPrefix(word) })
            }
        }
        let gone = room.clients["ada"]?.events.summary.filter { $0.hasPrefix("-") } ?? []
        #expect(gone.isEmpty)
    }

    @Test func whoStaysAwayIsGoneAfterAMinuteWithAllStreams() throws {
        var room = ServedSession()
        try room.join("ada")
        try room.join("bob")
        try room.ask("bob", .publish(SessionStage.stream("s")))
        room.change("bob") { $0.lose() }
        room.run(.seconds(59))
        #expect(room.session.connectionIDs == ["ada", "bob"])
        room.run(.seconds(2))
        #expect(room.session.connectionIDs == ["ada"])
        let events = room.clients["ada"]?.events.summary ?? []
        #expect(events == ["+c bob", "+s s", "-s s networkDisconnected", "-c bob networkDisconnected"])
    }

    @Test func whoIsSentAwayWhileAwayIsGoneAtOnce() throws {
        var room = ServedSession()
        try room.join("mod", .moderator)
        try room.join("bob")
        try room.ask("bob", .publish(SessionStage.stream("s")))
        room.change("bob") { $0.lose() }
        try room.ask("mod", .forceDisconnect(connection: "bob"))
        room.run(.seconds(70))
        let events = room.clients["mod"]?.events.summary ?? []
        #expect(events == ["+c bob", "+s s", "-s s forceDisconnected", "-c bob forceDisconnected"])
        #expect(room.clients["bob"]?.server.hasEnded == true)
    }

    @Test func whoDoesNotReadIsGivenUpAndTheOthersGoOn() throws {
        var room = ServedSession()
        for id in ["ada", "bob"] { try room.join(id) }
        room.change("bob") { $0.lose() }
        for number in 0..<300 {
            try room.ask("ada", .signal(to: nil, id: "\(number)", SignalContent(data: "\(number)")))
        }
        #expect(room.session.connectionIDs == ["ada"])
        #expect(Self.data(room.clients["ada"]).count == 300)
        let last = room.clients["ada"]?.events.summary.last { $0.hasPrefix("-") }
        #expect(last == "-c bob networkDisconnected")
    }

    @Test func hostileMessagesAreAnsweredAndChangeNothing() throws {
        var room = ServedSession()
        for id in ["ada", "eve"] { try room.join(id) }
        let uri = RaptorURI.topic(project: "12345", session: ServedClient.session.text)
        let bodies = [
            "", "{", "[]", #"{"method":"create"}"#, #"{"method":"create","uri":"/etc"}"#,
            #"{"method":"create","uri":"\#(uri)/stream/s","content":{"id":"t"}}"#,
            #"{"method":"create","uri":"\#(uri)/stream/s","content":{"id":"s","channel":{}}}"#,
            #"{"method":"explode","uri":"\#(uri)","content":{}}"#,
            #"{"method":"signal","uri":"\#(uri)/signal/1","content":{"data":7}}"#,
            String(repeating: "[", count: 1000),
        ]
        for (number, body) in bodies.enumerated() {
            let frame = RumorFrame.message(
                to: ServedClient.address, from: "eve", transaction: "h\(number)", payload: Array(body.utf8))
            room.change("eve") { try? $0.send(frame) }
        }
        let statuses = room.clients["eve"]?.answers.filter { $0.hasPrefix("h") } ?? []
        #expect(statuses == bodies.indices.map { "h\($0) 400" })
        #expect(room.session.streamIDs.isEmpty && room.session.connectionIDs == ["ada", "eve"])
        #expect(room.clients["ada"]?.events.summary == ["+c eve"])
    }
}
