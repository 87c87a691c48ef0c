import ConversationModel
import Testing

@testable import ClientModel

private struct Bench {
    var desk: ConversationDesk
    var actions: [ConversationDesk.Action] = []

    init(_ role: PersonRole = .visitor, _ change: (inout ConversationDesk.Settings) -> Void = { _ in }) {
        var settings = ConversationDesk.Settings(role: role)
        change(&settings)
        desk = ConversationDesk(settings)
    }

    mutating func put(_ input: ConversationDesk.Input) {
        actions = []
        desk.handle(input, into: &actions)
    }

    mutating func online(_ infos: ConversationInfo..., available: Bool = false) {
        put(
            .online(
                ConversationSnapshot(personId: "vera", role: .visitor, conversations: infos, isAvailable: available)))
    }

    var reports: [ConversationEvent] { actions.compactMap { if case .report(let event) = $0 { event } else { nil } } }
    var answers: [Result<Conversation, ClientError>] {
        actions.compactMap { if case .answer(_, let answer) = $0 { answer } else { nil } }
    }
    var code: ClientError.Code? { if case .failure(let error) = answers.first { error.code } else { nil } }

    /// With a conversation that is open.
    mutating func opened(_ conversation: Conversation = conversation("c1")) {
        online()
        put(.begin(waiter: 1, clientId: "k1", type: .chat, data: [:]))
        put(.created(clientId: "k1", .success(conversation)))
    }
}

private func conversation(_ id: String, last: Int64 = 0, people: [String] = ["vera"]) -> Conversation {
    var conversation = Conversation(id: id, type: .chat)
    conversation.lastMessage = last
    conversation.participants = people.map { Conversation.Participant(personId: $0, role: .visitor) }
    return conversation
}

private func info(_ conversation: Conversation, unread: Int = 0) -> ConversationInfo {
    ConversationInfo(conversation: conversation, unread: unread)
}

private func message(_ number: Int64, in id: String = "c1") -> ConversationMessage {
    ConversationMessage(
        conversationId: id, number: number, clientId: "m\(number)", author: "ada", text: "line \(number)",
        sentAt: number)
}

