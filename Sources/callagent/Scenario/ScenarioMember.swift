import CallBridge
import MediaCore
import ScenarioCore

/// One person of a scenario at work: joins, does what the plan says, and takes down what they see, hear and are told.
actor ScenarioMember {
    nonisolated let person: PlannedPerson
    /// On test cards and stamps.
    nonisolated let number: Int
    nonisolated let log: ScenarioLog
    private let scene: ScenarioScene
    private let tracks: ScenarioTracks
    private var session: Session?
    private var tail: Task<Void, Never>?
    private var recordings: ContainerRecordings?

    /// One stay in the call.
    private struct Session {
        var call: Call
        var bridge: CallBridge
        var follower: CallFollower
        var sound: Track?
        var card: Track?
        var output: CallAudioOutput?
    }

    init(_ person: PlannedPerson, number: Int, in scene: ScenarioScene) {
        self.person = person
        self.number = number
        self.scene = scene
        log = ScenarioLog(person, scene: scene)
        tracks = ScenarioTracks(person, number: number, in: scene)
    }

    var call: Call? { session?.call }
    var isThere: Bool { session != nil }

    // MARK: Steps

    /// Does something after everything that was asked for before; returns at once.
    func enqueue(_ action: ScenarioAction, line: Int) {
        let before = tail
        tail = Task {
            await before?.value
            await perform(action, line: line)
        }
    }

    /// Everything that was asked for has been done.
    func settle() async { await tail?.value }

    /// Does something now; what can't be done is noted with the line that asks for it.
    func perform(_ action: ScenarioAction, line: Int) async {
        do { try await perform(action) } catch {
            // A call that has ended by itself is judged by its own expectations.
            log.noteTrouble("line \(line): \(error)")
        }
    }

    private func perform(_ action: ScenarioAction) async throws {
        switch action {
        case .join: await join()
        case .leave: await leave()
        case .mute(let media): try await setMuted(true, media)
        case .unmute(let media): try await setMuted(false, media)
        case .speak: tracks.setSpeaking(true)
        case .hush: tracks.setSpeaking(false)
        case .show: try await show()
        case .hide: try await hide()
        case .roam(let name, let moves):
            if let name { try await scene.stage.setNetwork(name, of: person.identity) }
            if moves { try await scene.stage.changeAddress(person.identity) }
        case .drop: try await scene.stage.setCut(true, person.identity)
        case .restore: try await scene.stage.setCut(false, person.identity)
        case .remove: try await scene.stage.remove(person.identity)
        case .ring, .answer, .decline, .transfer, .endRoom, .stopProvider: break
        }
    }

    // MARK: Coming and going

    /// Joins and publishes; why they were not let in is noted.
    func join() async {
        guard session == nil || log.hasEnded else { return }
        session = nil
        log.begin()
        do { try await enter() } catch { log.noteFailure("\(error)") }
    }

    private func enter() async throws {
        var configuration = try await scene.stage.configuration(for: person)
        configuration.engine = scene.engine
        configuration.clock = scene.stage.clock
        configuration.media.reception = person.reception.isCounted ? .counted : .decoded
        configuration.media.frameEncryption = person.key.map { FrameEncryption(sharedKey: $0) }
        let bridge = CallBridge(configuration: configuration)
        let output = try await greet(bridge)
        let call: Call
        do {
            call = try await bridge.join(
                conversation: scene.plan.room, as: person.identity, subscribesAutomatically: person.reception.receives)
        } catch {
            output?.close()
            throw error
        }
        let follower = scene.journal.follower(of: person.identity)
        follower.begin()
        if person.reception.records { recordings = try recordings ?? scene.recordings(of: person.identity) }
        await log.joined(call, recordings: recordings)
        await call.observe { follower.note($0) }
        if let output { call.play(to: output) }
        session = Session(call: call, bridge: bridge, follower: follower, output: output)
        try await publish()
    }

    private func greet(_ bridge: CallBridge) async throws -> CallAudioOutput? {
        guard let text = person.greeting else { return nil }
        let greeting = VoiceGreeting(text: text)
        let samples = try greeting.samples()
        let output = bridge.makeOutput(sinks: [])
        output.greet(samples: samples, pauseMilliseconds: greeting.pauseMilliseconds)
        return output
    }

    private func publish() async throws {
        guard let call = session?.call else { return }
        if let sound = try tracks.sound() {
            session?.sound = try await call.publish(track: sound, source: .microphone)
        }
        if let card = try tracks.card() { session?.card = try await call.publish(track: card, source: .camera) }
        session?.follower.publish(await call.publishedMedia)
    }

    /// Leaves in order; what was counted stays.
    func leave() async {
        guard let session else { return }
        log.take(await session.call.statistics())
        await session.call.leave()
        let exclusion = await session.call.exclusion
        self.session = nil
        log.close(exclusion: exclusion, greeting: session.output.map { GreetingSummary("", $0) })
        session.output?.close()
    }

    /// Completes the recordings.
    func finish() { log.noteRecordings(recordings?.close() ?? []) }

    // MARK: Media

    private func setMuted(_ isMuted: Bool, _ media: [ScenarioMedia]) async throws {
        guard let session else { return }
        if media.contains(.audio), let sound = session.sound { try await session.call.setMuted(isMuted, sound) }
        if media.contains(.video), let card = session.card { try await session.call.setMuted(isMuted, card) }
        session.follower.publish(await session.call.publishedMedia)
    }

    private func show() async throws {
        guard let call = session?.call, session?.card == nil, let card = try tracks.card() else { return }
        session?.card = try await call.publish(track: card, source: .camera)
        session?.follower.publish(await call.publishedMedia)
    }

    private func hide() async throws {
        guard let call = session?.call, let card = session?.card else { return }
        session?.card = nil
        try await call.unpublish(card)
        session?.follower.publish(await call.publishedMedia)
    }

    // MARK: Measuring

    /// Takes down what came since the slice before.
    func sample(_ slices: Range<Int>) async {
        guard let session else { return log.takeSlices(slices, nil) }
        log.takeSlices(slices, await session.call.statistics())
    }
}
