import Foundation
import ScenarioCore

/// Plays stories, all at once, and says what came of them.
struct StoryRun: Sendable {
    /// What is played, and how often at once.
    var plan: StoryPlan
    /// What opens notifications.
    var program = "/proc/self/exe"
    /// Gets a line whenever something is done.
    var says: @Sendable (String) -> Void = { _ in }

    /// What a side may take to see something: longer where many are at it.
    private var patience: StoryPatience {
        StoryPatience(seconds: plan.patienceMs.map { Double($0) / 1_000 } ?? 30 + Double(plan.clients))
    }

    private var calls: Int { min(plan.calls ?? StoryLanes.usual, plan.clients) }

    /// What came of all of them, and of each step of each.
    struct Outcome: Sendable {
        var report: StoryReport
        var verdicts: [StoryVerdict]
    }

    /// Throws `ExitStatus.Failure` where the server, the carrier or the desk can't be started.
    func outcome() async throws -> Outcome {
        do { return try await run() } catch {
            throw ExitStatus.Failure(status: .environment, message: "the story can't begin: \(error)")
        }
    }

    private func run() async throws -> Outcome {
        let world = try await StoryWorld(plan, calls: calls, patience: patience, program: program)
        var report = StoryReport(clients: plan.clients)
        let begun = ContinuousClock.now
        let before = Resources.now
        let playing = Task { [self] in await play(in: world) }
        let interruption = Task {
            await Interruption.wait()
            playing.cancel()
        }
        let played = await playing.value
        interruption.cancel()
        report.interrupted = Interruption.cause?.rawValue
        report.seconds = Self.rounded((ContinuousClock.now - begun) / .seconds(1))
        report.conversationsAtOnce = await world.gathering.together
        (report.callLanes, report.callsAtOnce) = (calls, await world.calls.most)
        report.journal = await world.stop()
        let after = Resources.now
        report.cpuSeconds = Self.rounded(after.cpuSeconds - before.cpuSeconds)
        report.peakRSSMiB = Self.rounded(after.peakRSSMiB)
        note(played, &report)
        let judge = StoryJudge(
            plan, clients: plan.clients, played.flatMap(\.observations),
            endings: report.failures.map { StoryEnding(client: $0.client, step: $0.step, reason: $0.told) },
            journalViolations: report.journal.violations)
        return Outcome(report: report, verdicts: judge.verdicts())
    }

    private func note(_ played: [Played], _ report: inout StoryReport) {
        report.steps = played.flatMap(\.steps)
        report.failures = played.compactMap(\.failure)
        report.whole = played.count - report.failures.count
        let durations = played.filter { $0.failure == nil }.map(\.seconds).sorted()
        if let first = durations.first, let last = durations.last {
            report.storySeconds = [first, durations[durations.count / 2], last].map(Self.rounded)
        }
    }

    /// What came of one story.
    private struct Played: Sendable {
        var steps: [StoryStep] = []
        var observations: [StoryObservation] = []
        var failure: StoryBreak?
        /// That it took.
        var seconds = 0.0
    }

    private func play(in world: StoryWorld) async -> [Played] {
        await withTaskGroup(of: Played.self) { group in
            for number in 1...plan.clients { group.addTask { await play(number, in: world) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func play(_ number: Int, in world: StoryWorld) async -> Played {
        let (isAlone, says) = (plan.clients == 1, says)
        let start = ContinuousClock.now
        var played = Played()
        do {
            let story = try Story(number, in: world) { step in if isAlone { says(step.line) } }
            await story.play()
            played.steps = await story.steps
            played.observations = await story.observations
            played.failure = await story.failure
        } catch {
            await world.gathering.miss()
            let side = (error as? StoryFailure)?.side ?? .visitor
            played.failure = StoryBreak(client: number, step: "start", side: side.rawValue, what: "\(error)")
        }
        played.seconds = (ContinuousClock.now - start) / .seconds(1)
        if let failure = played.failure {
            says("failed: \(failure.line)")
        } else if !isAlone {
            says(String(format: "vera-%d: whole in %.1f s", number, played.seconds))
        }
        return played
    }

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
