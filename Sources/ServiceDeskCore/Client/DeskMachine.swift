/// A chat's client as a value: when the service is asked for what, and what the application is told. Time is milliseconds, and
/// handed in.
package struct DeskMachine: Sendable {
    /// A question to the service.
    package enum Poll: Sendable, Hashable {
        /// All comments, which have then been read.
        case feed
        /// The list alone: nothing counts as read.
        case tickets
    }

    package enum Answer: Sendable, Hashable {
        case feed([DeskComment])
        case tickets([DeskTicket])
    }

    package enum Action: Sendable, Hashable {
        /// Ask; the number comes back with the answer.
        case poll(Poll, epoch: Int)
        case report(DeskEvent)
    }

    private enum Health { case good, refused, away }

    private var isOpen = false
    private var isSubscribed = false
    private var lastActivity: Int64
    /// When the last question was answered; nil asks at once.
    private var lastAnswer: Int64?
    private var isAsking = false
    /// What is being asked may have been overtaken: ask once more.
    private var asksAgain = false
    /// Comments of ours that the service may have and we do not know yet.
    private var sending = 0
    /// Answers to what an earlier user asked are nobody's.
    private var epoch = 0
    private var health = Health.good
    private var watch = ReplyWatch()
    private var refreshes = SlidingWindow(limit: 20, period: 60_000)
    package private(set) var history: DeskHistory

    package init(history: DeskHistory, now: Int64) {
        self.history = history
        lastActivity = now
    }

    /// When `advance` has something to do; nil where nobody wants news, or it is being asked for.
    package var nextDeadline: Int64? {
        guard isOpen || isSubscribed, !isAsking, sending == 0 else { return nil }
        guard let lastAnswer else { return .min }
        return PollingLadder.interval(quiet: lastAnswer - lastActivity).map { lastAnswer + $0 }
    }

    package mutating func advance(to now: Int64, into actions: inout [Action]) {
        guard let deadline = nextDeadline, now >= deadline else { return }
        isAsking = true
        actions.append(.poll(isOpen ? .feed : .tickets, epoch: epoch))
    }

    // MARK: What the application does

    /// The chat is shown.
    package mutating func open(now: Int64) {
        guard !isOpen else { return }
        isOpen = true
        watch.chatOpened()
        touch(now)
    }

    /// The chat is no longer shown.
    package mutating func close() { isOpen = false }

    package mutating func subscribe(now: Int64) {
        guard !isSubscribed else { return }
        isSubscribed = true
        touch(now)
    }

    package mutating func unsubscribe() { isSubscribed = false }

    /// Asks now. Throws `tooOften` beyond 20 times in a minute.
    package mutating func refresh(now: Int64) throws(DeskError) {
        let wait = refreshes.wait(now: now)
        guard refreshes.take(now: now) else {
            throw DeskError(
                .tooOften, "a chat is refreshed 20 times a minute at most; wait \((wait + 999) / 1_000) s",
                retryAfter: wait)
        }
        lastAnswer = nil
        asksAgain = isAsking
    }

    /// A comment is on its way: a feed that is read meanwhile could show it as somebody else's.
    package mutating func beginSending() { sending += 1 }

    package mutating func endSending() { sending = max(0, sending - 1) }

    /// Something was written.
    package mutating func sent(_ comment: DeskComment, now: Int64) {
        _ = history.merge([comment])
        touch(now)
    }

    /// Another user, or the same with another key.
    package mutating func credentialsChanged(history: DeskHistory?, now: Int64) {
        epoch += 1
        isAsking = false
        asksAgain = false
        health = .good
        if let history {
            self.history = history
            watch = ReplyWatch()
        }
        touch(now)
    }

    private mutating func touch(_ now: Int64) {
        lastActivity = now
        lastAnswer = nil
        asksAgain = isAsking
    }

    // MARK: What the service says

    package mutating func answered(
        _ result: Result<Answer, DeskError>, epoch: Int, now: Int64, into actions: inout [Action]
    ) {
        guard epoch == self.epoch else { return }
        isAsking = false
        lastAnswer = asksAgain ? nil : now
        asksAgain = false
        switch result {
        case .success(let answer):
            recovered(into: &actions)
            take(answer, now, &actions)
        case .failure(let error): failed(error, into: &actions)
        }
    }

    /// Something else than a poll has reached the service, or not: bursts of failures are told once.
    package mutating func failed(_ error: DeskError, into actions: inout [Action]) {
        if error.code == .authorizationFailed {
            guard health != .refused else { return }
            health = .refused
            actions.append(.report(.authorizationFailed))
        } else if error.code == .unreachable {
            guard health == .good else { return }
            health = .away
            actions.append(.report(.unreachable(error.message)))
        }
    }

    package mutating func recovered(into actions: inout [Action]) {
        if health == .away { actions.append(.report(.reachable)) }
        health = .good
    }

    private mutating func take(_ answer: Answer, _ now: Int64, _ actions: inout [Action]) {
        switch answer {
        case .feed(let comments):
            guard sending == 0 else { return lastAnswer = nil }
            let new = history.merge(comments)
            guard !new.isEmpty else { return }
            lastActivity = now
            actions.append(.report(.comments(new)))
        case .tickets(let tickets):
            guard let reply = watch.take(tickets, isChatOpen: isOpen), isSubscribed else { return }
            if reply.hasUnreadComments { lastActivity = now }
            actions.append(.report(.reply(reply)))
        }
    }
}
