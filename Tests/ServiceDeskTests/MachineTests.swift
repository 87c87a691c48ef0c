import ServiceDeskCore
import Testing

@Suite struct MachineTests {
    private static func comment(_ id: Int64, inbound: Bool = false, files: Int = 0) -> DeskComment {
        DeskComment(
            id: id, body: "text \(id)", isInbound: inbound,
            attachments: (0..<files).map { DeskAttachment(id: Int64($0), name: "file \($0)", size: 1) },
            createdAt: DeskDate(milliseconds: id * 1_000), author: DeskAuthor(name: "Ada"))
    }

    private static func ticket(_ id: Int64, isRead: Bool, _ last: DeskComment?) -> DeskTicket {
        DeskTicket(id: id, subject: "", isRead: isRead, lastComment: last)
    }

    // MARK: The two rules

    @Test func unreadCommentsAreToldOnceEach() throws {
        var watch = ReplyWatch()
        #expect(watch.take([], isChatOpen: false) == nil)
        let first = watch.take([Self.ticket(1, isRead: false, Self.comment(5, files: 2))], isChatOpen: false)
        #expect(first?.hasUnreadComments == true && first?.lastCommentText == "text 5")
        #expect(first?.lastCommentAttachmentsCount == 2 && first?.lastCommentAttachments == ["file 0", "file 1"])
        #expect(first?.utcTime == DeskDate(milliseconds: 5_000))
        #expect(watch.take([Self.ticket(1, isRead: false, Self.comment(5))], isChatOpen: false) == nil)
        let tickets = [Self.ticket(2, isRead: false, Self.comment(7)), Self.ticket(1, isRead: false, Self.comment(6))]
        #expect(watch.take(tickets, isChatOpen: false)?.lastCommentText == "text 7")
        #expect(watch.take(tickets, isChatOpen: false) == nil)
    }

    /// Rule 1: read on another device.
    @Test func readElsewhereIsTold() {
        var watch = ReplyWatch()
        _ = watch.take([Self.ticket(1, isRead: false, Self.comment(5))], isChatOpen: false)
        let read = watch.take([Self.ticket(1, isRead: true, Self.comment(5))], isChatOpen: false)
        #expect(read?.hasUnreadComments == false && read?.lastCommentText == "text 5")
        #expect(read?.lastCommentAttachmentsCount == 0 && read?.lastCommentAttachments == nil)
        #expect(watch.take([Self.ticket(1, isRead: true, Self.comment(5))], isChatOpen: false) == nil)
        let gone = { () -> DeskReply? in
            var watch = ReplyWatch()
            _ = watch.take([Self.ticket(1, isRead: false, Self.comment(5))], isChatOpen: false)
            return watch.take([], isChatOpen: false)
        }()
        #expect(gone?.lastCommentText == nil && gone?.utcTime == DeskDate.none)
    }

