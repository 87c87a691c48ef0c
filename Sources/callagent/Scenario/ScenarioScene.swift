import CallBridge
import Foundation
import MediaCore
import ScenarioCore

/// What all people of one run share: the plan, the stage, threads, the journal, and where recordings go.
final class ScenarioScene: Sendable {
    let plan: ScenarioPlan
    let stage: any ScenarioStage
    let journal: ScenarioJournal
    let engine: MediaEngine
    /// Somebody counts frames instead of decoding them: frames then carry stamps.
    let isCounted: Bool
    /// Of people whom nobody decodes.
    let clips = ScenarioClips()
    /// Those who hear and see what they receive.
    private let decoders: Set<String>
    private let begun: MediaTime
    private let folder: String?
    private let numbers: [String: Int]

    /// - Parameter folder: for recordings; nil where nothing is recorded.
    init(_ plan: ScenarioPlan, on stage: any ScenarioStage, recordings folder: String?) {
        self.plan = plan
        self.stage = stage
        self.folder = folder
        begun = stage.clock.now
        let receivers = plan.people.filter(\.reception.receives)
        isCounted = receivers.contains(where: \.reception.isCounted)
        decoders = Set(receivers.filter { !$0.reception.isCounted }.map(\.identity))
        journal = ScenarioJournal(plan, on: stage)
        engine = MediaEngine()
        numbers = Dictionary(plan.people.enumerated().map { ($1.identity, $0 + 1) }) { first, _ in first }
    }

    /// Milliseconds since the scenario began.
    var elapsedMs: Int { Int((stage.clock.now.nanoseconds - begun.nanoseconds) / 1_000_000) }

    func time(of milliseconds: Int) -> MediaTime { begun.advanced(seconds: Double(milliseconds) / 1000) }

    /// On somebody's test cards; nil for a stranger.
    func number(of identity: String) -> Int? { numbers[identity] }

    /// Whether nobody decodes what somebody sends, so that it need not be encoded for them.
    func isPrepared(_ identity: String) -> Bool { isCounted && decoders.isSubset(of: [identity]) }

    /// Files for what somebody records. Throws `MediaError` where none can be written.
    func recordings(of identity: String) throws -> ContainerRecordings? {
        try folder.flatMap { try ContainerRecordings(path: "\($0)/\(RecordingName.stem(identity)).webm") }
    }
}

/// The journal of a scenario's call. Where somebody rings it is the exchange's.
final class ScenarioJournal: Sendable {
    let journal = CallJournal()
    /// Nil where nobody rings.
    let hub: RingHub?
    private let scribe: CallScribe?
    /// Of the call that is rung.
    let callId = "call-1"
    let clock: @Sendable () -> CallTime

    init(_ plan: ScenarioPlan, on stage: any ScenarioStage) {
        let clock = stage.clock
        let (origin, begun) = (CallTime.now, clock.now)
        self.clock = { origin.advanced(by: (clock.now.nanoseconds - begun.nanoseconds) / 1_000_000) }
        if plan.rings {
            hub = RingHub(journal: journal, waits: stage.mode == .sockets, clock: self.clock)
            scribe = nil
        } else {
            let record = CallRecord(
                id: plan.room, conversationId: plan.room, serviceProviderCallId: plan.room,
                serviceProviderType: plan.providers.order.first?.kind.rawValue ?? "",
                initiatorPersonId: plan.people.first?.identity ?? "", callType: .video)
            hub = nil
            scribe = CallScribe(record, journal: journal, clock: self.clock)
        }
    }

    /// Writes what somebody's call tells.
    func follower(of identity: String) -> CallFollower {
        if let hub { return CallFollower(hub, callId: callId, identity: identity) }
        let scribe = self.scribe ?? CallScribe(CallRecord.empty, journal: journal)
        return CallFollower(scribe, identity: identity, followsOthers: false)
    }

    /// Nothing follows; what breaks a rule.
    func finish() -> [String] {
        scribe?.write { if $0.isOpen { $0.end(.lastMandatoryParticipantLeft, at: $1, into: &$2) } }
        hub?.close()
        return journal.finish().violations
    }
}

extension CallRecord {
    fileprivate static var empty: CallRecord {
        CallRecord(
            id: "", conversationId: "", serviceProviderCallId: "", serviceProviderType: "", initiatorPersonId: "",
            callType: .audio)
    }
}

extension ScenarioPlan {
    /// Whether somebody rings for somebody.
    var rings: Bool { steps.contains { if case .ring = $0.action { true } else { false } } }
}
