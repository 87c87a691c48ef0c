import CallBridge
import MediaCore
import ScenarioCore

/// A scenario at work: does what its plan says when it is due, takes samples, and has what came of it judged.
actor ScenarioRun {
    private let scene: ScenarioScene
    private let file: String
    private let seed: UInt64
    private let progress: Progress
    private let members: [String: ScenarioMember]
    private let ring: ScenarioRing?
    private var nextStep = 0
    private var nextSlice = 0
    private var troubles: [String] = []
    private let lateBefore = WakeMeter.process.lateness

    init(_ scene: ScenarioScene, file: String, seed: UInt64, progress: Progress) {
        self.scene = scene
        self.file = file
        self.seed = seed
        self.progress = progress
        members = Dictionary(
            uniqueKeysWithValues: scene.plan.people.enumerated().map {
                ($1.identity, ScenarioMember($1, number: $0 + 1, in: scene))
            })
        ring = ScenarioRing(scene, members)
    }

    private var plan: ScenarioPlan { scene.plan }

    /// Everybody, in the file's order.
    private var people: [ScenarioMember] { plan.people.compactMap { members[$0.identity] } }

    /// Runs it to its end, or to an interruption. Throws what keeps it from beginning.
    func run() async throws -> ScenarioReport {
        try await ring?.start()
        for person in plan.people {
            guard let network = person.network else { continue }
            try await scene.stage.setNetwork(network, of: person.identity)
        }
        while scene.elapsedMs < plan.durationMs, Interruption.cause == nil { await advance() }
        let endMs = min(scene.elapsedMs, plan.durationMs)
        await leave()
        progress.end()
        return report(endMs)
    }

    // MARK: Time

    /// Lets time go to what is due next, and does it.
    private func advance() async {
        let slice = plan.sliceMs
        var due = min((nextSlice + 1) * slice, plan.durationMs)
        if nextStep < plan.steps.count { due = min(due, plan.steps[nextStep].atMs) }
        // Devices ring in small steps of the stage's time.
        if ring != nil { due = min(due, scene.elapsedMs + 20) }
        if due > scene.elapsedMs { await scene.stage.pass(until: scene.time(of: due)) }
        await ring?.advance()
        let over = min(scene.elapsedMs, plan.durationMs) / slice
        if over > nextSlice { await sample(nextSlice..<over) }
        while nextStep < plan.steps.count, plan.steps[nextStep].atMs <= scene.elapsedMs {
            nextStep += 1
            await perform(plan.steps[nextStep - 1])
        }
    }

    /// Where this machine is late several slices are over at once; what came counts for all of them.
    private func sample(_ slices: Range<Int>) async {
        nextSlice = slices.upperBound
        if scene.stage.mode == .virtual {
            for member in people { await member.sample(slices) }
        } else {
            await withTaskGroup(of: Void.self) { group in
                for member in people { group.addTask { await member.sample(slices) } }
            }
        }
        show()
    }

    private func show() {
        let there = members.values.count { $0.log.isConnected }
        let tracks = members.values.reduce(0) { $0 + $1.log.flowing }
        let seconds = Decimal.text(Double(scene.elapsedMs / 100) / 10)
        progress.show(
            "\(plan.name): \(seconds) of \(Decimal.text(Double(plan.durationMs) / 1000)) s, \(there) connected, "
                + "\(tracks) tracks")
    }

    // MARK: Steps

    private func perform(_ step: PlannedStep) async {
        do {
            switch step.action {
            case .endRoom: try await scene.stage.endRoom()
            case .stopProvider(let provider): try await scene.stage.stop(provider)
            default: await performPersonal(step)
            }
        } catch {
            troubles.append("line \(step.position.line): \(error)")
        }
    }

    /// In virtual time one thing is done after another, so that the same seed gives the same course. In real time nobody
    /// waits for the other.
    private func performPersonal(_ step: PlannedStep) async {
        guard let who = step.who, let member = members[who] else { return }
        if let ring, await ring.perform(step.action, of: who, line: step.position.line) { return }
        if case .transfer(let other) = step.action { return await transfer(member, to: other, step) }
        if scene.stage.mode == .virtual {
            await member.perform(step.action, line: step.position.line)
        } else {
            await member.enqueue(step.action, line: step.position.line)
        }
    }

    /// Without ringing: the one comes and the other goes.
    private func transfer(_ member: ScenarioMember, to other: String, _ step: PlannedStep) async {
        await members[other]?.perform(.join, line: step.position.line)
        await member.perform(.leave, line: step.position.line)
    }

    // MARK: The end

    private func leave() async {
        for member in people { await member.settle() }
        let remaining = people.filter { !$0.log.hasEnded }
        let stayed = Set(remaining.map(\.person.identity))
        await ring?.stop()
        if scene.stage.mode == .virtual {
            for member in people { await member.leave() }
        } else {
            await withTaskGroup(of: Void.self) { group in
                for member in people { group.addTask { await member.leave() } }
            }
        }
        for member in people {
            await member.finish()
            if stayed.contains(member.person.identity) { member.log.noteStayed() }
        }
        troubles += people.flatMap(\.log.troubles)
        await scene.stage.close()
        await scene.engine.shutdown()
    }

    private func report(_ endMs: Int) -> ScenarioReport {
        let violations = scene.journal.finish()
        let observations = people.map(\.log.observation)
        let judge = ScenarioJudge(plan, observations, journalViolations: violations, endMs: endMs)
        var report = ScenarioReport(plan, file: file, mode: scene.stage.mode, seed: seed)
        report.durationSeconds = Double(endMs) / 1000
        report.expectations = judge.verdicts().map(ScenarioReport.Expected.init)
        report.people = observations.map(ScenarioReport.Person.init)
        report.troubles = troubles
        report.journalViolations = violations
        if endMs < plan.durationMs { report.interrupted = Interruption.cause?.rawValue ?? "the end" }
        if scene.stage.mode == .sockets {
            report.lateMilliseconds = WakeMeter.process.lateness.since(lateBefore).lateMilliseconds.rounded()
        }
        report.conclude()
        return report
    }
}
