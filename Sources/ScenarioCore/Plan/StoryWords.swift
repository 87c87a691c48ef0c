/// Who sees something in a story.
package enum StorySide: String, CaseIterable, Sendable, Hashable, Codable {
    /// The visitor's client.
    case visitor
    /// The agent's client.
    case agent
    /// The process beside the visitor's application, which opens notifications.
    case device
    /// Whoever carries notifications.
    case carrier
    /// The call server, by its journal; or the chat's support.
    case server
}

/// What happens in a story.
package enum StoryWord: String, CaseIterable, Sendable, Hashable {
    case start
    case message
    case push
    case ring
    case lockedAnswer = "locked-answer"
    case authentication
    case talk
    case greeting
    case indicator
    case drop
    case callBack = "call-back"
    case files
    case coBrowsing = "co-browsing"
    case hangUp = "hang-up"
    case missedCall = "missed-call"
    case backAgain = "back-again"
    case chat
    case end
}

/// What one side sees in a step.
package enum StorySight: String, CaseIterable, Sendable, Hashable {
    /// A client runs, and none does.
    case ready
    case noClient = "no-client"
    /// An agent is there; the device is registered for notifications.
    case agentAvailable = "agent-available"
    case pushKey = "push-key"
    /// The conversation waits for an agent; it is over.
    case queue
    case conversationOver = "conversation-over"
    /// The other side's words, and that the service has one's own.
    case words
    case sent
    /// A notification: it can't be read on the way, it is shown once, it is not shown.
    case sealed
    case shownOnce = "shown-once"
    case notShown = "not-shown"
    case missedCall = "missed-call"
    /// A call: it rings, waits for the device, is connected, has one side alone in it, is over.
    case rings
    case waits
    case connected
    case alone
    case callOver = "call-over"
    /// The other side in the call, its pictures, its tone.
    case other
    case pictures
    case tone
    /// The greeting, and that it was never heard together with the call.
    case greeting
    case noGreeting = "no-greeting"
    /// The other side's picture in the indicator.
    case indicator
    /// The file with the bytes that were sent.
    case file
    /// What is shared, what is typed, and nothing of the covered area; the pointer of who watches.
    case screen
    case typed
    case covered
    case pointer
    /// What the journal says of a call.
    case incomingCall = "incoming-call"
    case established
    case ended
    /// What was asked, and what was answered, at the service desk.
    case question
    case answer
}

extension StoryWord {
    /// What each side has to see, whoever asks for it or not: a step that lacks some of it is not done.
    package var sights: [StorySide: [StorySight]] {
        switch self {
        case .start: [.visitor: [.ready, .agentAvailable, .pushKey], .agent: [.ready]]
        case .message: [.visitor: [.sent, .words, .notShown], .agent: [.queue, .sent, .words]]
        case .push: [.visitor: [.noClient], .agent: [.sent], .carrier: [.sealed], .device: [.shownOnce]]
        case .ring: [.visitor: [.rings, .noClient], .carrier: [.sealed], .server: [.incomingCall]]
        case .lockedAnswer: [.visitor: [.waits, .noClient], .agent: [.connected, .alone]]
        case .authentication: [.visitor: [.connected, .ready], .agent: [.alone, .other]]
        case .talk:
            [.visitor: [.pictures, .tone], .agent: [.pictures, .tone], .server: [.established]]
        case .greeting: [.visitor: [.greeting], .agent: [.tone, .noGreeting]]
        case .indicator: [.visitor: [.indicator], .agent: [.indicator]]
        case .drop:
            [.visitor: [.callOver, .sent, .words], .agent: [.alone, .callOver, .sent, .words], .server: [.ended]]
        case .callBack: [.visitor: [.connected], .agent: [.rings, .connected]]
        case .files: [.visitor: [.file], .agent: [.file]]
        case .coBrowsing: [.visitor: [.pointer], .agent: [.screen, .typed, .covered]]
        case .hangUp: [.visitor: [.alone, .callOver], .agent: [.callOver], .server: [.ended]]
        case .missedCall:
            [
                .visitor: [.noClient], .agent: [.callOver], .carrier: [.sealed], .device: [.missedCall],
                .server: [.ended],
            ]
        case .backAgain: [.visitor: [.ready, .sent], .agent: [.words]]
        case .chat: [.visitor: [.answer], .server: [.question]]
        case .end: [.visitor: [.conversationOver, .noClient], .agent: [.conversationOver, .noClient]]
        }
    }

    /// Media flows from here on, and until there.
    package var beginsCall: Bool { self == .ring || self == .callBack }
    package var endsCall: Bool { self == .drop || self == .hangUp }
}
