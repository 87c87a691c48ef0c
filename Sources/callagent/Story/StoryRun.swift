import Foundation

/// Plays stories, all at once, and says what came of them.
struct StoryRun: Sendable {
    /// Stories at once.
    var clients = 1
    var patience = StoryPatience(seconds: 30)
    /// What opens notifications.
    var program = "/proc/self/exe"
    /// Gets a line whenever something is done.
    var says: @Sendable (String) -> Void = { _ in }

    /// Throws what keeps the server, the carrier or the desk from being started.
    func run() async throws -> StoryReport {
        let world = try await StoryWorld(clients: clients, patience: patience, program: program)
        var report = StoryReport(clients: clients)
        let begun = ContinuousClock.now
        let before = Resources.now
        let playing = Task { [self] in await play(in: world) }
        let interruption = Task {
            await Interruption.wait()
            playing.cancel()
        }
        var durations: [Double] = []
        for played in await playing.value {
            report.steps += played.steps
            if let failure = played.failure {
                report.failures.append(failure)
            } else {
                report.whole += 1
                durations.append(played.seconds)
            }
        }
        interruption.cancel()
        report.interrupted = Interruption.cause?.rawValue
        report.seconds = Self.rounded((ContinuousClock.now - begun) / .seconds(1))
        report.journal = await world.stop()
        let after = Resources.now
        report.cpuSeconds = Self.rounded(after.cpuSeconds - before.cpuSeconds)
        report.peakRSSMiB = Self.rounded(after.peakRSSMiB)
        durations.sort()
        if let first = durations.first, let last = durations.last {
            report.storySeconds = [first, durations[durations.count / 2], last].map(Self.rounded)
        }
        return report
    }

    /// What came of one story.
    private struct Played: Sendable {
        var steps: [StoryStep] = []
        var failure: StoryBreak?
        /// That it took.
        var seconds = 0.0
    }

    private func play(in world: StoryWorld) async -> [Played] {
        await withTaskGroup(of: Played.self) { group in
            for number in 1...clients { group.addTask { await play(number, in: world) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func play(_ number: Int, in world: StoryWorld) async -> Played {
        let (isAlone, says) = (clients == 1, says)
        let start = ContinuousClock.now
        var played = Played()
        do {
            let story = try Story(number, in: world) { step in if isAlone { says(step.line) } }
            await story.play()
            played.steps = await story.steps
            played.failure = await story.failure
        } catch {
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
