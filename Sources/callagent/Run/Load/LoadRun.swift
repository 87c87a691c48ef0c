import CallBridge
import Foundation
import LoadCore
import LoadResults
import MediaCore

/// A load test: does what its plan says when it is due, takes a sample each second, and reports. What is decided stands in
/// `LoadPlan`, `LayoutView` and `DeliveryLedger`; here are the tasks.
actor LoadRun {
    /// What becomes of a second that is over.
    typealias Listener = @Sendable (SecondSample, _ planned: Int) -> Void

    private let plan: LoadPlan
    private let world: LoadWorld
    private let gauge: TesterGauge
    private let begun: MediaTime
    private let listener: Listener
    private let thresholds: [Threshold]
    private var cursor: PlanCursor
    private var present: [Int: LoadParticipant] = [:]
    private var departures: [Task<Void, Never>] = []
    private var record: LoadRecord
    private var watch: ServerWatch
    private var sampledAt: MediaTime
    private var polls = 0

    /// Seconds at the end for what is on its way.
    private static let drain = 2.0
    /// Of those who stay to the end. All at once would keep the loops of tester and server from what they measure; where a run ends
    /// before its time, nobody waits for anybody.
    private static let leaversAtOnce = 8
    /// Every participant's connections are asked once in so many seconds.
    private static let pollInterval = 5

    init(
        _ plan: LoadPlan, in world: LoadWorld, header: RunHeader, thresholds: [Threshold], server: Int32?,
        listener: @escaping Listener
    ) {
        self.thresholds = thresholds
        self.plan = plan
        watch = ServerWatch(planned: plan.size)
        self.world = world
        self.listener = listener
        cursor = PlanCursor(plan)
        gauge = TesterGauge(world.engine, server: server)
        begun = world.clock.now
        sampledAt = begun
        record = LoadRecord(header, keepsTimelines: plan.size <= LoadRecord.timelineLimit)
    }

    private var elapsed: Double { world.clock.now.seconds - begun.seconds }

    /// Runs it to its end, or to that which ends it before.
    func run() async -> LoadRecord {
        var second = 0
        while ending == nil {
            while let step = cursor.take(at: .seconds(elapsed)) { await perform(step) }
            if elapsed >= Double(second + 1) {
                // Where this machine is too busy there are fewer samples; each has the second that it ends in.
                second = Int(elapsed) - 1
                await sample(second)
                second += 1
            }
            await wait(until: min(cursor.deadline?.seconds ?? .infinity, Double(second + 1), plan.end.seconds))
        }
        record.end(ending ?? .planned, at: elapsed)
        await finish(second)
        return record
    }

    /// Why it is over now; nil where it goes on.
    private var ending: LoadRecord.Ending? {
        if let cause = Interruption.cause { return .interrupted(cause.rawValue) }
        if let reason = watch.reason { return .serverLost(reason) }
        if let reason = record.shortage { return .shortage(reason) }
        return elapsed >= plan.end.seconds ? .planned : nil
    }

    /// An interruption is noticed within a fifth of a second.
    private func wait(until second: Double) async {
        let time = min(max(second, 0), elapsed + 0.2)
        try? await world.clock.wait(until: begun.advanced(seconds: time))
    }

    // MARK: The plan

    private func perform(_ step: PlannedStep) async {
        let participant = present[step.participant]
        switch step.action {
        case .join:
            let fresh = LoadParticipant(plan.participants[step.participant], world: world, second: elapsed)
            present[step.participant] = fresh
            await fresh.join()
        case .leave: depart(step.participant)
        case .talk(let talks): await participant?.talk(talks)
        case .mute(let mutes): if let participant { Task { await participant.mute(mutes) } }
        case .call(let other):
            if let participant {
                Task { [identity = plan.participants[other].identity] in await participant.call(identity) }
            }
        case .message: if let participant { Task { await participant.sendMessage() } }
        case .reconnect:
            watch.expectLoss(at: elapsed)
            if let participant { Task { await participant.reconnect() } }
        case .endOfCycle: await endCycle()
        }
    }

    /// Its last frames are counted with the second in which it is gone.
    private func depart(_ number: Int) {
        guard let participant = present[number] else { return }
        let now = elapsed
        departures.append(Task { await participant.leave(second: now) })
    }

    private func endCycle() async {
        for task in departures { await task.value }
        departures = []
        record.noteCycle(heap: gauge.heapInUse, descriptors: ProcessFiles.openDescriptors())
    }

    // MARK: Seconds

    private func sample(_ second: Int) async {
        await poll(second)
        let length = max(0.001, world.clock.now.seconds - sampledAt.seconds)
        sampledAt = world.clock.now
        var sample = SecondSample(second: second)
        sample.participants = world.meters.takeCounts()
        var (drops, delay) = (0, 0.0)
        for (number, participant) in present {
            let change = await participant.sample(second: second, seconds: length)
            sample.add(change)
            drops += change.receiveBufferDrops
            delay = max(delay, change.sendDelay)
            guard change.isLast else { continue }
            // It needs nothing any more but its line in the report.
            record.add(await participant.report())
            present[number] = nil
        }
        sample.latency = world.meters.latency.takeSecond()
        sample.join = world.meters.join.takeSecond()
        sample.roundTripTime = world.meters.roundTripTime.takeSecond()
        sample.tester = gauge.read()
        sample.tester.receiveBufferDrops = drops + (await world.networks.takeDrops())
        sample.tester.sendQueueDelayMs = delay
        sample.server = gauge.readServer()
        sample.saturated = SaturationLimits().reasons(in: sample.tester)
        watch.note(sample.participants, at: Double(second))
        record.add(sample)
        listener(sample, plan.size)
    }

    /// Asks a part of the participants' connections.
    private func poll(_ second: Int) async {
        let due = present.filter { ($0.key + second) % Self.pollInterval == 0 }.values
        await withTaskGroup(of: Void.self) { group in
            for participant in due { group.addTask { await participant.poll() } }
        }
    }

    // MARK: The end

    /// Nobody sends any more; what is on its way may come, and everybody leaves.
    private func finish(_ second: Int) async {
        cursor.end()
        for participant in present.values { await participant.pause() }
        let deadline = elapsed + Self.drain
        while elapsed < deadline, await !isComplete { try? await world.clock.wait(seconds: 0.05) }
        let (now, isOrderly) = (elapsed, record.ending == .planned)
        await letGo(atOnce: isOrderly ? Self.leaversAtOnce : present.count) { participant in
            await participant.leave(second: now, grace: false, asPlanned: isOrderly)
        }
        for task in departures { await task.value }
        await sample(second)
        for participant in present.values { record.add(await participant.report()) }
        record.finish(world.meters, thresholds)
        gauge.stop()
        await world.engine.shutdown()
    }

    /// Everybody leaves, so many at a time.
    private func letGo(atOnce width: Int, _ leave: @escaping @Sendable (LoadParticipant) async -> Void) async {
        var waiting = Array(present.values)[...]
        await withTaskGroup(of: Void.self) { group in
            for participant in waiting.prefix(width) { group.addTask { await leave(participant) } }
            waiting = waiting.dropFirst(width)
            while await group.next() != nil {
                guard let participant = waiting.popFirst() else { continue }
                group.addTask { await leave(participant) }
            }
        }
    }

    private var isComplete: Bool {
        get async {
            for participant in present.values { if await !participant.isComplete { return false } }
            return true
        }
    }
}

extension SecondSample {
    /// Adds what one participant's second brought.
    fileprivate mutating func add(_ change: LoadAccount.Change) {
        audio.add(change.audio)
        video.add(change.video)
        switch change.state {
        case .joining: participants.joining += 1
        case .joined: participants.joined += 1
        case .reconnecting:
            participants.joined += 1
            participants.reconnecting += 1
        case .gone: break
        }
    }
}
