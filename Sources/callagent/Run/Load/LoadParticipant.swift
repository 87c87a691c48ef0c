import CallBridge
import LoadCore
import LoadResults
import MediaCore

/// One participant of a load test: it joins, publishes what is prepared, asks for what its layout shows, and counts.
actor LoadParticipant {
    nonisolated let plan: PlannedParticipant
    private let world: LoadWorld
    private var link: LoadLink?
    private var account: LoadAccount
    private let created: MediaTime
    private var isGone = false
    private var hasBegun = false
    private var joining: Task<Void, Never>?
    /// Sessions so far.
    private var generations = 0

    /// - Parameter second: of the run, now.
    init(_ plan: PlannedParticipant, world: LoadWorld, second: Double) {
        self.plan = plan
        self.world = world
        created = world.clock.now
        account = LoadAccount(plan, startSecond: second)
    }

    // MARK: Coming and going

    /// Begins to join; returns at once.
    func join() {
        guard !hasBegun, !isGone else { return }
        hasBegun = true
        joining = Task {
            await connect()
            // A task that is kept keeps the memory of its calls.
            joining = nil
        }
    }

    private func connect() async {
        var times = JoinTimes(begun: world.clock.now)
        do {
            try Descriptors.reserve()
            defer { Descriptors.settle() }
            let session = try await world.connect(plan)
            times.admitted = world.clock.now
            guard !isGone else { return await session.leave() }
            generations += 1
            let link = LoadLink(session, plan: plan, world: world, times: times, generation: generations)
            self.link = link
            let (events, generation) = (session.events, generations)
            Task { [weak self] in
                for await event in events { await self?.take(event, of: generation) }
            }
            try await link.publish()
        } catch {
            guard !isGone, link?.hasEnded != true else { return }
            await end(grace: true)
            fail(error, times)
        }
    }

    private func fail(_ error: any Error, _ times: JoinTimes) {
        let failure = (at: world.clock.now, words: "\(error)")
        world.traces?.write(JoinTrace(participant: plan, times: times, failure: failure))
        world.meters.note { $0.failures += 1 }
        account.state = .gone
        account.result.endReason = .joinFailed
        account.result.failure = "\(error)"
        let isOurs = (error as? CallError)?.fault == .environment
        account.shortage =
            (error as? Descriptors.Shortage)?.description ?? Descriptors.shortage ?? LocalPorts.shortage
            ?? (isOurs ? "this machine gave no more: \(error)" : nil)
    }

    /// Leaves in order; what was counted stays.
    ///
    /// - Parameters:
    ///   - grace: whether frames may still be on their way.
    ///   - asPlanned: false where the run ends before its time.
    func leave(second: Double, grace: Bool = true, asPlanned: Bool = true) async {
        guard !isGone else { return }
        isGone = true
        if account.state == .joining, asPlanned {
            world.meters.note { $0.failures += 1 }
            account.result.endReason = .joinFailed
            account.result.failure = "it was still on its way in when it had to leave"
        }
        if !asPlanned, account.state != .gone { account.result.endReason = .interrupted }
        if account.state == .joined { world.meters.note { $0.leaves += 1 } }
        await end(grace: grace)
        account.finish(second: second)
        account.state = .gone
        world.forget(plan)
    }

    private func end(grace: Bool) async {
        guard let link else { return }
        self.link = nil
        link.hasEnded = true
        let statistics = await link.session.statistics()
        account.take(statistics)
        account.take(link.settle(grace: grace))
        if link.isConnected { link.trace(statistics.setup) }
        await link.session.leave()
        account.endSession()
    }

    /// The connection is given up and made anew.
    func reconnect() async {
        guard !isGone, account.state == .joined else { return }
        account.state = .reconnecting
        account.result.reconnects += 1
        await joining?.value
        await end(grace: true)
        hasBegun = false
        join()
    }

    // MARK: What happens

    private func take(_ event: ProviderEvent, of generation: Int) async {
        guard let link, link.generation == generation else { return }
        switch event {
        case .mediaConnected: connected(link)
        case .reconnecting:
            account.state = .reconnecting
            account.result.reconnects += 1
        case .reconnected: account.state = .joined
        case .ended(let reason, let detail): await lost(reason, detail, link)
        default: await link.take(event)
        }
    }

    private func connected(_ link: LoadLink) {
        guard !link.isConnected else { return }
        let now = world.clock.now
        link.noteConnected(at: now)
        let milliseconds = Double(now.nanoseconds - link.begun.nanoseconds) / 1e6
        account.result.joinMs = account.result.joinMs ?? milliseconds
        account.state = .joined
        world.meters.join.record(milliseconds: milliseconds)
        world.meters.note { $0.joins += 1 }
    }

    private func lost(_ reason: CallEndReason, _ detail: String, _ link: LoadLink) async {
        guard !isGone, !link.hasEnded else { return }
        world.meters.note { $0.losses += 1 }
        account.result.endReason = reason == .systemShutdown ? .disconnected : .removed
        account.result.failure = detail
        account.finish(second: account.result.startSecond + (world.clock.now.seconds - created.seconds))
        await end(grace: true)
        account.state = .gone
    }

    // MARK: Doing

    func talk(_ talks: Bool) { link?.audio?.truth.isSilent = !talks }
    func mute(_ mutes: Bool) async { await link?.mute(mutes) }
    func sendMessage() async { await link?.sendMessage() }

    /// Calls a method of another one. Whoever is not there, on either side, is no failure of the call.
    func call(_ identity: String) async {
        guard let link, account.state == .joined, !link.hasEnded else { return }
        let begun = world.clock.now
        do {
            try await link.call(identity)
            account.noteCall(.answered)
            world.meters.calls.record(nanoseconds: world.clock.now.nanoseconds - begun.nanoseconds)
        } catch {
            guard !link.hasEnded, !isGone, account.state == .joined else { return }
            let isAbsent = [.recipientNotFound, .recipientDisconnected].contains(error as? RPCError)
            account.noteCall(isAbsent ? .absent : .failed)
        }
    }

    /// Nothing more leaves from now on.
    func pause() { link?.pause() }

    // MARK: Counting

    /// What came since the last call, so many seconds ago.
    func sample(second: Int, seconds: Double) -> LoadAccount.Change {
        var change = account.sample(second: second, seconds: seconds, link?.sample())
        change.sendDelay = max(
            link?.audio?.truth.takeLongestDelay() ?? 0, link?.video?.truth.takeLongestDelay() ?? 0)
        change.isLast = account.state == .gone && link == nil && account.isTold
        return change
    }

    /// Asks the media connections.
    func poll() async {
        guard let link, !link.hasEnded else { return }
        let statistics = await link.session.statistics()
        guard self.link === link else { return }
        account.take(statistics)
        if let trip = statistics.roundTripMilliseconds { world.meters.roundTripTime.record(milliseconds: trip) }
    }

    /// Whether all that was sent has come.
    var isComplete: Bool { link?.isComplete ?? true }

    /// What became of it. What came since the last `sample` is not in it.
    func report() -> LoadAccount { account }
}
