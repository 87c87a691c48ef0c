import ClientCore
import ClientNotifications
import ClientStorage
import Foundation
import Logging
import ScenarioCore
import ServiceDesk

/// One visitor and one agent, from good morning to good bye. Each step is asserted from both sides.
actor Story {
    nonisolated let number: Int
    nonisolated let world: StoryWorld
    nonisolated let agent: StoryPerson
    nonisolated let screen: StoryScreen
    /// What the visitor's application and the process beside it share.
    nonisolated let preferences: String
    /// The visitor's application and its notifications; others after each cold start.
    var visitor: StoryPerson
    var notifications: PushNotifications?
    var conversation = ""
    /// The call that goes on, or the latest.
    var call = ""
    /// Who carries it, as the file says.
    var provider = ScenarioProvider.livekit
    /// Its application was stopped, and a new one has to be started.
    var isDown = false
    private(set) var steps: [StoryStep] = []
    private(set) var observations: [StoryObservation] = []
    private(set) var failure: StoryBreak?
    private var isInCall = false
    private var hasGathered = false
    private let tell: @Sendable (StoryStep) -> Void

    /// Throws where the folder of preferences can't be made.
    ///
    /// - Parameters:
    ///   - number: from 1.
    ///   - tell: gets each step when it is done.
    init(_ number: Int, in world: StoryWorld, tell: @escaping @Sendable (StoryStep) -> Void) throws {
        guard let screen = StoryScreen(secret: world.mask) else {
            throw StoryFailure(.visitor, "no screen of that size is possible")
        }
        self.number = number
        self.world = world
        self.tell = tell
        self.screen = screen
        preferences = try world.folder("phone-\(number)")
        agent = try StoryPerson(.agent, number, in: world)
        visitor = try StoryPerson(.visitor, number, in: world)
    }

    var patience: StoryPatience { world.patience }

    /// The visitor's device at the carrier.
    nonisolated var pushToken: String { "device:\(number)" }

    /// All of it, to the end or to the first thing that was not seen. Everything is stopped then.
    func play() async {
        for step in world.plan.steps {
            if step.action.word.beginsCall { await enterCall() }
            let isDone = await play(step)
            if isInCall, !isDone || step.action.word.endsCall { await leaveCall() }
            guard isDone else { break }
            if step.action.word == .message { await gather() }
        }
        if !hasGathered { await world.gathering.miss() }
        await visitor.stop()
        await agent.stop()
    }

    /// Media is work for the machine: so many calls go on at once, and nobody's patience is for the others.
    private func enterCall() async {
        await world.calls.enter()
        isInCall = true
    }

    private func leaveCall() async {
        isInCall = false
        await world.calls.leave()
    }

    /// The conversation is open; the story goes on when those of all others are.
    private func gather() async {
        guard !hasGathered else { return }
        hasGathered = true
        await world.gathering.arrive()
    }

    private func play(_ planned: PlannedStoryStep) async -> Bool {
        let begun = ContinuousClock.now
        var saw = StorySightings()
        do { try await perform(planned.action, &saw) } catch {
            let known = error as? StoryFailure ?? StoryFailure(.visitor, "\(error)")
            failure = StoryBreak(client: number, step: planned.name, side: known.side.rawValue, what: known.what)
            return false
        }
        let took = (ContinuousClock.now - begun) / .milliseconds(1)
        let step = StoryStep(number, planned.name, took, saw)
        steps.append(step)
        observations.append(saw.observation(number, planned.name, milliseconds: took))
        tell(step)
        return true
    }

    private func perform(_ action: StoryAction, _ saw: inout StorySightings) async throws {
        switch action {
        case .start: try await start(&saw)
        case .message(let words): try await message(spoken(words), &saw)
        case .push(let text): try await push(spoken(text), &saw)
        case .ring(let provider): try await ring(provider, &saw)
        case .lockedAnswer(let greeting): try await lockedAnswer(spoken(greeting), &saw)
        case .authentication: try await authentication(&saw)
        case .talk(let pictures): try await talk(pictures, &saw)
        case .greeting: try await greeting(&saw)
        case .indicator: try await indicator(&saw)
        case .drop(let words): try await drop(spoken(words), &saw)
        case .callBack(let provider): try await callBack(provider, &saw)
        case .files(let files): try await self.files(files, &saw)
        case .coBrowsing: try await coBrowsing(&saw)
        case .hangUp: try await hangUp(&saw)
        case .missedCall: try await missedCall(&saw)
        case .backAgain(let text): try await backAgain(spoken(text), &saw)
        case .chat(let words): try await chat(spoken(words), &saw)
        case .end: try await end(&saw)
        }
    }

    /// `{n}` in a text is the story's number.
    private func spoken(_ text: String) -> String { text.replacingOccurrences(of: "{n}", with: "\(number)") }

    private func spoken(_ words: StoryWords) -> StoryWords {
        StoryWords(spoken(words.text), answer: spoken(words.answer))
    }

    /// Throws `StoryFailure` where something is not so.
    func expect(_ side: StorySide, _ what: @autoclosure () -> String, _ isTrue: Bool) throws {
        if !isTrue { throw StoryFailure(side, what()) }
    }

    /// The visitor's application is started by its system, as after an installation or a push: nothing of an earlier one is left
    /// but the preferences.
    ///
    /// - Parameter facts: what is told of push.
    func launch(_ facts: EventHistory<String>) async throws -> PushNotifications {
        let notifications = PushNotifications(
            PushSettings(device: "vera-\(number)-phone", carrier: .fcm),
            store: NotificationStore(try FilePreferenceStore(directory: preferences)),
            logger: Logger(label: "callbridge.push") { _ in FactLog(facts: facts) })
        await notifications.setToken(pushToken, .remote)
        await visitor.stop()
        visitor = try StoryPerson(.visitor, number, in: world, notifications: notifications, screen: screen)
        self.notifications = notifications
        isDown = false
        return notifications
    }
}

/// Keeps the facts about push.
private struct FactLog: LogHandler {
    let facts: EventHistory<String>
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.info

    init(facts: EventHistory<String>) { self.facts = facts }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { facts.note("\(event.message)") }
}
