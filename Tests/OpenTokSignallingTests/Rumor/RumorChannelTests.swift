import RTCSim
import RTCWire
import Testing

@testable import OpenTokSignalling

/// Channels in virtual time.
@Suite struct RumorChannelTests {
    private func message(_ transaction: String, _ text: String = "") -> RumorFrame {
        .message(to: "server", from: "c1", transaction: transaction, payload: Array(text.utf8))
    }

    private func answered(_ pair: RumorPair) -> [String] {
        pair.clientEvents.compactMap {
            guard case .answered(let transaction, let status, let payload) = $0.event else { return nil }
            return "\(transaction) \(status) \(String(decoding: payload, as: UTF8.self))"
        }
    }

    private func received(_ events: [(at: Instant, event: RumorChannel.Event)]) -> [String] {
        events.compactMap {
            guard case .received(let frame) = $0.event, frame.kind == .message else { return nil }
            return frame.transaction ?? "-"
        }
    }

    private func links(_ events: [(at: Instant, event: RumorChannel.Event)]) -> [RumorChannel.Event] {
        events.map(\.event).filter {
            switch $0 {
            case .received, .answered: false
            default: true
            }
        }
    }

    @Test("The greeting, a request, its result; pings every five seconds keep the link")
    func session() throws {
        var pair = RumorPair()
        pair.answering = { _ in (200, Array("result".utf8)) }
        try pair.sendFromClient(message("early"))
        pair.run(.seconds(1))
        #expect(pair.serverEvents.first?.event == .received(.subscribe("t")))
        #expect(answered(pair) == ["early 200 result"])
        try pair.sendFromServer(message("event"))
        pair.run(.seconds(3600))
        #expect(received(pair.clientEvents) == ["event"])
        #expect(links(pair.clientEvents) == [.connected])
        #expect(pair.client.backlog.frames.isEmpty)
        #expect(try #require(pair.server).backlog.frames.isEmpty)
    }

    @Test("Silence is a loss; what was not acknowledged is sent again, in order, and is done once")
    func replay() throws {
        var pair = RumorPair()
        pair.answering = { (201, $0.payload) }
        pair.run(.seconds(1))
        // Answered, but the answer is lost.
        try pair.sendFromClient(message("a", "1"))
        pair.run(.milliseconds(20))
        pair.isUp = false
        try pair.sendFromClient(message("b", "2"))
        pair.run(.seconds(14))
        try pair.sendFromClient(message("c", "3"))
        #expect(links(pair.clientEvents) == [.connected, .reconnecting])
        pair.isUp = true
        pair.run(.seconds(10))
        #expect(links(pair.clientEvents) == [.connected, .reconnecting, .reconnected])
        #expect(links(pair.serverEvents) == [.reconnecting, .reconnected])
        #expect(received(pair.serverEvents) == ["a", "b", "c"])
        #expect(answered(pair) == ["a 201 1", "b 201 2", "c 201 3"])
    }

    @Test("Nobody comes back: both ends give up after a minute")
    func patience() throws {
        for refuses in [true, false] {
            var pair = RumorPair()
            pair.run(.seconds(1))
            pair.isUp = false
            pair.refuses = refuses
            pair.run(.seconds(120))
            #expect(links(pair.clientEvents) == [.connected, .reconnecting, .ended(.lost)])
            #expect(links(pair.serverEvents) == [.reconnecting, .ended(.lost)])
            // Every half second where attempts fail at once, else when they have had their time.
            let spacing = refuses ? 0.52 : 5.0
            #expect(abs(Double(pair.attempts.count) - 60 / spacing) <= 1)
            #expect(pair.client.nextDeadline == nil)
        }
    }

    @Test("A session without reconnection ends with its first loss, after a longer silence")
    func withoutReconnection() {
        var timing = RumorChannel.Timing()
        timing.reconnects = false
        var pair = RumorPair(timing: timing)
        pair.run(.seconds(1))
        pair.isUp = false
        pair.run(.seconds(45))
        #expect(links(pair.clientEvents) == [.connected])
        pair.run(.seconds(10))
        #expect(links(pair.clientEvents) == [.connected, .ended(.lost)])
        #expect(pair.attempts.isEmpty)
    }

    @Test(
        "Close codes: 1000 and 1001 are an end, 1011 forbids to come back, all others are losses",
        arguments: [
            (1000, RumorChannel.Event.ended(.closed)), (1001, .ended(.closed)), (1011, .ended(.lost)),
            (1006, .reconnecting),
            (1002, .reconnecting), (4000, .reconnecting),
        ])
    func closeCodes(code: Int, event: RumorChannel.Event) {
        var pair = RumorPair()
        pair.run(.seconds(1))
        pair.breakSocket(code: code)
        pair.run(.milliseconds(1))
        #expect(links(pair.clientEvents) == [.connected, event])
    }

    @Test func firstSocketMustOpen() {
        var pair = RumorPair()
        pair.isUp = false
        #expect(pair.client.nextDeadline?.reason == .opening)
        var actions: [RumorChannel.Action] = []
        var client = pair.client
        client.advance(to: .zero + .seconds(15), into: &actions)
        #expect(actions == [.close(code: 1000), .report(.ended(.unreachable))])
        client = pair.client
        actions = []
        client.closed(code: 1006, .zero, into: &actions)
        #expect(actions == [.report(.ended(.unreachable))])
    }

