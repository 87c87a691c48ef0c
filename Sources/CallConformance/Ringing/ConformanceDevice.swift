public import CallBridge
import MediaCore
import Synchronization

/// A device in a scenario: what it showed, which client it started, and what it reported.
public final class ConformanceDevice: Sendable {
    private struct State {
        var offers: [RingOffer] = []
        var waits: [String] = []
        var outcomes: [RingOutcome] = []
        var starts = 0
        var person: ConformancePerson?
    }

    /// Whose it is, and which.
    public let device: RingDevice
    private let phone: RingPhone
    private let hub: RingHub
    private let log: Log

    init(
        _ device: RingDevice, hub: RingHub, gate: AnswerGate, clock: @escaping @Sendable () -> CallTime,
        timer: MediaClock, stage: ConformanceStage
    ) {
        self.device = device
        self.hub = hub
        let log = Log()
        self.log = log
        phone = RingPhone(
            InProcessRing(device, hub: hub), presenter: log, gate: gate, clock: clock, timer: timer,
            stopClient: { _ in await log.state.withLock { $0.person }?.call.leave() }
        ) { start in
            log.state.withLock { $0.starts += 1 }
            let person = try await stage.join(device.personId, room: start.conversationId)
            log.state.withLock { $0.person = person }
            for await event in person.call.events {
                if case .stateChanged(.active) = event { return }
            }
            throw ConformanceFailure("the client's call ended")
        }
    }

    /// Takes down what it is asked to show; the scenario decides.
    private final class Log: RingPresenter {
        let state = Mutex(State())

        func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async {
            state.withLock { $0.offers.append(offer) }
        }

        func waiting(_ offer: RingOffer, for reason: String) async { state.withLock { $0.waits.append(reason) } }
    }

    func start() async throws {
        try await phone.start()
        Task { [phone, log] in
            for await (_, outcome) in phone.outcomes { log.state.withLock { $0.outcomes.append(outcome) } }
        }
    }

    /// What is due is done, and everything that was said is heard, before time goes on.
    func advance() async {
        await phone.advance()
        while await !phone.hasDealt(with: hub.signalsSent(to: device)) { await Task.yield() }
    }

    func stop() async { await phone.stop() }

    // MARK: What its user does

    /// Places a call. Returns its id.
    public func place(
        _ groups: [[String]], conversation: String = ConformanceStage.room, mandatory: [String] = []
    ) async -> String {
        var request = RingRequest(
            conversationId: conversation, callType: .video, callerName: device.personId, groups: groups)
        request.mandatory = mandatory
        return await phone.place(request)
    }

    /// Answers.
    public func answer(_ call: String) async { await phone.answer(call) }

    /// Declines, or gives up the call that it placed.
    public func decline(_ call: String) async { await phone.decline(call) }

    /// Unlocks it, brings the application to the foreground, and so on.
    public func change(_ gate: AnswerGate) async { await phone.deviceChanged(gate) }

    /// Hangs up: leaves the provider, and says so to the exchange.
    public func hangUp(_ call: String) async {
        await person?.call.leave()
        await phone.hangUp(call)
    }

    // MARK: What came of it

    /// What rang here, in order.
    public var offers: [RingOffer] { log.state.withLock { $0.offers } }
    /// What an answered call has waited for.
    public var waits: [String] { log.state.withLock { $0.waits } }
    /// What was reported, once for each call.
    public var outcomes: [RingOutcome] { log.state.withLock { $0.outcomes } }
    /// How many clients were started.
    public var starts: Int { log.state.withLock { $0.starts } }
    /// Its user in the call; nil before the provider has let them in.
    public var person: ConformancePerson? { log.state.withLock { $0.person } }
}
