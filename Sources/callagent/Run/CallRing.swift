import CallBridge
import Foundation

/// How the participants of `call --ring` come together: the first one rings for the others, the first answer gets the call,
/// and the rest come in once it is taken. The exchange runs in this process.
actor CallRing {
    private let room: String
    private let people: [String]
    private let hub: RingHub
    private var outcomes: [String: RingOutcome] = [:]
    private let callId = "call-\(UInt64.random(in: 0...UInt64.max))"
    private var record: CallRecord?
    private var phones: [RingPhone] = []

    init(room: String, people: [String], journal: CallJournal) {
        self.room = room
        self.people = people
        hub = RingHub(journal: journal)
    }

    /// Writes what a participant publishes, and how its media is lost and returns, into the call's journal.
    nonisolated func follower(of person: String) -> CallFollower {
        CallFollower(hub, callId: callId, identity: person)
    }

    private func device(_ index: Int) -> RingDevice {
        RingDevice(personId: people[index], deviceToken: "\(people[index])-1")
    }

    /// Rings, and has everybody join: each one only when their ringing allows it. Throws what keeps the call from starting.
    ///
    /// - Parameter join: lets the participant of an index join.
    func run(join: @escaping @Sendable (Int) async throws -> Void) async throws {
        for index in people.indices {
            // The later ones hesitate a little, so that it is always the second participant who takes the call.
            let presenter = ScriptedRingPresenter([.init(.answer, afterMilliseconds: Int64(index) * 300)])
            let phone = RingPhone(InProcessRing(device(index), hub: hub), presenter: presenter) { _ in
                try await join(index)
            }
            try await phone.start()
            phones.append(phone)
        }
        _ = await phones[0].place(
            RingRequest(
                callId: callId, conversationId: room, callType: .video, callerName: people[0],
                groups: [Array(people.dropFirst())]))
        for index in people.indices {
            for await (_, outcome) in phones[index].outcomes {
                outcomes[people[index]] = outcome
                break
            }
        }
        guard outcomes[people[0]] == .connected else {
            throw ExitStatus.Failure(status: .lost, message: "nobody took the call: \(report().outcomes)")
        }
        for index in people.indices where outcomes[people[index]] != .connected {
            let person = people[index]
            hub.event(callId) { $0.entered(person, at: $1, into: &$2) }
            try await join(index)
            hub.event(callId) { $0.connected(person, at: $1, into: &$2) }
        }
    }

    /// Everybody hangs up, the last to come first.
    func close() async {
        record = hub.record(callId)
        for index in people.indices.reversed() {
            _ = try? hub.send(.hangUp(callId: callId, .hangUp), from: device(index))
        }
        for phone in phones { await phone.stop() }
        hub.close()
    }

    func report() -> RingReport {
        RingReport(
            outcomes: outcomes.mapValues(Self.name), ringMs: record?.ringMilliseconds,
            connectMs: record?.connectMilliseconds)
    }

    /// An outcome as reports write it.
    static func name(_ outcome: RingOutcome) -> String {
        switch outcome {
        case .connected: "CONNECTED"
        case .declined: "DECLINED"
        case .hungUp: "HANG_UP"
        case .answeredElsewhere: "ANSWERED_ELSEWHERE"
        case .declinedElsewhere: "DECLINED_ELSEWHERE"
        case .missed(let reason): reason.rawValue
        case .endedAfterAnswer: "ENDED_AFTER_ANSWER"
        case .aborted: "ABORTED"
        case .ended(let reason): reason.rawValue
        case .clientTimedOut: "CLIENT_TIMED_OUT"
        case .failed: "FAILED"
        }
    }
}
