import ClientCore
import ClientNotifications
import ClientStorage
import Foundation
import Logging
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
    /// The second call.
    var second = ""
    private(set) var steps: [StoryStep] = []
    private(set) var failure: StoryBreak?
    private let tell: @Sendable (StoryStep) -> Void

    /// Throws where the folder of preferences can't be made.
    ///
    /// - Parameters:
    ///   - number: from 1.
    ///   - tell: gets each step when it is done.
    init(_ number: Int, in world: StoryWorld, tell: @escaping @Sendable (StoryStep) -> Void) throws {
        guard let screen = StoryScreen() else { throw StoryFailure(.visitor, "no screen of that size is possible") }
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
        let parts: [(String, (inout StorySightings) async throws -> Void)] = [
            ("start", start), ("message", message), ("push", push), ("ring", ring), ("locked answer", lockedAnswer),
            ("authentication", authentication), ("opentok call", openTokCall), ("greeting", greeting),
            ("indicator", indicator), ("drop", drop), ("livekit call", liveKitCall), ("files", files),
            ("co-browsing", coBrowsing), ("hang up", hangUp), ("missed call", missedCall), ("back again", backAgain),
            ("chat", chat), ("end", end),
        ]
        for (name, part) in parts {
            guard await play(name, part) else { break }
        }
        await visitor.stop()
        await agent.stop()
    }

    private func play(_ name: String, _ part: (inout StorySightings) async throws -> Void) async -> Bool {
        let begun = ContinuousClock.now
        var saw = StorySightings()
        do { try await part(&saw) } catch {
            let known = error as? StoryFailure ?? StoryFailure(.visitor, "\(error)")
            failure = StoryBreak(client: number, step: name, side: known.side.rawValue, what: known.what)
            return false
        }
        let took = (ContinuousClock.now - begun) / .milliseconds(1)
        let step = StoryStep(
            client: number, step: name, ms: (took * 10).rounded() / 10,
            saw: Dictionary(uniqueKeysWithValues: saw.sides.map { ($0.key.rawValue, $0.value) }))
        steps.append(step)
        tell(step)
        return true
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
