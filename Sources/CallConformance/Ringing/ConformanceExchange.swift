public import CallBridge
import MediaCore

/// The exchange of a scenario that begins with ringing, in the world's time. Devices' clients join through the provider.
public final class ConformanceExchange: Sendable {
    /// What rings, and who may answer.
    public let hub: RingHub
    /// The journal of its calls.
    public let journal = CallJournal()
    private let stage: ConformanceStage
    private let clock: @Sendable () -> CallTime

    init(_ stage: ConformanceStage, timing: RingExchange.Timing) {
        self.stage = stage
        let time = stage.world.clock
        clock = { CallTime(milliseconds: time.now.nanoseconds / 1_000_000) }
        var settings = RingSwitchboard.Settings()
        settings.timing = timing
        settings.serviceProviderType = stage.world.provider.kind.rawValue
        // The stage advances it: a timer in real time would go off in the middle of a simulated second.
        hub = RingHub(settings: settings, journal: journal, waits: false, clock: clock)
    }

    /// A device of somebody, which can be rung from now on.
    public func device(
        _ identity: String, _ token: String = "phone", gate: AnswerGate = .init()
    ) async throws -> ConformanceDevice {
        let device = ConformanceDevice(
            RingDevice(personId: identity, deviceToken: token), hub: hub, gate: gate, clock: clock,
            timer: stage.world.clock,
            stage: stage)
        try await device.start()
        await stage.keep(device)
        return device
    }

    /// The events of a call, by their last words: `initiated`, `participant.joined`, ...
    public func course(of call: String) -> [String] {
        journal.events.filter { $0.callId == call }.map {
            $0.eventType.rawValue.replacing("conversation.call.", with: "").replacing("push_notification.", with: "")
        }
    }

    /// Why a call ended; nil while it has not.
    public func ending(of call: String) -> CallEndReason? {
        journal.events.first { $0.callId == call && $0.eventType == .ended }?.endReason
    }

    /// How somebody left a call; nil while they have not.
    public func departure(of identity: String, from call: String) -> ParticipantLeftReason? {
        journal.events.last { $0.callId == call && $0.eventType == .participantLeft && $0.personId == identity }?
            .leftReason
    }

    func advance() { hub.advance() }

    /// What the journal breaks.
    func close() -> [String] {
        hub.close()
        return journal.finish().violations.map { "the journal: \($0)" }
    }
}