@Suite struct ConversationDeskTests {
    @Test func aConversationIsBegunAndOpen() {
        var bench = Bench { $0.area = "loans" }
        bench.online(available: true)
        #expect(bench.reports == [.availability(true)])
        bench.put(.begin(waiter: 1, clientId: "k1", type: .audio, data: ["tier": "gold"]))
        #expect(
            bench.actions
                == [.create(ConversationRequest(clientId: "k1", type: .audio, area: "loans", data: ["tier": "gold"]))])
        bench.put(.created(clientId: "k1", .success(conversation("c1"))))
        #expect(bench.answers == [.success(conversation("c1"))])
        #expect(bench.desk.open?.id == "c1")
        #expect(bench.reports.contains(.openChanged(conversation("c1"))))
    }

    @Test func atMostOneIsOpen() {
        var bench = Bench()
        bench.online(info(conversation("c2")))
        bench.put(.begin(waiter: 1, clientId: "k1", type: .chat, data: [:]))
        bench.put(.begin(waiter: 2, clientId: "k2", type: .chat, data: [:]))
        #expect(bench.code == .conversationOpen)
        bench.put(.open(waiter: 3, conversation: "c2"))
        #expect(bench.code == .conversationOpen)
        bench.put(.created(clientId: "k1", .success(conversation("c1"))))
        bench.put(.begin(waiter: 4, clientId: "k4", type: .chat, data: [:]))
        #expect(bench.code == .conversationOpen)
        bench.put(.open(waiter: 5, conversation: "c2"))
        #expect(bench.code == .conversationOpen)
        bench.put(.close)
        #expect(bench.reports == [.openChanged(nil)] && bench.desk.open == nil)
        bench.put(.open(waiter: 6, conversation: "c2"))
        #expect(bench.desk.open?.id == "c2")
        bench.put(.open(waiter: 7, conversation: "nowhere"))
        #expect(bench.desk.open?.id == "c2" && bench.code == .conversationOpen)
    }

    @Test func offlineItIsBegunWhenTheConnectionComes() {
        var bench = Bench()
        bench.put(.begin(waiter: 1, clientId: "k1", type: .chat, data: [:]))
        #expect(bench.actions.isEmpty)
        bench.online()
        let request = ConversationRequest(clientId: "k1", type: .chat, data: [:])
        #expect(bench.actions.contains(.create(request)))
        bench.put(.offline)
        bench.put(.created(clientId: "k1", nil))
        #expect(bench.actions.isEmpty)
        bench.online()
        #expect(bench.actions.contains(.create(request)), "asked again under its name")
        bench.put(.created(clientId: "k1", nil))
        #expect(bench.actions == [.createLater(clientId: "k1")])
        bench.put(.createAgain(clientId: "k1"))
        #expect(bench.actions == [.create(request)])
    }

    @Test func theInterceptorAddsData() {
        var bench = Bench { $0.hasInterceptor = true }
        bench.online()
        bench.put(.begin(waiter: 1, clientId: "k1", type: .chat, data: ["a": "1", "b": "2"]))
        #expect(bench.actions == [.intercept(clientId: "k1", .chat, data: ["a": "1", "b": "2"])])
        bench.online()
        #expect(!bench.actions.contains { if case .create = $0 { true } else { false } }, "the interceptor comes first")
        bench.put(.intercepted(clientId: "k1", .success(["b": "3", "c": "4"])))
        #expect(
            bench.actions == [
                .create(ConversationRequest(clientId: "k1", type: .chat, data: ["a": "1", "b": "3", "c": "4"]))
            ])
        bench.put(.intercepted(clientId: "k1", .success([:])))
        bench.put(.interceptorTimeout(clientId: "k1"))
        #expect(bench.actions.isEmpty, "an answer that comes late or twice")
    }

    @Test(arguments: [ClientConfiguration.InterceptorTimeout.proceed, .refuse])
    func theInterceptorMayTakeTooLong(policy: ClientConfiguration.InterceptorTimeout) {
        var bench = Bench {
            $0.hasInterceptor = true
            $0.interceptorTimeoutPolicy = policy
        }
        bench.online()
        bench.put(.begin(waiter: 1, clientId: "k1", type: .chat, data: [:]))
        bench.put(.interceptorTimeout(clientId: "k1"))
        if policy == .proceed {
            #expect(bench.actions == [.create(ConversationRequest(clientId: "k1", type: .chat, data: [:]))])
        } else {
            #expect(bench.code == .interceptorFailed)
            bench.put(.begin(waiter: 2, clientId: "k2", type: .chat, data: [:]))
            #expect(bench.answers.isEmpty, "another one may be begun")
        }
    }

    @Test func theInterceptorIsHeldToTheBounds() {
        var bench = Bench { $0.hasInterceptor = true }
        bench.online()
        bench.put(.begin(waiter: 1, clientId: "k1", type: .chat, data: [:]))
        bench.put(.intercepted(clientId: "k1", .success(["": "x"])))
        #expect(bench.code == .interceptorFailed)
        var agent = Bench(.agent) { $0.hasInterceptor = true }
        agent.online()
        agent.put(.begin(waiter: 1, clientId: "k1", type: .chat, data: [:]))
        #expect(agent.actions.count == 1 && agent.answers.isEmpty)
        #expect(!agent.actions.contains { if case .intercept = $0 { true } else { false } }, "visitors have it")
    }

    @Test func refusals() {
        var bench = Bench()
        bench.online()
        bench.put(.begin(waiter: 1, clientId: "not fit", type: .chat, data: [:]))
        #expect(bench.code == .messageRefused)
        bench.put(.begin(waiter: 2, clientId: "k2", type: .chat, data: [:]))
        bench.put(.created(clientId: "k2", .failure(ClientError(.requestRefused, "no"))))
        #expect(bench.code == .requestRefused)
        bench.put(.created(clientId: "k2", .success(conversation("c9"))))
        #expect(bench.actions.isEmpty && bench.desk.open == nil)
    }

    @Test func theEndOfAConversationEndsItsCall() {
        var bench = Bench()
        bench.opened()
        bench.put(.callChanged(conversation: "c1", isActive: true))
        bench.put(.offline)
        bench.put(.write(OutgoingMessage(id: "m", conversationId: "c1", text: "still here?")))
        var ended = conversation("c1")
        ended.state = .ended
        bench.put(.notice(.conversation(info(ended))))
        #expect(bench.actions.first == .endCall(conversation: "c1"))
        #expect(bench.reports.contains(.openChanged(nil)) && bench.reports.contains(.ended(ended)))
        #expect(bench.reports.contains { if case .messageFate(_, .failed) = $0 { true } else { false } })
        #expect(bench.desk.open == nil && bench.desk.conversations.isEmpty && bench.desk.waitingMessages.isEmpty)
        bench.put(.notice(.conversation(info(ended))))
        #expect(bench.actions.isEmpty)
    }

    @Test func whatEndedWhileWeWereAwayHasEnded() {
        var bench = Bench()
        bench.opened()
        bench.put(.callChanged(conversation: "c1", isActive: true))
        bench.put(.offline)
        bench.online()
        #expect(bench.actions.first == .endCall(conversation: "c1") && bench.desk.open == nil)
    }

    @Test func messagesComeOnceInOrder() {
        var bench = Bench()
        bench.opened()
        bench.put(.notice(.message(message(1), info(conversation("c1", last: 1), unread: 1))))
        #expect(bench.reports.contains(.message(message(1))) && bench.reports.contains(.unread(1)))
        bench.put(.notice(.message(message(1), info(conversation("c1", last: 1), unread: 1))))
        #expect(bench.reports.isEmpty)
        bench.put(.notice(.message(message(4), info(conversation("c1", last: 4), unread: 4))))
        #expect(bench.actions.contains(.fetchMessages(conversation: "c1", after: 1)))
        #expect(!bench.reports.contains(.message(message(4))))
        bench.put(.page(conversation: "c1", [message(2), message(3), message(4)]))
        #expect(bench.reports == [.message(message(2)), .message(message(3)), .message(message(4))])
        #expect(bench.desk.unreadCount == 4)
    }

    @Test func whatWasWrittenWhileWeWereAwayIsFetched() {
        var bench = Bench()
        bench.opened()
        bench.put(.offline)
        bench.online(info(conversation("c1", last: 2), unread: 2))
        #expect(bench.actions.contains(.fetchMessages(conversation: "c1", after: 0)))
        bench.put(.offline)
        bench.online(info(conversation("c1", last: 2), unread: 2))
        #expect(bench.actions.contains(.fetchMessages(conversation: "c1", after: 0)), "asked again")
    }

    @Test func historyIsNotNews() {
        var bench = Bench()
        bench.online(info(conversation("c1", last: 7), unread: 0))
        #expect(!bench.actions.contains { if case .fetchMessages = $0 { true } else { false } })
        bench.put(.notice(.message(message(8), info(conversation("c1", last: 8), unread: 1))))
        #expect(bench.reports.contains(.message(message(8))))
        bench.put(.notice(.message(message(1, in: "c5"), info(conversation("c5", last: 1), unread: 1))))
        #expect(bench.reports.contains(.message(message(1, in: "c5"))), "the first words of a new one")
    }

    @Test func unreadIsSummedUp() {
        var bench = Bench()
        bench.online(info(conversation("c1"), unread: 2), info(conversation("c2"), unread: 3))
        #expect(bench.desk.unreadCount == 5)
        bench.put(.notice(.conversation(info(conversation("c1"), unread: 0))))
        #expect(bench.reports.contains(.unread(3)))
    }

    @Test func messagesWaitForTheConnection() {
        var bench = Bench()
        bench.opened()
        bench.put(.offline)
        let lines = (1...3).map { OutgoingMessage(id: "m\($0)", conversationId: "c1", text: "\($0)") }
        for line in lines {
            bench.put(.write(line))
            #expect(bench.reports == [.messageFate(line, .queued)])
        }
        bench.online(info(conversation("c1")))
        #expect(bench.actions.contains(.send(lines[0])) && !bench.actions.contains(.send(lines[1])))
        bench.put(.sent("m1", conversation: "c1", nil))
        #expect(bench.actions == [.resendLater(conversation: "c1")])
        bench.put(.resend(conversation: "c1"))
        #expect(bench.actions == [.send(lines[0])])
        bench.put(.sent("m1", conversation: "c1", .success(message(1))))
        #expect(bench.actions == [.report(.messageFate(lines[0], .sent(number: 1))), .send(lines[1])])
        let refused = ClientError(.messageRefused, "no")
        bench.put(.sent("m2", conversation: "c1", .failure(refused)))
        #expect(bench.actions == [.report(.messageFate(lines[1], .failed(refused))), .send(lines[2])])
        bench.put(.write(OutgoingMessage(id: "x", conversationId: "nowhere", text: "?")))
        #expect(bench.reports.count == 1 && bench.desk.waitingMessages == [lines[2]])
    }

    @Test func theCallIsJoinedByItself() {
        var bench = Bench()
        bench.online()
        var mine = conversation("c1")
        mine.autoJoinsCall = true
        bench.put(.begin(waiter: 1, clientId: "k1", type: .video, data: [:]))
        bench.put(.created(clientId: "k1", .success(mine)))
        #expect(bench.actions.last == .startCall(conversation: "c1", .video))
        // Somebody else's, into which we are taken while its call is under way.
        var other = conversation("c2", people: ["ada"])
        other.autoJoinsCall = true
        other.call = Conversation.Call(callType: .audio, startedBy: "ada")
        bench.put(.notice(.conversation(info(other))))
        #expect(!bench.actions.contains(.joinCall(conversation: "c2", .audio)), "we are not in it")
        other.participants.append(Conversation.Participant(personId: "vera", role: .visitor))
        bench.put(.notice(.conversation(info(other))))
        #expect(bench.actions.contains(.joinCall(conversation: "c2", .audio)))
    }

    @Test func aStopLeavesNobodyWaiting() {
        var bench = Bench()
        bench.opened()
        bench.put(.callChanged(conversation: "c1", isActive: true))
        bench.put(.close)
        bench.put(.begin(waiter: 9, clientId: "k9", type: .chat, data: [:]))
        bench.put(.stop(ClientError(.stopped, "stopped")))
        #expect(bench.code == .stopped)
        #expect(bench.actions.contains(.endCall(conversation: "c1")))
    }
}
