import ConversationModel
import Testing

@testable import ConversationService

private let vera = ConversationPerson(id: "vera", role: .visitor)
private let ada = ConversationPerson(id: "ada", role: .agent)
private let eve = ConversationPerson(id: "eve", role: .visitor)

@Suite struct ConversationRulesTests {
    private static func begun(_ change: (inout ConversationRequest) -> Void = { _ in }) -> Conversation {
        var request = ConversationRequest(clientId: "k", type: .chat)
        change(&request)
        return ConversationRules.begin(request, id: "c", by: vera, template: ConversationTemplate(), now: 7)
    }

    private static func kind(
        _ change: ConversationRules.Change, _ person: ConversationPerson, _ conversation: Conversation
    ) -> ConversationRefusal.Kind? {
        do { _ = try ConversationRules.apply(change, by: person, to: conversation) } catch { return error.kind }
        return nil
    }

    @Test func aVisitorsConversationQueues() {
        let conversation = Self.begun { ($0.area, $0.data) = ("loans", ["a": "1"]) }
        #expect(conversation.state == .queued && conversation.area == "loans" && conversation.data == ["a": "1"])
        #expect(conversation.participants.map(\.personId) == ["vera"] && conversation.createdAt == 7)
    }

    @Test func theTemplateCountsWhereTheRequestIsSilent() {
        var template = ConversationTemplate()
        template.autoJoinsCall = true
        let silent = ConversationRequest(clientId: "k", type: .chat)
        let off = ConversationRequest(clientId: "k", type: .chat, autoJoinsCall: false)
        #expect(ConversationRules.begin(silent, id: "c", by: ada, template: template, now: 0).autoJoinsCall)
        #expect(!ConversationRules.begin(off, id: "c", by: ada, template: template, now: 0).autoJoinsCall)
        #expect(ConversationRules.begin(silent, id: "c", by: ada, template: template, now: 0).state == .active)
    }

    @Test func whoSeesIt() throws {
        var conversation = Self.begun()
        #expect(
            ConversationRules.isVisible(conversation, to: vera) && ConversationRules.isVisible(conversation, to: ada))
        #expect(!ConversationRules.isVisible(conversation, to: eve))
        conversation.state = .ended
        #expect(
            ConversationRules.isVisible(conversation, to: vera) && !ConversationRules.isVisible(conversation, to: ada))
        for change in [ConversationRules.Change.join, .end, .read(0), .wrote, .call(.audio)] {
            #expect(Self.kind(change, eve, Self.begun()) == .unknown)
        }
    }

    @Test func anAgentComes() throws {
        let joined = try ConversationRules.apply(.join, by: ada, to: Self.begun())
        #expect(joined.state == .active && joined.participants.map(\.personId) == ["vera", "ada"])
        #expect(try ConversationRules.apply(.join, by: ada, to: joined) == joined, "twice is once")
        #expect(Self.kind(.wrote, ada, Self.begun()) == .forbidden, "join first")
        var full = joined
        full.participants = (0..<64).map { .init(personId: "\($0)", role: .agent) }
        #expect(Self.kind(.join, ada, full) == .conflict)
    }

    @Test func numbersAndReading() throws {
        var conversation = Self.begun()
        for number in 1...3 {
            conversation = try ConversationRules.apply(.wrote, by: vera, to: conversation)
            #expect(conversation.lastMessage == Int64(number))
        }
        let read = try ConversationRules.apply(.read(2), by: vera, to: conversation)
        #expect(read.participant("vera")?.read == 2)
        #expect(try ConversationRules.apply(.read(1), by: vera, to: read).participant("vera")?.read == 2, "never back")
        for number in [-1, 4, Int64.max, .min] { #expect(Self.kind(.read(number), vera, conversation) == .invalid) }
        conversation.lastMessage = 10_000
        #expect(Self.kind(.wrote, vera, conversation) == .conflict)
    }

    @Test func theEndIsTheEnd() throws {
        let calling = try ConversationRules.apply(.call(.video), by: vera, to: Self.begun())
        #expect(calling.call == .init(callType: .video, startedBy: "vera"))
        #expect(try ConversationRules.apply(.call(.audio), by: vera, to: calling).call?.callType == .video)
        #expect(try ConversationRules.apply(.call(nil), by: vera, to: calling).call == nil)
        let ended = try ConversationRules.apply(.end, by: vera, to: calling)
        #expect(ended.state == .ended && ended.call == nil)
        #expect(try ConversationRules.apply(.end, by: vera, to: ended) == ended)
        for change in [ConversationRules.Change.join, .wrote, .call(.audio)] {
            #expect(Self.kind(change, vera, ended) == .conflict)
        }
    }
}
