/// Checks journals against the rules while they are being written. Any number of calls may be interleaved.
public struct JournalChecker: Sendable {
    private var calls: [String: CheckedCall] = [:]
    /// The calls that have not ended, by the conversation that they belong to.
    private var open: [Conversation: String] = [:]

    private struct Conversation: Hashable {
        var account: String
        var id: String
    }

    /// A checker that has seen nothing.
    public init() {}

    /// The violations that become apparent with `event`. Violations that a journal notes itself are passed over.
    public mutating func check(_ event: JournalEvent) -> [JournalViolation] {
        guard event.eventType != .violation else { return [] }
        var found: [JournalViolation] = []
        calls[event.callId, default: CheckedCall(id: event.callId)].check(event, into: &found)
        checkConversation(event, into: &found)
        return found
    }

    private mutating func checkConversation(_ event: JournalEvent, into found: inout [JournalViolation]) {
        let conversation = Conversation(account: event.accountId, id: event.conversationId)
        switch event.eventType {
        case .initiated:
            if let other = open[conversation], other != event.callId {
                found.append(
                    JournalViolation(
                        callId: event.callId, rule: .oneCallPerConversation, eventId: event.id,
                        detail: "the conversation \(event.conversationId) has the call \(other), which has not ended"))
            } else {
                open[conversation] = event.callId
            }
        case .ended: if open[conversation] == event.callId { open[conversation] = nil }
        default: break
        }
    }

    /// The violations that become apparent because nothing follows: calls that have not ended.
    public mutating func finish() -> [JournalViolation] {
        var found: [JournalViolation] = []
        for id in calls.keys.sorted() { calls[id]?.finish(into: &found) }
        return found
    }
}

/// One call of a journal.
struct CheckedCall: Sendable {
    private struct Person {
        var isPresent = false
        var isConnected = false
        /// Devices that ring and of which nothing else has been heard.
        var ringing: Set<String> = []
        /// Of those, the ones that still rang when the ring was over without them: no later answer is theirs.
        var missed: Set<String> = []
        /// An answer that named no device.
        var openAnswers = 0
        var mayLeaveUnjoined = false
        /// Their media is lost and has not returned.
        var isAway = false
    }

    private let id: String
    private var people: [String: Person] = [:]
    private var ids: Set<String> = []
    private var last: JournalEvent?
    private var isAccepted = false
    private var isEstablished = false
    private var isEnded = false
    private var owesEstablished = false
    private var hasGuest = false

    init(id: String) { self.id = id }

    mutating func check(_ event: JournalEvent, into found: inout [JournalViolation]) {
        checkFrame(event, into: &found)
        defer { last = event }
        if owesEstablished, event.eventType != .established {
            owesEstablished = false
            report(.establishedByTwo, event, "two are connected, but established does not follow", &found)
        }
        switch event.eventType {
        case .initiated, .violation, .providerChanged, .publicationChanged: break
        case .participantJoined: joined(event, &found)
        case .accepted: accepted(event, &found)
        case .participantConnected: connected(event, &found)
        case .established: established(event, &found)
        case .participantLeft: left(event, &found)
        case .dialInStarted, .dialInEnded: dialIn(event, &found)
        case .incomingCall, .revokeCall, .missedCall: ringing(event, &found)
        case .reconnecting, .reconnected: reconnection(event, &found)
        case .ended: ended(event, &found)
        }
    }

    mutating func finish(into found: inout [JournalViolation]) {
        guard !isEnded, let last else { return }
        isEnded = true
        report(.endedOnceAndLast, last, "the journal stops before the call ended", &found)
    }

    // MARK: All events

