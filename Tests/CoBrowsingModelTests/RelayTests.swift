import CoBrowsingModel
import Testing

@Suite struct RelayTests {
    private static let size = SessionBench.size
    private var relay = CoBrowsingRelay(CoBrowsingProperties())
    private let vera: Int
    private let ada: Int

    init() throws {
        let one = relay.connect("c", "vera", .contextPerson, now: 0)
        let two = relay.connect("c", "ada", .assignedAgent, now: 0)
        vera = try #require(one?.channel)
        ada = try #require(two?.channel)
    }

    private mutating func say(_ body: CoBrowsingMessage.Body, _ from: Int, session: UInt32 = 9, now: Int64 = 0)
        -> [CoBrowsingRelay.Action]
    { relay.receive(CoBrowsingMessage(session, body).bytes, from: from, now: now) }

    /// What goes to a channel, with its sender.
    private static func heard(_ actions: [CoBrowsingRelay.Action], by channel: Int) -> [(
        String, CoBrowsingMessage.Body
    )] {
        actions.compactMap { action in
            guard case .send(channel, let envelope) = action,
                let message = try? CoBrowsingMessage(parsing: envelope.message)
            else { return nil }
            return (envelope.sender, message.body)
        }
    }

    private static func closed(_ actions: [CoBrowsingRelay.Action]) -> [Int] {
        actions.compactMap { if case .close(let channel, _) = $0 { channel } else { nil } }
    }

    @Test mutating func welcomes() throws {
        relay.properties.framesPerSecond = 3
        var outcome = relay.connect("c", "otto", .secondaryAgent, now: 0)
        var (channel, actions) = try #require(outcome)
        guard case .welcome(let early)? = Self.heard(actions, by: channel).first?.1 else {
            Issue.record("no welcome")
            return
        }
        #expect(early.sharer == nil && early.participant == .secondaryAgent && early.properties.framesPerSecond == 3)
        _ = say(.start(Self.size), vera)
        outcome = relay.connect("c", "olga", .secondaryAgent, now: 0)
        (channel, actions) = try #require(outcome)
        guard case .welcome(let late)? = Self.heard(actions, by: channel).first?.1 else {
            Issue.record("no welcome")
            return
        }
        #expect(late.sharer == "vera")
        #expect(Self.heard(actions, by: vera).map { $0.1 } == [.presence(person: "olga", isPresent: true)])
    }

    @Test mutating func whoHearsWhat() {
        let other = relay.connect("other", "zoe", .contextPerson, now: 0)?.channel
        let start = say(.start(Self.size), vera)
        #expect(start.contains(.sharing(conversation: "c", sharer: "vera")) && relay.sharer(in: "c") == "vera")
        #expect(Self.heard(start, by: ada).map { $0.0 } == ["vera"])
        #expect(Self.heard(start, by: vera).map { $0.1 } == [.presence(person: "ada", isPresent: true)])
        let status = say(.status(latest: 1), vera)
        #expect(status.count == 1 && Self.heard(status, by: ada).map { $0.1 } == [.status(latest: 1)])
        let pointer = say(.pointer(.init(x: 1, y: 1, kind: .mark)), ada)
        #expect(pointer.count == 1 && Self.heard(pointer, by: vera).map { $0.0 } == ["ada"])
        #expect(other != nil && relay.sharer(in: "other") == nil)
        #expect(say(.refresh(complete: 0), ada, session: 8).isEmpty, "of another session")
    }

    @Test mutating func oneShares() {
        _ = say(.start(Self.size), vera)
        let second = say(.start(Self.size), ada, session: 7)
        #expect(Self.heard(second, by: ada).map { $0.1 } == [.refusal("somebody is sharing already")])
        #expect(Self.closed(say(.status(latest: 3), ada)) == [ada])
        let foreign = say(.stop(.stopped), ada)
        #expect(foreign.isEmpty && relay.sharer(in: "c") == "vera")
        let end = say(.stop(.stopped), vera)
        #expect(end.contains(.sharing(conversation: "c", sharer: nil)))
        #expect(Self.heard(end, by: ada).map { $0.1 } == [.stop(.stopped)])
        let next = say(.start(Self.size), ada, session: 7)
        #expect(!next.isEmpty && relay.sharer(in: "c") == "ada")
    }

    @Test mutating func peopleWhoGo() {
        _ = say(.start(Self.size), vera)
        let second = relay.connect("c", "ada", .assignedAgent, now: 0)?.channel ?? 0
        #expect(relay.disconnect(second).isEmpty, "she watches elsewhere")
        #expect(
            Self.heard(relay.disconnect(ada), by: vera).map { $0.1 } == [.presence(person: "ada", isPresent: false)])
        let third = relay.connect("c", "ada", .assignedAgent, now: 0)?.channel ?? 0
        let gone = relay.disconnect(vera)
        #expect(Self.heard(gone, by: third).map { $0.1 } == [.stop(.connectionLost)])
        #expect(gone.contains(.sharing(conversation: "c", sharer: nil)))
        let again = relay.disconnect(vera) + relay.receive([1], from: vera, now: 0)
        #expect(again.isEmpty)
    }

    @Test mutating func theConversationEnds() {
        _ = say(.start(Self.size), vera)
        let end = relay.endConversation("c")
        for channel in [vera, ada] {
            #expect(Self.heard(end, by: channel).map { $0.1 } == [.stop(.conversationEnded)])
        }
        #expect(Self.closed(end) == [vera, ada])
        #expect(end.last == .close(channel: ada, "the conversation is over"))
        let late = say(.start(Self.size), vera)
        #expect(relay.sharer(in: "c") == nil && late.isEmpty)
    }

    @Test mutating func bounds() {
        for _ in 0..<3 { #expect(relay.connect("c", "ada", .assignedAgent, now: 0) != nil) }
        #expect(relay.connect("c", "ada", .assignedAgent, now: 0) == nil, "four of one person")
        for number in 0..<11 { #expect(relay.connect("c", "p\(number)", .assignedAgent, now: 0) != nil) }
        #expect(relay.connect("c", "p12", .assignedAgent, now: 0) == nil, "sixteen in all")
        #expect(relay.connect("d", String(repeating: "x", count: 256), .assignedAgent, now: 0) == nil)
        #expect(Self.closed(relay.receive([9, 9], from: ada, now: 0)) == [ada])
        #expect(Self.closed(say(.presence(person: "x", isPresent: true), ada)) == [ada])
        #expect(Self.closed(say(.start(Self.size), ada, session: 0)) == [ada])
    }

    /// Twice the cap is a sharer who does not keep to it; a hundred messages a second are a viewer's.
    @Test mutating func rates() {
        _ = say(.start(Self.size), vera)
        func frame(_ number: UInt32) -> CoBrowsingMessage.Body {
            .frame(.init(number: number, base: number - 1, size: Self.size, tiles: 1, capturedAt: 0))
        }
        for number in 1...10 { #expect(Self.closed(say(frame(UInt32(number)), vera, now: 10)).isEmpty) }
        #expect(Self.closed(say(frame(11), vera, now: 20)) == [vera])
        #expect(Self.closed(say(frame(12), vera, now: 1_010)).isEmpty)
        for _ in 0..<100 { #expect(Self.closed(say(.action(.cancel), ada, now: 5)).isEmpty) }
        #expect(Self.closed(say(.action(.cancel), ada, now: 6)) == [ada])
    }
}