    @Test("A client's end is told to the server")
    func ending() throws {
        var pair = RumorPair()
        pair.run(.seconds(1))
        pair.closeClient()
        pair.run(.seconds(1))
        #expect(links(pair.clientEvents) == [.connected, .ended(.closed)])
        #expect(links(pair.serverEvents) == [.ended(.closed)])
        try pair.sendFromClient(message("late"))
        #expect(pair.client.backlog.frames.isEmpty)
    }

    @Test("A client that comes back before its loss was noticed")
    func earlyReturn() throws {
        var pair = RumorPair()
        pair.run(.seconds(1))
        var actions: [RumorChannel.Action] = []
        var server = try #require(pair.server)
        try server.send(message("e"), into: &actions)
        actions = []
        server.opened(pair.now, into: &actions)
        #expect(actions == [.report(.reconnecting), .report(.reconnected), .send(message("e"))])
    }

    @Test(
        "Who does not keep to the protocol is cut off",
        arguments: [
            RumorFrame(.status), .status(200, transaction: "t").with("STATUS", "ok"),
            .message(to: "a", from: "b", transaction: String(repeating: "t", count: 129), payload: []),
        ])
    func misbehaviour(frame: RumorFrame) {
        var pair = RumorPair()
        pair.run(.seconds(1))
        pair.receiveOnServer(frame)
        #expect(links(pair.serverEvents) == [.ended(.misbehaved)])
    }

    @Test("A repeat is answered from memory, or not at all while the first is being worked on")
    func repeats() throws {
        var pair = RumorPair()
        pair.run(.seconds(1))
        for _ in 0..<3 { pair.receiveOnServer(message("a")) }
        #expect(received(pair.serverEvents) == ["a"])
        pair.answerFromServer("a", 403)
        pair.run(.milliseconds(20))
        var server = try #require(pair.server)
        var actions: [RumorChannel.Action] = []
        server.receive(message("a"), pair.now, into: &actions)
        #expect(actions == [.send(.status(403, transaction: "a"))])
    }

    @Test("What waits is bounded in number and size")
    func backlog() throws {
        var channel = RumorChannel(client: [])
        var actions: [RumorChannel.Action] = []
        for number in 0..<RumorBacklog.largestCount { try channel.send(message("\(number)"), into: &actions) }
        #expect(throws: RumorFault.backlogFull) { try channel.send(message("more"), into: &actions) }
        channel = RumorChannel(client: [])
        let large = String(repeating: "x", count: RumorBacklog.largestSize / 4)
        for number in 0..<3 { try channel.send(message("\(number)", large), into: &actions) }
        #expect(throws: RumorFault.backlogFull) { try channel.send(message("more", large), into: &actions) }
        #expect(throws: RumorFault.nameTooLong) {
            try channel.send(message(String(repeating: "t", count: 129)), into: &actions)
        }
        #expect(actions.isEmpty)
    }

    @Test("What is remembered of answers is bounded in number and size")
    func answers() {
        var answers = RumorAnswers()
        for number in 0..<3 * RumorAnswers.largestCount {
            #expect(answers.lookUp("\(number)") == .new)
            answers.keep(
                .status(200, transaction: "\(number)", payload: Array(repeating: 1, count: 4096)), to: "\(number)")
        }
        let last = 3 * RumorAnswers.largestCount - 1
        #expect(
            answers.lookUp("\(last)")
                == .answered(.status(200, transaction: "\(last)", payload: Array(repeating: 1, count: 4096))))
        // Of an older one the status is left.
        let older = last - RumorAnswers.largestSize / 4096 - 1
        #expect(answers.lookUp("\(older)") == .answered(.status(200, transaction: "\(older)")))
        #expect(answers.lookUp("0") == .new)
        answers.keep(.status(200, transaction: "none"), to: "none")
        #expect(answers.lookUp("none") == .new)
    }

    @Test("Over a network that comes and goes everything arrives once and in order", arguments: 1...20)
    func badNetwork(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var pair = RumorPair()
        pair.answering = { (200, $0.payload) }
        pair.run(.seconds(1))
        for number in 0..<200 {
            try pair.sendFromClient(message("c\(number)", "\(number)"))
            try pair.sendFromServer(message("s\(number)"))
            switch Int.random(in: 0..<30, using: &generator) {
            case 0: pair.breakSocket()
            case 1:
                pair.isUp = false
                pair.refuses = Bool.random(using: &generator)
                pair.run(.milliseconds(.random(in: 1...15_000, using: &generator)))
                pair.isUp = true
            default: break
            }
            pair.run(.milliseconds(.random(in: 0...300, using: &generator)))
        }
        pair.run(.seconds(30))
        #expect(received(pair.serverEvents) == (0..<200).map { "c\($0)" })
        #expect(received(pair.clientEvents) == (0..<200).map { "s\($0)" })
        #expect(answered(pair) == (0..<200).map { "c\($0) 200 \($0)" })
        #expect(links(pair.clientEvents).contains(.reconnected))
        #expect(pair.client.isOpen)
    }
}

extension RumorFrame {
    fileprivate func with(_ name: String, _ value: String) -> RumorFrame {
        var frame = self
        frame.headers = headers.map { $0.name == name ? Header(name, value) : $0 }
        return frame
    }
}