    private mutating func checkFrame(_ event: JournalEvent, into found: inout [JournalViolation]) {
        if !ids.insert(event.id).inserted { report(.uniqueIDs, event, "the id came before", &found) }
        if isEnded { report(.endedOnceAndLast, event, "\(event.eventType.rawValue) after the end", &found) }
        if (last == nil) != (event.eventType == .initiated) {
            report(
                .initiatedOnceAndFirst, event,
                last == nil ? "it begins with \(event.eventType.rawValue)" : "it is initiated again", &found)
        }
        if let last, event.timestamp < last.timestamp {
            report(
                .monotoneTimes, event, "\(event.timestamp.rawValue) comes after \(last.timestamp.rawValue)", &found)
        }
        let times = [
            event.initiationTimestamp, event.acceptTimestamp, event.establishedTimestamp, event.endTimestamp,
        ].compactMap { $0 }
        if zip(times, times.dropFirst()).contains(where: { $1 < $0 }) {
            report(.monotoneTimes, event, "initiated, accepted, established, ended are out of order", &found)
        }
        for field in event.missingFields { report(.completeFields, event, "\(field) is missing", &found) }
    }

    private func report(
        _ rule: JournalRule, _ event: JournalEvent, _ detail: String, _ found: inout [JournalViolation]
    ) {
        found.append(JournalViolation(callId: id, rule: rule, eventId: event.id, detail: detail))
    }

    // MARK: People

    private mutating func joined(_ event: JournalEvent, _ found: inout [JournalViolation]) {
        guard let name = event.personId else { return }
        var person = people[name] ?? Person()
        if person.isPresent { report(.personInOrder, event, "\(name) joins twice", &found) }
        if let device = event.deviceToken {
            if person.ringing.remove(device) == nil {
                report(.oneOutcomePerRing, event, "\(name) answers on \(device), which does not ring", &found)
            }
        } else if !person.ringing.isSubset(of: person.missed) {
            person.openAnswers += 1
        }
        person.isPresent = true
        person.isConnected = false
        people[name] = person
        hasGuest = hasGuest || name != event.initiatorPersonId
    }

    private mutating func connected(_ event: JournalEvent, _ found: inout [JournalViolation]) {
        guard let name = event.personId else { return }
        let person = people[name] ?? Person()
        if !person.isPresent || person.isConnected {
            report(
                .personInOrder, event, "\(name) connects \(person.isPresent ? "twice" : "without having joined")",
                &found)
        }
        if let joined = event.joinedTimestamp, let connected = event.connectedTimestamp, connected < joined {
            report(.personInOrder, event, "\(name) is connected before having joined", &found)
        }
        people[name, default: person].isConnected = true
        if !isEstablished, people.values.count(where: { $0.isPresent && $0.isConnected }) >= 2 {
            owesEstablished = true
        }
    }

    private mutating func left(_ event: JournalEvent, _ found: inout [JournalViolation]) {
        guard let name = event.personId else { return }
        var person = people[name] ?? Person()
        if !person.isPresent {
            if !person.mayLeaveUnjoined || event.joinedTimestamp != nil {
                report(.oneLeftPerJoined, event, "\(name) leaves without being there", &found)
            }
            person.mayLeaveUnjoined = false
            person.missed = person.ringing
            people[name] = person
            return
        }
        let times = [event.joinedTimestamp, event.connectedTimestamp, event.leftTimestamp].compactMap { $0 }
        if zip(times, times.dropFirst()).contains(where: { $1 < $0 }) {
            report(.personInOrder, event, "joined, connected, left of \(name) are out of order", &found)
        }
        people[name]?.isPresent = false
        people[name]?.isConnected = false
        people[name]?.isAway = false
        people[name]?.mayLeaveUnjoined = false
    }

    private func dialIn(_ event: JournalEvent, _ found: inout [JournalViolation]) {
        guard let name = event.personId, people[name]?.isPresent != true else { return }
        report(.personInOrder, event, "\(name) has a telephone in the call without having joined", &found)
    }

    // MARK: The call

    private mutating func accepted(_ event: JournalEvent, _ found: inout [JournalViolation]) {
        if isAccepted { report(.acceptedByJoining, event, "it is accepted twice", &found) }
        if !hasGuest { report(.acceptedByJoining, event, "nobody but the initiator has joined", &found) }
        isAccepted = true
    }