    /// Rule 2: never while the chat is open, and nothing of it later.
    @Test func anOpenChatIsSilent() {
        var watch = ReplyWatch()
        _ = watch.take([Self.ticket(1, isRead: false, Self.comment(5))], isChatOpen: false)
        watch.chatOpened()
        #expect(watch.take([Self.ticket(1, isRead: false, Self.comment(6))], isChatOpen: true) == nil)
        #expect(watch.take([Self.ticket(1, isRead: true, Self.comment(6))], isChatOpen: false) == nil)
        #expect(
            watch.take([Self.ticket(1, isRead: false, Self.comment(7))], isChatOpen: false)?.hasUnreadComments == true)
    }

    // MARK: Polling

    private static func polls(_ machine: inout DeskMachine, _ now: Int64) -> [DeskMachine.Poll] {
        var actions: [DeskMachine.Action] = []
        machine.advance(to: now, into: &actions)
        return actions.compactMap { if case .poll(let poll, _) = $0 { poll } else { nil } }
    }

    private static func answer(
        _ machine: inout DeskMachine, _ result: Result<DeskMachine.Answer, DeskError>, _ now: Int64, epoch: Int = 0
    ) -> [DeskEvent] {
        var actions: [DeskMachine.Action] = []
        machine.answered(result, epoch: epoch, now: now, into: &actions)
        return actions.compactMap { if case .report(let event) = $0 { event } else { nil } }
    }

    @Test func nobodyAsksForNobody() {
        var machine = DeskMachine(history: DeskHistory(), now: 0)
        #expect(machine.nextDeadline == nil && Self.polls(&machine, 1_000_000).isEmpty)
        machine.subscribe(now: 0)
        #expect(Self.polls(&machine, 0) == [.tickets])
        #expect(machine.nextDeadline == nil, "one question at a time")
        _ = Self.answer(&machine, .success(.tickets([])), 10)
        #expect(machine.nextDeadline == 5_010)
        machine.open(now: 20)
        #expect(Self.polls(&machine, 20) == [.feed])
        _ = Self.answer(&machine, .success(.feed([])), 30)
        machine.close()
        #expect(Self.polls(&machine, 5_030) == [.tickets])
        _ = Self.answer(&machine, .success(.tickets([])), 5_040)
        machine.unsubscribe()
        #expect(machine.nextDeadline == nil)
    }

    /// Every question of a quiet chat, until nobody asks any more; and again when something happens.
    @Test func theLadderOfAQuietChat() throws {
        var machine = DeskMachine(history: DeskHistory(), now: 0)
        machine.open(now: 0)
        var times: [Int64] = []
        var now: Int64 = 0
        while let deadline = machine.nextDeadline {
            now = max(now, deadline)
            times.append(now)
            #expect(Self.polls(&machine, now) == [.feed])
            _ = Self.answer(&machine, .success(.feed([])), now)
        }
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(gaps.filter { $0 == 5_000 }.count == 13 && gaps.filter { $0 == 15_000 }.count == 16)
        #expect(gaps.filter { $0 == 60_000 }.count == 55)
        #expect(gaps == gaps.sorted() && Set(gaps) == [5_000, 15_000, 60_000, 180_000])
        #expect((259_200_000...259_380_000).contains(now), "three days")
        machine.sent(Self.comment(1, inbound: true), now: now)
        #expect(Self.polls(&machine, now) == [.feed])
        _ = Self.answer(&machine, .success(.feed([])), now)
        #expect(machine.nextDeadline == now + 5_000)
    }

    @Test func newsBringTheFirstRungBack() {
        var machine = DeskMachine(history: DeskHistory(), now: 0)
        machine.open(now: 0)
        _ = Self.polls(&machine, 0)
        _ = Self.answer(&machine, .success(.feed([])), 200_000)
        #expect(machine.nextDeadline == 215_000)
        _ = Self.polls(&machine, 215_000)
        #expect(Self.answer(&machine, .success(.feed([Self.comment(1)])), 215_000) == [.comments([Self.comment(1)])])
        #expect(machine.nextDeadline == 220_000)
        _ = Self.polls(&machine, 220_000)
        #expect(Self.answer(&machine, .success(.feed([Self.comment(1)])), 220_000).isEmpty)
    }

    /// What happens while a question is on its way is asked for at once after it.
    @Test func aQuestionThatWasOvertaken() throws {
        var machine = DeskMachine(history: DeskHistory(), now: 0)
        machine.subscribe(now: 0)
        _ = Self.polls(&machine, 0)
        machine.open(now: 1)
        #expect(Self.polls(&machine, 1).isEmpty)
        #expect(Self.answer(&machine, .success(.tickets([Self.ticket(1, isRead: false, Self.comment(1))])), 2).isEmpty)
        #expect(Self.polls(&machine, 2) == [.feed])
        try machine.refresh(now: 3)
        _ = Self.answer(&machine, .success(.feed([])), 4)
        #expect(Self.polls(&machine, 4) == [.feed])
    }

    @Test func twentyRefreshesAMinute() throws {
        var machine = DeskMachine(history: DeskHistory(), now: 0)
        machine.open(now: 0)
        for second in 0..<20 { try machine.refresh(now: Int64(second) * 1_000) }
        #expect(throws: DeskError.self) { try machine.refresh(now: 59_999) }
        try machine.refresh(now: 60_000)
    }

    // MARK: Failures

    @Test func burstsOfFailuresAreToldOnce() {
        var machine = DeskMachine(history: DeskHistory(), now: 0)
        machine.subscribe(now: 0)
        func poll(_ result: Result<DeskMachine.Answer, DeskError>) -> [DeskEvent] {
            let now = max(0, machine.nextDeadline ?? 0)
            _ = Self.polls(&machine, now)
            return Self.answer(&machine, result, now)
        }
        let refused = DeskError(.authorizationFailed, "no")
        let away = DeskError(.unreachable, "away")
        #expect(poll(.failure(refused)) == [.authorizationFailed])
        #expect(poll(.failure(refused)).isEmpty && poll(.failure(away)).isEmpty && poll(.failure(refused)).isEmpty)
        #expect(poll(.success(.tickets([]))).isEmpty)
        #expect(poll(.failure(away)) == [.unreachable("away")] && poll(.failure(away)).isEmpty)
        #expect(poll(.failure(refused)) == [.authorizationFailed])
        #expect(poll(.success(.tickets([]))).isEmpty)
        #expect(poll(.failure(away)) == [.unreachable("away")])
        #expect(poll(.success(.tickets([]))) == [.reachable])
        #expect(poll(.failure(refused)) == [.authorizationFailed])
        machine.credentialsChanged(history: nil, now: 0)
        var actions: [DeskMachine.Action] = []
        machine.advance(to: 0, into: &actions)
        #expect(actions == [.poll(.tickets, epoch: 1)])
        #expect(Self.answer(&machine, .failure(refused), 1, epoch: 0).isEmpty, "of the former key")
        #expect(Self.answer(&machine, .failure(refused), 1, epoch: 1) == [.authorizationFailed])
    }

    /// A service behind a network that loses requests and answers: each comment is told once and in order, and the machine
    /// settles.
    @Test(arguments: 1...20) func aBadNetwork(seed: Int) throws {
        var generator = TestGenerator(seed: UInt64(seed))
        var service = DeskService(support: DeskAuthor(name: "Support"))
        let who = try DeskCredentials(appID: "app", deviceID: "d")
        let identity = DeskCommentRequest(
            ticketID: nil, comment: "q", attachments: [], userName: "Guest", clientID: "c")
        var machine = DeskMachine(history: DeskHistory(), now: 0)
        machine.open(now: 0)
        var (now, told, replies, health): (Int64, [Int64], [Int64], [Bool]) = (0, [], [], [])
        // Asked until it is acknowledged; there is one comment.
        repeat {
            let response = service.perform(DeskQuestion(credentials: who, call: .comment(identity)), now: .none)
            #expect(response.status == 200)
        } while Int.random(in: 0..<3, using: &generator) > 0
        for step in 0..<400 {
            now = max(now, try #require(machine.nextDeadline))
            #expect(Self.polls(&machine, now) == [.feed])
            if step < 350, Int.random(in: 0..<4, using: &generator) == 0 {
                let date = DeskDate(milliseconds: now)
                replies.append(try service.reply(ticket: 1, body: "r", now: date).comment.id)
            }
            now += Int64.random(in: 1...3_000, using: &generator)
            var result: Result<DeskMachine.Answer, DeskError> = .failure(DeskError(.unreachable, "lost"))
            // Lost on its way there, or on its way back: then the service takes it for read.
            let fate = step < 390 ? Int.random(in: 0..<3, using: &generator) : 0
            if fate < 2 {
                let response = service.perform(
                    DeskQuestion(credentials: who, call: .feed(DeskFeedRequest())), now: DeskDate(milliseconds: now))
                let comments = try DeskJSON.read(DeskFeedAnswer.self, response.body).comments
                if fate == 0 { result = .success(.feed(comments)) }
            }
            for event in Self.answer(&machine, result, now) {
                switch event {
                case .comments(let comments): told += comments.filter { !$0.isInbound }.map(\.id)
                case .reachable: health.append(true)
                case .unreachable: health.append(false)
                default: Issue.record("\(event)")
                }
            }
        }
        #expect(told == replies && replies.count > 20)
        #expect(service.overview(1)?.comments.filter(\.isInbound).count == 1)
        #expect(health.last == true && zip(health, health.dropFirst()).allSatisfy { $0 != $1 } && health.first == false)
    }
}
