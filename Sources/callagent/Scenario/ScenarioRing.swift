import CallBridge
import MediaCore
import ScenarioCore
import Synchronization

/// The devices of those who ring and are rung, at an exchange in this process and in the stage's time.
actor ScenarioRing {
    private struct Device {
        let ring: RingDevice
        let phone: RingPhone
        let desk: RingDesk
    }

    private let scene: ScenarioScene
    private let hub: RingHub
    private var devices: [String: Device] = [:]
    private let members: [String: ScenarioMember]
    private var tasks: [Task<Void, Never>] = []
    /// Who is about to come in, in simulated time.
    private var waiting: [String: CheckedContinuation<Void, Never>] = [:]
    private var entered: Set<String> = []

    /// Nil where nobody rings.
    init?(_ scene: ScenarioScene, _ members: [String: ScenarioMember]) {
        guard let hub = scene.journal.hub else { return nil }
        self.scene = scene
        self.hub = hub
        self.members = members
    }

    /// Everybody who rings or is rung can be reached. Throws what keeps a device from it.
    func start() async throws {
        for person in scene.plan.people where scene.plan.hasDevice(person.identity) {
            guard let member = members[person.identity] else { continue }
            let device = RingDevice(personId: person.identity, deviceToken: "phone")
            let desk = RingDesk()
            let phone = RingPhone(
                InProcessRing(device, hub: hub), presenter: desk, clock: scene.journal.clock, timer: scene.stage.clock,
                stopClient: { _ in await member.leave() }
            ) { [weak self] _ in try await self?.connect(member) }
            try await phone.start()
            devices[person.identity] = Device(ring: device, phone: phone, desk: desk)
            tasks.append(
                Task { for await (_, outcome) in phone.outcomes { member.log.noteRing(ScenarioRingOutcome(outcome)) } })
        }
    }

    /// Joins, and returns when media is connected.
    private func connect(_ member: ScenarioMember) async throws {
        let who = member.person.identity
        if scene.stage.mode == .virtual { await withCheckedContinuation { waiting[who] = $0 } }
        await member.join()
        entered.insert(who)
        guard let call = await member.call else {
            throw CallError(.network, .unreachable, member.log.observation.joining.failure ?? "not let in")
        }
        for await event in call.events { if case .stateChanged(.active) = event { return } }
        throw CallError(.network, .providerLost, "the call ended before media was connected")
    }

    /// In simulated time one comes in after another, in the file's order: devices answer beside one another, and the same
    /// seed must give the same course.
    private func admit() async {
        for person in scene.plan.people {
            guard let next = waiting.removeValue(forKey: person.identity) else { continue }
            entered.remove(person.identity)
            next.resume()
            while !entered.contains(person.identity) { await Task.yield() }
        }
    }

    // MARK: Steps

    /// True where the step is about ringing.
    func perform(_ action: ScenarioAction, of who: String, line: Int) async -> Bool {
        switch action {
        case .ring(let others): await ring(who, others)
        case .answer: await answer(who)
        case .decline:
            await devices[who]?.phone.decline(scene.journal.callId)
            await settle { devices[who]?.desk.isShowing != true }
        case .transfer(let other): await transfer(who, other)
        case .leave where devices[who] != nil: await hangUp(who)
        case .join where devices[who] == nil: await enter(who)
        default: return false
        }
        return true
    }

    private func ring(_ who: String, _ others: [String]) async {
        let request = RingRequest(
            callId: scene.journal.callId, conversationId: scene.plan.room, callType: .video, callerName: who,
            groups: [others])
        _ = await devices[who]?.phone.place(request)
        await settle { others.allSatisfy { devices[$0]?.desk.isShowing ?? true } }
    }

    private func answer(_ who: String) async {
        await devices[who]?.phone.answer(scene.journal.callId)
        let expected = scene.plan.callers(of: who) + [who]
        guard scene.stage.mode == .virtual else { return await settle { await isThere(expected) } }
        await settle { expected.allSatisfy { waiting[$0] != nil || members[$0] == nil } }
        await admit()
    }

    private func isThere(_ people: [String]) async -> Bool {
        for person in people {
            guard let member = members[person] else { continue }
            if await !member.isThere, member.log.observation.joining.failure == nil { return false }
        }
        return true
    }

    /// The other one comes in, and the first one leaves once they are connected.
    private func transfer(_ who: String, _ other: String) async {
        await enter(other)
        let start = scene.elapsedMs
        while members[other]?.log.isConnected != true, scene.elapsedMs - start < 10_000 {
            await scene.stage.pass(until: scene.time(of: scene.elapsedMs + 20))
            await advance()
        }
        await hangUp(who)
    }

    /// Comes into a call that goes on, without having been rung.
    private func enter(_ who: String) async {
        hub.event(scene.journal.callId) { $0.entered(who, at: $1, into: &$2) }
        await members[who]?.join()
        hub.event(scene.journal.callId) { $0.connected(who, at: $1, into: &$2) }
    }

    private func hangUp(_ who: String) async {
        await members[who]?.leave()
        await devices[who]?.phone.hangUp(scene.journal.callId)
    }

    // MARK: Time

    /// What is due is done.
    func advance() async {
        await drive()
        await admit()
    }

    private func drive() async {
        hub.advance()
        for person in scene.plan.people {
            guard let device = devices[person.identity] else { continue }
            await device.phone.advance()
            while await !device.phone.hasDealt(with: hub.signalsSent(to: device.ring)) { await Task.yield() }
        }
    }

    /// Devices and clients work on beside a simulated time, which must not run away from them: it stands until they have done
    /// what follows at once.
    private func settle(_ isDone: () async -> Bool) async {
        for _ in 0..<2000 {
            await drive()
            if await isDone() { return }
            try? await MediaClock.system.wait(seconds: 0.001)
        }
    }

    func stop() async {
        await admit()
        for person in scene.plan.people.reversed() where devices[person.identity] != nil {
            await hangUp(person.identity)
        }
        for device in devices.values { await device.phone.stop() }
        for task in tasks { await task.value }
    }
}

/// What a device shows; the timeline decides.
private final class RingDesk: RingPresenter {
    private let offers = Mutex<Set<String>>([])

    var isShowing: Bool { offers.withLock { !$0.isEmpty } }

    func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async {
        offers.withLock { _ = $0.insert(offer.callId) }
    }

    func dismiss(_ offer: RingOffer) async { offers.withLock { _ = $0.remove(offer.callId) } }
}

extension ScenarioPlan {
    /// Who rings for somebody.
    fileprivate func callers(of who: String) -> [String] {
        steps.compactMap { step in
            if case .ring(let others) = step.action, others.contains(who) { step.who } else { nil }
        }
    }

    fileprivate func hasDevice(_ identity: String) -> Bool {
        steps.contains { step in
            if case .ring(let others) = step.action { step.who == identity || others.contains(identity) } else { false }
        }
    }
}

extension ScenarioRingOutcome {
    fileprivate init(_ outcome: RingOutcome) {
        switch outcome {
        case .connected: self = .connected
        case .declined, .declinedElsewhere: self = .declined
        case .answeredElsewhere: self = .elsewhere
        case .missed, .hungUp, .aborted: self = .missed
        case .ended(let reason): self = reason == .declined ? .declined : .missed
        case .endedAfterAnswer, .clientTimedOut, .failed: self = .failed
        }
    }
}
