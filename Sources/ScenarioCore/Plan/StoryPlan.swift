/// A story as values: what a visitor and an agent go through, step after step, and what must come of it.
package struct StoryPlan: Sendable, Hashable {
    package var name = ""
    package var about = ""
    /// Stories at once, each with a visitor and an agent.
    package var clients = 1
    /// Calls at once; nil: as many as the machine's cores bear.
    package var calls: Int?
    /// How long a side may take to see something; nil: longer for more stories.
    package var patienceMs: Int?
    /// In the file's order, which is that in which they are done.
    package var steps: [PlannedStoryStep] = []
    package var expectations: [StoryExpectation] = []
    /// Where the file says that it is a story.
    package var position = SourcePosition(line: 1, column: 1)

    package init() {}

    package subscript(step: String) -> PlannedStoryStep? { steps.first { $0.name == step } }
}

package struct PlannedStoryStep: Sendable, Hashable {
    /// Each of a file has another; what it does where the file gives none.
    package var name: String
    package var action: StoryAction
    package var position: SourcePosition

    package init(_ name: String, _ action: StoryAction, _ position: SourcePosition) {
        self.name = name
        self.action = action
        self.position = position
    }
}

/// What is done in a step, with what the file says of it.
package enum StoryAction: Sendable, Hashable {
    /// Both clients start; the device is registered.
    case start
    /// The visitor writes, the agent answers. The first one begins the conversation.
    case message(StoryWords)
    /// The agent writes while the visitor's application does not run.
    case push(text: String)
    /// The agent calls; the application is started for it.
    case ring(ScenarioProvider)
    /// Answered on a locked device.
    case lockedAnswer(greeting: String)
    case authentication
    /// Both see so many pictures of one another, and hear each other's tone.
    case talk(pictures: Int)
    case greeting
    case indicator
    /// The visitor drops the indicator; then the agent writes, and the visitor answers.
    case drop(StoryWords)
    /// The visitor calls.
    case callBack(ScenarioProvider)
    case files(StoryFiles)
    /// The visitor shares a screen.
    case coBrowsing(mask: StoryMask)
    case hangUp
    case missedCall
    /// The visitor comes back, and writes.
    case backAgain(text: String)
    /// The visitor asks the service desk.
    case chat(StoryWords)
    case end

    package var word: StoryWord {
        switch self {
        case .start: .start
        case .message: .message
        case .push: .push
        case .ring: .ring
        case .lockedAnswer: .lockedAnswer
        case .authentication: .authentication
        case .talk: .talk
        case .greeting: .greeting
        case .indicator: .indicator
        case .drop: .drop
        case .callBack: .callBack
        case .files: .files
        case .coBrowsing: .coBrowsing
        case .hangUp: .hangUp
        case .missedCall: .missedCall
        case .backAgain: .backAgain
        case .chat: .chat
        case .end: .end
        }
    }
}

/// What one writes and what the other answers.
package struct StoryWords: Sendable, Hashable {
    package var text: String
    package var answer: String

    package init(_ text: String, answer: String) {
        self.text = text
        self.answer = answer
    }
}

/// Bytes of files, from the visitor and to them.
package struct StoryFiles: Sendable, Hashable {
    package var upload = 70_001
    package var download = 40

    package init() {}
}

/// A part of the shared screen, in pixels.
package struct StoryMask: Sendable, Hashable {
    package var x = 80
    package var y = 96
    package var width = 160
    package var height = 32

    package init() {}

    /// The shared screen.
    package static let screen = (width: 320, height: 240)
    /// Where the visitor types, which must be seen.
    package static let field = StoryMask(x: 32, y: 32, width: 64, height: 16)

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package var isOnScreen: Bool {
        width > 0 && height > 0 && x >= 0 && y >= 0 && x <= Self.screen.width - width
            && y <= Self.screen.height - height
    }

    package func overlaps(_ other: StoryMask) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }
}

/// What must hold of a story, and where the file says so.
package struct StoryExpectation: Sendable, Hashable {
    package enum Claim: Sendable, Hashable {
        /// One side saw that in a step.
        case sees(StorySide, StorySight)
        /// One side's call went by that provider.
        case provider(StorySide, ScenarioProvider)
        /// How long the step took.
        case took(Limit)
        /// How long the greeting was heard, and how long together with the call.
        case greeting(Limit)
        case overlap(Limit)
        /// Of all stories, those that came to their end.
        case whole(Limit)
        case validJournal
    }

    /// Nil: of the whole story.
    package var step: String?
    package var claim: Claim
    package var position: SourcePosition
}