    private mutating func established(_ event: JournalEvent, _ found: inout [JournalViolation]) {
        if isEstablished { report(.establishedByTwo, event, "it is established twice", &found) }
        if people.values.count(where: { $0.isPresent && $0.isConnected }) < 2 {
            report(.establishedByTwo, event, "fewer than two are connected", &found)
        }
        if !isAccepted { report(.acceptedByJoining, event, "it is established before it was accepted", &found) }
        isEstablished = true
        owesEstablished = false
    }

    private mutating func ended(_ event: JournalEvent, _ found: inout [JournalViolation]) {
        for (name, person) in people.sorted(by: { $0.key < $1.key }) {
            if person.isPresent { report(.oneLeftPerJoined, event, "\(name) never left", &found) }
            let missed = person.missed.intersection(person.ringing).count
            if missed > 0 || person.ringing.count > person.openAnswers {
                report(.oneOutcomePerRing, event, "devices of \(name) still ring", &found)
            }
        }
        isEnded = true
    }

    private mutating func reconnection(_ event: JournalEvent, _ found: inout [JournalViolation]) {
        let isLoss = event.eventType == .reconnecting
        let name = event.personId ?? ""
        if people[name, default: Person()].isAway == isLoss {
            let whose = name.isEmpty ? "media" : "media of \(name)"
            report(
                .reconnectionInOrder, event, isLoss ? "\(whose) is lost twice" : "\(whose) returns without a loss",
                &found)
        }
        people[name, default: Person()].isAway = isLoss
    }

    // MARK: Ringing

    private mutating func ringing(_ event: JournalEvent, _ found: inout [JournalViolation]) {
        guard let name = event.recipient?.id else { return }
        var person = people[name] ?? Person()
        let devices = Set(event.deviceTokens ?? [])
        if event.eventType == .incomingCall {
            if !person.ringing.isDisjoint(with: devices) {
                report(.oneOutcomePerRing, event, "a device of \(name) begins to ring twice", &found)
            }
            person.ringing.formUnion(devices)
            person.mayLeaveUnjoined = !person.isPresent
        } else {
            if devices.isEmpty || !devices.isSubset(of: person.ringing) {
                report(.oneOutcomePerRing, event, "a device of \(name) stops that does not ring", &found)
            }
            person.ringing.subtract(devices)
        }
        people[name] = person
    }
}

extension JournalEvent {
    /// Fields that an event of this kind must have and this one lacks.
    var missingFields: [String] {
        func missing(_ fields: [(String, Bool)]) -> [String] { fields.filter { !$0.1 }.map(\.0) }
        let person = ("personId", personId != nil)
        switch eventType {
        case .initiated: return missing([("initiationTimestamp", initiationTimestamp != nil)])
        case .participantJoined: return missing([person, ("joinedTimestamp", joinedTimestamp != nil)])
        case .accepted: return missing([("acceptTimestamp", acceptTimestamp != nil)])
        case .participantConnected: return missing([person, ("connectedTimestamp", connectedTimestamp != nil)])
        case .established: return missing([("establishedTimestamp", establishedTimestamp != nil)])
        case .participantLeft:
            return missing([
                person, ("leftTimestamp", leftTimestamp != nil), ("leftReason", leftReason != nil),
            ])
        case .dialInStarted, .dialInEnded:
            return missing([
                person, ("dialInId", dialInId != nil), ("startTimestamp", startTimestamp != nil),
                ("endTimestamp", endTimestamp != nil || eventType == .dialInStarted),
            ])
        case .ended:
            return missing([
                ("initiationTimestamp", initiationTimestamp != nil), ("endTimestamp", endTimestamp != nil),
                ("endReason", endReason != nil),
            ])
        case .incomingCall, .revokeCall:
            return missing([("recipient", recipient != nil), ("deviceTokens", deviceTokens != nil)])
        case .missedCall:
            return missing([
                ("recipient", recipient != nil), ("deviceTokens", deviceTokens != nil),
                ("callEndReason", callEndReason != nil),
            ])
        case .reconnected: return missing([("gapMilliseconds", gapMilliseconds != nil)])
        case .reconnecting, .publicationChanged, .providerChanged, .violation: return []
        }
    }
}
