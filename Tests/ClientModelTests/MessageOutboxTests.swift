import ConversationModel
import Foundation
import Testing

@testable import ClientModel

@Suite struct MessageOutboxTests {
    private static func message(_ id: String, _ conversation: String = "c", _ text: String = "hello") -> OutgoingMessage
    {
        OutgoingMessage(id: id, conversationId: conversation, text: text)
    }

    @Test func oneAtATimeInOrder() throws {
        var outbox = MessageOutbox(capacity: 10)
        #expect(outbox.connection(isOnline: true).isEmpty)
        #expect(try outbox.add(Self.message("1"))?.id == "1")
        #expect(try outbox.add(Self.message("2")) == nil)
        #expect(try outbox.add(Self.message("x", "d"))?.id == "x", "conversations don't wait for each other")
        #expect(outbox.settle("2", in: "c") == nil, "out of turn")
        let answer = outbox.settle("1", in: "c")
        let first = try #require(answer)
        #expect(first.settled.id == "1" && first.next?.id == "2")
        #expect(outbox.settle("1", in: "c") == nil, "an answer that comes twice")
        #expect(outbox.waiting.map(\.id) == ["2", "x"])
    }

    @Test func whatWasUnderWayIsSentAgain() throws {
        var outbox = MessageOutbox(capacity: 10)
        _ = try outbox.add(Self.message("1"))
        _ = try outbox.add(Self.message("2"))
        #expect(outbox.connection(isOnline: true).map(\.id) == ["1"])
        #expect(outbox.connection(isOnline: true).isEmpty, "it is under way")
        _ = outbox.connection(isOnline: false)
        #expect(outbox.connection(isOnline: true).map(\.id) == ["1"])
    }

    @Test func failuresAndBounds() throws {
        var outbox = MessageOutbox(capacity: 2)
        _ = outbox.connection(isOnline: true)
        _ = try outbox.add(Self.message("1"))
        #expect(!outbox.fail("2", in: "c") && outbox.fail("1", in: "c") && !outbox.fail("1", in: "c"))
        #expect(outbox.resend("c")?.id == "1" && outbox.resend("c") == nil)
        _ = try outbox.add(Self.message("2"))
        #expect(throws: ClientError.self) { try outbox.add(Self.message("3")) }
        #expect(throws: ClientError.self) { try outbox.add(Self.message("3", "c", "")) }
        #expect(throws: ClientError.self) {
            try outbox.add(Self.message("3", "c", String(repeating: "x", count: 8_193)))
        }
        #expect(outbox.drop("c").map(\.id) == ["1", "2"] && outbox.count == 0)
        #expect(try outbox.add(Self.message("4"))?.id == "4", "there is room again")
    }

    @Test func itOutlivesARestart() throws {
        var outbox = MessageOutbox(capacity: 10)
        _ = outbox.connection(isOnline: true)
        for id in ["1", "2", "3"] { _ = try outbox.add(Self.message(id)) }
        let kept = try JSONEncoder().encode(outbox.waiting)
        var copy = MessageOutbox(capacity: 10, waiting: try JSONDecoder().decode([OutgoingMessage].self, from: kept))
        #expect(copy.waiting == outbox.waiting && copy.count == 3)
        #expect(MessageOutbox(capacity: 2, waiting: outbox.waiting).waiting.map(\.id) == ["1", "2"])
        #expect(copy.connection(isOnline: true).map(\.id) == ["1"], "nothing is under way after a restart")
    }

    /// A service behind a line that loses requests and answers: each message arrives once, in order.
    @Test(arguments: 0..<200) func aBadLine(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var outbox = MessageOutbox(capacity: 100)
        var service: [String: [String]] = [:]
        var onTheWay: [OutgoingMessage] = outbox.connection(isOnline: true)
        var isOnline = true
        var written: [String: [String]] = [:]
        for number in 0..<40 {
            let conversation = ["a", "b", "c"].randomElement(using: &random)!
            written[conversation, default: []].append("\(number)")
            if let next = try outbox.add(Self.message("\(number)", conversation)) { onTheWay.append(next) }
            while let index = onTheWay.indices.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0
            {
                let message = onTheWay.remove(at: index)
                let fate = Int.random(in: 0..<4, using: &random)
                guard fate > 0 else { continue }
                if service[message.conversationId]?.contains(message.id) != true {
                    service[message.conversationId, default: []].append(message.id)
                }
                // It arrived, and the answer is lost.
                guard fate > 1 else { continue }
                if let next = outbox.settle(message.id, in: message.conversationId)?.next { onTheWay.append(next) }
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                isOnline.toggle()
                // What was under way may be lost with the connection, or arrive and not be answered.
                for message in onTheWay where !isOnline && Bool.random(using: &random) {
                    if service[message.conversationId]?.contains(message.id) != true {
                        service[message.conversationId, default: []].append(message.id)
                    }
                }
                if !isOnline { onTheWay = [] }
                onTheWay += outbox.connection(isOnline: isOnline)
            }
        }
        _ = outbox.connection(isOnline: false)
        onTheWay = outbox.connection(isOnline: true)
        while let message = onTheWay.popLast() {
            if service[message.conversationId]?.contains(message.id) != true {
                service[message.conversationId, default: []].append(message.id)
            }
            if let next = outbox.settle(message.id, in: message.conversationId)?.next { onTheWay.append(next) }
        }
        #expect(service == written && outbox.count == 0)
    }
}

@Suite struct MessageLogTests {
    @Test func eachOnceInOrder() {
        var log = MessageLog(last: 3)
        #expect(log.receive(3) == .known)
        #expect(log.receive(5) == .gap(after: 3))
        #expect(log.receive(4) == .deliver && log.receive(5) == .deliver && log.receive(5) == .known)
        #expect(log.receive(-1) == .known && log.receive(.max) == .gap(after: 5))
    }
}

@Suite struct AutoJoinRuleTests {
    private static func conversation(_ isOn: Bool, call: ConversationCallType?, _ type: ConversationType = .chat)
        -> Conversation
    {
        var conversation = Conversation(id: "c", type: type)
        conversation.autoJoinsCall = isOn
        conversation.call = call.map { Conversation.Call(callType: $0, startedBy: "ada") }
        return conversation
    }

    /// Switched on, a call under way, how somebody came in, and what follows.
    @Test(
        arguments: [
            (true, nil, .began, .start(.video)), (true, nil, .joined, .nothing), (true, .audio, .joined, .join(.audio)),
            (true, .video, .isInside, .nothing), (false, nil, .began, .nothing), (false, .video, .joined, .nothing),
        ] as [(Bool, ConversationCallType?, AutoJoinRule.Entry, AutoJoinRule.Decision)])
    func rows(row: (Bool, ConversationCallType?, AutoJoinRule.Entry, AutoJoinRule.Decision)) {
        #expect(AutoJoinRule.decide(Self.conversation(row.0, call: row.1), row.2) == row.3)
    }

    @Test func theTypeOfTheConversationIsThatOfItsCall() {
        #expect(AutoJoinRule.decide(Self.conversation(true, call: nil, .audio), .began) == .start(.audio))
        var ended = Self.conversation(true, call: .audio)
        ended.state = .ended
        for entry in AutoJoinRule.Entry.allCases { #expect(AutoJoinRule.decide(ended, entry) == .nothing) }
    }
}
