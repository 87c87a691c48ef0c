/// How far a story has come: whether a step can be done next, and what would have to come before it.
struct StoryCourse {
    private enum Visitor { case idle, running, offline }
    /// `ringing` on a locked device, `answered` there, `connected`, and `met` when both have been seen and heard.
    private enum Call { case none, ringing, answered, connected, met }

    private var hasBegun = false
    private var isOver = false
    private var visitor = Visitor.idle
    private var isOpen = false
    private var call = Call.none
    private var wasGreeted = false

    /// Takes a step; gives what keeps it from being done, nil where nothing does.
    mutating func take(_ word: StoryWord) -> String? {
        if let obstacle = obstacle(word) { return obstacle }
        apply(word)
        return nil
    }

    private func obstacle(_ word: StoryWord) -> String? {
        if isOver { return word == .chat ? nil : "the story has ended before it; put end after it" }
        if word == .start { return hasBegun ? "the story has begun already; begin it once" : nil }
        guard hasBegun else { return "nobody has started before it; put start first" }
        switch word {
        case .start, .chat: return nil
        case .message: return lacksVisitor ?? lacksQuiet
        case .push, .missedCall, .ring: return lacksConversation ?? lacksQuiet
        case .lockedAnswer:
            return call == .ringing ? nil : "no call rings on a locked device before it; put ring before it"
        case .authentication:
            return call == .answered
                ? nil : "no call was answered on a locked device before it; put locked-answer before it"
        case .talk, .indicator, .drop, .hangUp: return lacksCall
        case .greeting:
            return lacksCall
                ?? (call == .met && wasGreeted
                    ? nil
                    : "nobody was greeted and then heard the other before it; put locked-answer and talk before it")
        case .callBack: return lacksConversation ?? lacksVisitor ?? lacksQuiet
        case .files, .coBrowsing: return lacksConversation ?? lacksVisitor
        case .backAgain:
            return visitor == .offline ? nil : "the visitor is not away before it; put push or missed-call before it"
        case .end: return lacksConversation ?? lacksVisitor ?? lacksQuiet
        }
    }

    private mutating func apply(_ word: StoryWord) {
        switch word {
        case .start: (hasBegun, visitor) = (true, .running)
        case .message: isOpen = true
        case .push, .missedCall: visitor = .offline
        case .ring: (call, visitor, wasGreeted) = (.ringing, .idle, false)
        case .lockedAnswer: (call, wasGreeted) = (.answered, true)
        case .authentication: (call, visitor) = (.connected, .running)
        case .talk: call = .met
        case .drop, .hangUp: (call, wasGreeted) = (.none, false)
        case .callBack: call = .connected
        case .backAgain: visitor = .running
        case .end: isOver = true
        case .greeting, .indicator, .files, .coBrowsing, .chat: break
        }
    }

    private var lacksConversation: String? {
        isOpen ? nil : "there is no conversation before it; put message before it"
    }

    private var lacksCall: String? {
        call == .connected || call == .met
            ? nil : "there is no call before it; put ring, locked-answer and authentication before it, or call-back"
    }

    private var lacksVisitor: String? {
        switch visitor {
        case .running: nil
        case .offline: "the visitor is away before it; put back-again or a call before it"
        case .idle: "the visitor's application waits for a call before it; put authentication before it"
        }
    }

    private var lacksQuiet: String? {
        call == .none ? nil : "a call goes on before it; put drop or hang-up before it"
    }

    /// What keeps a story from being over.
    var lacksEnd: String? { isOver ? nil : "the story does not end; put end behind its steps" }
}
