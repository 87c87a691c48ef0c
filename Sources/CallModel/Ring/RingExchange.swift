/// One call as the exchange drives it: whom it rings for, whose answer counts, who is in it, and when it ends.
///
/// It is a value that reads no clock and sends nothing: every method takes the time and appends what is to be done.
///
///       initiate              answer                        last mandatory one leaves, abort, end
///     IDLE ----> CALLING ------------------------> ACTIVE -------------------------------------> ended
///                 |   \ timeout, all declined         ^
///                 |    `-----> FORWARDING ------------'  (next group; after the last: NOT_ANSWERED or DECLINED)
///                 `-- nobody to ring --> UNAVAILABLE ---- notice over ----> ended (DECLINED_BECAUSE_UNAVAILABLE)
public struct RingExchange: Sendable {
    /// How long things take, in milliseconds.
    public struct Timing: Sendable, Hashable {
        /// How long one group rings.
        public var ring: Int64 = 30_000
        /// How long the caller is told that there is nobody.
        public var unavailableNotice: Int64 = 5_000
        /// How long somebody who answered, and the caller from then on, may take to connect to the provider.
        public var connect: Int64 = 60_000

        /// The default times.
        public init() {}
    }

    /// What is to be done, in order.
    public enum Action: Sendable, Hashable {
        /// Tell a device.
        case signal(RingSignal, to: RingDevice)
        /// Write down.
        case journal(JournalEvent)
    }

    enum Stage: Sendable {
        case idle
        case ringing(Round)
        case unavailable(until: CallTime)
        case active
        case ended
    }

    /// A group that is being rung.
    struct Round: Sendable {
        var group: Int
        var until: CallTime
        /// Devices that ring, by person. A person without any has declined.
        var devices: [(person: String, tokens: [String])]
    }

    let request: RingRequest
    let timing: Timing
    let callerDevice: RingDevice
    /// Without any of them a call ends. Empty means: everybody counts.
    let mandatory: Set<String>
    var stage = Stage.idle
    var ledger: CallLedger
    /// The device that each one answered on.
    var answeredOn: [String: String] = [:]
    /// Somebody let it ring to the end: then the call was not answered, rather than declined.
    var wasMissed = false

    /// A call that is not yet placed.
    ///
    /// - Parameters:
    ///   - record: the call; its initiator is the caller.
    ///   - callerDevice: where the caller is told how it goes.
    ///   - mandatory: the people without whom the call ends; empty counts everybody.
    public init(
        _ request: RingRequest, record: CallRecord, callerDevice: RingDevice, mandatory: Set<String> = [],
        timing: Timing = .init()
    ) {
        self.request = request
        self.timing = timing
        self.callerDevice = callerDevice
        self.mandatory = mandatory
        ledger = CallLedger(record)
    }

    /// What is known of the call.
    public var record: CallRecord { ledger.record }

    /// Whether the call is over.
    public var isEnded: Bool { if case .ended = stage { true } else { false } }

    /// Where the call stands.
    public var phase: CallPhase {
        switch stage {
        case .idle, .ended: .idle
        case .ringing(let round): round.group == 0 ? .calling : .forwarding
        case .unavailable: .unavailable
        case .active: .active
        }
    }

    /// When `advance` is to be called at the latest; nil where nothing is being waited for.
    public var nextDeadline: CallTime? {
        switch stage {
        case .idle, .ended: nil
        case .ringing(let round): round.until
        case .unavailable(let until): until
        case .active: connectDeadlines.map(\.until).min()
        }
    }

    /// Those who have answered and are not connected yet. The caller's time runs from the answer.
    private var connectDeadlines: [(person: String, until: CallTime)] {
        ledger.present.compactMap { person in
            guard let since = ledger.connectingSince(person) else { return nil }
            let from = max(since, record.acceptTimestamp ?? since)
            return (person, from.advanced(by: timing.connect))
        }
    }

    // MARK: Events

    /// The call is placed. `devices` says which devices a person can be reached on.
    public mutating func initiate(
        at now: CallTime, devices: (String) -> [String], into actions: inout [Action]
    ) {
        guard case .idle = stage else { return }
        journal(into: &actions) { $0.initiate(at: now, into: &$1) }
        ring(from: 0, at: now, devices: devices, into: &actions)
    }

    /// Something that a device says.
    public mutating func receive(
        _ command: RingCommand, from device: RingDevice, at now: CallTime, devices: (String) -> [String],
        into actions: inout [Action]
    ) {
        switch command {
        case .place: break
        case .answer: answer(device, at: now, into: &actions)
        case .decline: decline(device, at: now, devices: devices, into: &actions)
        case .abort: abort(device, at: now, into: &actions)
        case .connected: connected(device.personId, at: now, into: &actions)
        case .hangUp(_, let reason):
            // A person may be in the call on one device only: another one of theirs has nothing to say.
            guard answeredOn[device.personId].map({ $0 == device.deviceToken }) ?? true else { return }
            left(device.personId, reason, at: now, into: &actions)
        }
    }

    /// Time has passed.
    public mutating func advance(to now: CallTime, devices: (String) -> [String], into actions: inout [Action]) {
        switch stage {
        case .idle, .ended: break
        case .ringing(let round):
            guard now >= round.until else { return }
            stopRinging(.missed(.timeout), at: now, into: &actions)
            ring(from: round.group + 1, at: now, devices: devices, into: &actions)
        case .unavailable(let until):
            if now >= until { end(.declinedBecauseUnavailable, others: .callAborted, at: now, into: &actions) }
        case .active:
            for (person, until) in connectDeadlines where now >= until {
                left(person, .systemAbort, at: now, into: &actions)
            }
        }
    }

    /// A device can be reached from now on: it rings, too, if it should.
    public mutating func deviceArrived(_ device: RingDevice, at now: CallTime, into actions: inout [Action]) {
        if device == callerDevice, !isEnded { signal(.progress(callId: record.id, phase), to: device, &actions) }
        // The word on its answer may have been lost on the way.
        if isActive, answeredOn[device.personId] == device.deviceToken, ledger.connectingSince(device.personId) != nil {
            signal(.granted(callId: record.id), to: device, &actions)
        }
        guard case .ringing(var round) = stage,
            let index = round.devices.firstIndex(where: { $0.person == device.personId }),
            !round.devices[index].tokens.isEmpty
        else { return }
        if !round.devices[index].tokens.contains(device.deviceToken) {
            round.devices[index].tokens.append(device.deviceToken)
            stage = .ringing(round)
            let (phase, name) = (phase, request.callerName)
            journal(into: &actions) {
                $0.ring(
                    device.personId, devices: [device.deviceToken], phase: phase, callerName: name, at: now, into: &$1)
            }
        }
        signal(.offer(offer(until: round.until)), to: device, &actions)
    }

    /// Somebody is connected to the provider; those who come without having been rung are in the call, too.
    public mutating func connected(_ person: String, at now: CallTime, into actions: inout [Action]) {
        guard ledger.isOpen, ledger.isPresent(person) else { return }
        journal(into: &actions) { $0.connect(person, at: now, into: &$1) }
    }

    /// Somebody who was not rung comes in through the provider: a later joiner.
    public mutating func entered(_ person: String, at now: CallTime, into actions: inout [Action]) {
        guard ledger.isOpen, !ledger.isPresent(person) else { return }
        if case .active = stage {} else { return }
        journal(into: &actions) { $0.join(person, at: now, into: &$1) }
    }

    /// Somebody leaves: hangs up, is removed, or is lost for good.
    public mutating func left(
        _ person: String, _ reason: ParticipantLeftReason, at now: CallTime, into actions: inout [Action]
    ) {
        guard ledger.isPresent(person) else { return }
        if person == record.initiatorPersonId, !isActive {
            return end(.abortedByInitiator, others: .callAborted, at: now, into: &actions)
        }
        journal(into: &actions) { $0.leave(person, reason, at: now, into: &$1) }
        tell(person, over: .ended, &actions)
        if !isCarried { end(.lastMandatoryParticipantLeft, at: now, into: &actions) }
    }

    /// Somebody publishes something else.
    public mutating func published(
        _ media: PublishedMedia, by person: String, at now: CallTime, into actions: inout [Action]
    ) {
        journal(into: &actions) { $0.publish(media, by: person, at: now, into: &$1) }
    }

    /// A telephone was connected for somebody.
    public mutating func dialInStarted(
        _ dialIn: CallPublication.DialIn, of person: String, at now: CallTime, into actions: inout [Action]
    ) {
        journal(into: &actions) { $0.startDialIn(dialIn, of: person, at: now, into: &$1) }
    }

    /// A telephone was disconnected.
    public mutating func dialInEnded(
        _ id: String, of person: String, at now: CallTime, into actions: inout [Action]
    ) {
        journal(into: &actions) { $0.endDialIn(id, of: person, at: now, into: &$1) }
    }

    /// The call ends for a reason from outside: the conversation ended, recording was denied, the system shuts down.
    public mutating func end(
        _ reason: CallEndReason, others: ParticipantLeftReason = .callEnded, at now: CallTime,
        into actions: inout [Action]
    ) {
        guard ledger.isOpen else { return }
        stopRinging(.missed(.terminated), at: now, into: &actions)
        let present = ledger.present
        journal(into: &actions) { $0.end(reason, others: others, at: now, into: &$1) }
        stage = .ended
        for person in present where person != record.initiatorPersonId { tell(person, over: .ended, &actions) }
        signal(.ended(callId: record.id, reason), to: callerDevice, &actions)
    }

    var isActive: Bool { if case .active = stage { true } else { false } }

    /// Whether there are two, and one of those who matter.
    private var isCarried: Bool {
        let present = ledger.present
        return present.count >= 2 && (mandatory.isEmpty || present.contains { mandatory.contains($0) })
    }

    private func tell(_ person: String, over reason: RingWithdrawal, _ actions: inout [Action]) {
        guard let token = answeredOn[person] else { return }
        signal(
            .withdrawn(callId: record.id, reason), to: RingDevice(personId: person, deviceToken: token), &actions)
    }
}
