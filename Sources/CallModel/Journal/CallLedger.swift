/// Keeps a call's record and writes its journal: the one place where either changes.
///
/// Every method takes the time and appends the journal's events. Times that go back are taken as the latest one, events
/// that don't fit are passed over: a record stays consistent whatever it is told.
public struct CallLedger: Sendable {
    /// What is known of the call.
    public private(set) var record: CallRecord
    private var latest = CallTime.zero
    private var written = 0

    /// A ledger of a call that is yet to be placed.
    public init(_ record: CallRecord) { self.record = record }

    /// Whether the call has been placed and has not ended.
    public var isOpen: Bool { record.initiationTimestamp != nil && record.endTimestamp == nil }

    /// Those who are in the call now.
    public var present: [String] { record.participations.filter(\.isPresent).map(\.personId) }

    /// Whether somebody is in the call now.
    public func isPresent(_ person: String) -> Bool {
        record.participations.contains { $0.personId == person && $0.isPresent }
    }

    /// When somebody who is in the call joined it; nil where they are connected already, or not there.
    public func connectingSince(_ person: String) -> CallTime? {
        guard let visit = record.participations.last(where: { $0.personId == person }), visit.isPresent else {
            return nil
        }
        return visit.connectedTimestamp == nil ? visit.joinedTimestamp : nil
    }

    // MARK: The call

    /// The call is placed; its initiator is in it from now on.
    public mutating func initiate(at time: CallTime, into journal: inout [JournalEvent]) {
        guard record.initiationTimestamp == nil else { return }
        let now = tick(time)
        record.initiationTimestamp = now
        write(.initiated, now, &journal) { $0.initiationTimestamp = now }
        join(record.initiatorPersonId, at: now, into: &journal)
    }

    /// Somebody's devices begin to ring.
    public mutating func ring(
        _ person: String, devices: [String], phase: CallPhase, callerName: String?, locale: String? = nil,
        at time: CallTime, into journal: inout [JournalEvent]
    ) {
        guard isOpen, !devices.isEmpty else { return }
        let now = tick(time)
        if visit(person, where: { $0.leftTimestamp == nil }) == nil {
            var visit = CallParticipation(personId: person)
            visit.ringingTimestamp = now
            record.participations.append(visit)
        }
        writePush(.incomingCall, person, devices, phase, now, &journal) {
            $0.callerName = callerName
            $0.locale = locale
        }
    }

    /// Devices ring no longer, because the call was answered or declined elsewhere.
    public mutating func revoke(
        _ person: String, devices: [String], phase: CallPhase, at time: CallTime, into journal: inout [JournalEvent]
    ) {
        guard isOpen, !devices.isEmpty else { return }
        writePush(.revokeCall, person, devices, phase, tick(time), &journal) { _ in }
    }

    /// Devices have rung in vain.
    public mutating func miss(
        _ person: String, devices: [String], phase: CallPhase, reason: MissedReason, at time: CallTime,
        into journal: inout [JournalEvent]
    ) {
        guard isOpen, !devices.isEmpty else { return }
        writePush(.missedCall, person, devices, phase, tick(time), &journal) { $0.callEndReason = reason }
    }

    /// The call ends; whoever is still in it leaves first.
    public mutating func end(
        _ reason: CallEndReason, others: ParticipantLeftReason = .callEnded, at time: CallTime,
        into journal: inout [JournalEvent]
    ) {
        guard isOpen else { return }
        for visit in record.participations where visit.leftTimestamp == nil {
            leave(visit.personId, others, at: time, into: &journal)
        }
        let now = tick(time)
        record.endTimestamp = now
        record.endReason = reason
        let record = record
        write(.ended, now, &journal) { event in
            event.initiationTimestamp = record.initiationTimestamp
            event.acceptTimestamp = record.acceptTimestamp
            event.establishedTimestamp = record.establishedTimestamp
            event.endTimestamp = now
            event.endReason = reason
        }
    }

    /// An event of ours that changes nothing in the record: a loss of media, another provider.
    public mutating func note(
        _ type: JournalEventType, person: String? = nil, gapMilliseconds: Int64? = nil, detail: String? = nil,
        at time: CallTime, into journal: inout [JournalEvent]
    ) {
        guard isOpen else { return }
        write(type, tick(time), &journal) {
            $0.personId = person
            $0.gapMilliseconds = gapMilliseconds
            $0.detail = detail
        }
    }

    // MARK: People

    /// Somebody answers, or comes in; the first one but the initiator accepts the call.
    public mutating func join(
        _ person: String, device: String? = nil, at time: CallTime, into journal: inout [JournalEvent]
    ) {
        guard isOpen, !isPresent(person) else { return }
        let now = tick(time)
        let index = visit(person, where: { $0.leftTimestamp == nil }) ?? record.participations.endIndex
        if index == record.participations.endIndex { record.participations.append(CallParticipation(personId: person)) }
        record.participations[index].joinedTimestamp = now
        write(.participantJoined, now, &journal) {
            $0.personId = person
            $0.joinedTimestamp = now
            $0.deviceToken = device
        }
        guard record.acceptTimestamp == nil, person != record.initiatorPersonId else { return }
        record.acceptTimestamp = now
        let record = record
        write(.accepted, now, &journal) {
            $0.initiationTimestamp = record.initiationTimestamp
            $0.acceptTimestamp = now
        }
    }

    /// Somebody's connection to the provider stands; with the second one the call is established.
    public mutating func connect(_ person: String, at time: CallTime, into journal: inout [JournalEvent]) {
        guard isOpen, let index = visit(person, where: { $0.isPresent && $0.connectedTimestamp == nil }) else { return }
        let now = tick(time)
        record.participations[index].connectedTimestamp = now
        let joined = record.participations[index].joinedTimestamp
        write(.participantConnected, now, &journal) {
            $0.personId = person
            $0.joinedTimestamp = joined
            $0.connectedTimestamp = now
        }
        guard record.establishedTimestamp == nil, record.acceptTimestamp != nil,
            record.participations.count(where: \.isConnected) >= 2
        else { return }
        record.establishedTimestamp = now
        let record = record
        write(.established, now, &journal) {
            $0.initiationTimestamp = record.initiationTimestamp
            $0.acceptTimestamp = record.acceptTimestamp
            $0.establishedTimestamp = now
        }
    }

    /// Somebody leaves, or is no longer asked.
    public mutating func leave(
        _ person: String, _ reason: ParticipantLeftReason, at time: CallTime, into journal: inout [JournalEvent]
    ) {
        guard isOpen, let index = visit(person, where: { $0.leftTimestamp == nil }) else { return }
        endDialIns(of: person, at: time, into: &journal)
        let now = tick(time)
        record.participations[index].leftTimestamp = now
        record.participations[index].leftReason = reason
        let visit = record.participations[index]
        write(.participantLeft, now, &journal) {
            $0.personId = person
            $0.joinedTimestamp = visit.joinedTimestamp
            $0.connectedTimestamp = visit.connectedTimestamp
            $0.leftTimestamp = now
            $0.leftReason = reason
        }
    }

    /// What somebody publishes is now this. Pictures make a call one of video.
    public mutating func publish(
        _ media: PublishedMedia, by person: String, at time: CallTime, into journal: inout [JournalEvent]
    ) {
        guard isOpen, let index = visit(person, where: \.isPresent) else { return }
        guard record.participations[index].publishedMedia != media else { return }
        let now = tick(time)
        record.participations[index].publications.append(.media(media, since: now))
        if media.hasVideo { record.callType = .video }
        write(.publicationChanged, now, &journal) {
            $0.personId = person
            $0.publishedMedia = media
        }
    }

    // MARK: Telephones

    /// A telephone is connected for somebody who is in the call.
    public mutating func startDialIn(
        _ dialIn: CallPublication.DialIn, of person: String, at time: CallTime, into journal: inout [JournalEvent]
    ) {
        guard isOpen, let index = visit(person, where: \.isPresent) else { return }
        var dialIn = dialIn
        dialIn.startTimestamp = tick(time)
        record.participations[index].publications.append(.dialIn(dialIn))
        write(.dialInStarted, dialIn.startTimestamp, &journal) { $0.fill(dialIn, of: person) }
    }

    /// A telephone is disconnected.
    public mutating func endDialIn(
        _ id: String, of person: String, at time: CallTime, into journal: inout [JournalEvent]
    ) {
        guard isOpen, let index = visit(person, where: \.isPresent) else { return }
        for (number, publication) in record.participations[index].publications.enumerated() {
            guard case .dialIn(var dialIn) = publication, dialIn.dialInId == id, dialIn.endTimestamp == nil else {
                continue
            }
            dialIn.endTimestamp = tick(time)
            record.participations[index].publications[number] = .dialIn(dialIn)
            write(.dialInEnded, dialIn.endTimestamp ?? latest, &journal) { $0.fill(dialIn, of: person) }
        }
    }

    private mutating func endDialIns(of person: String, at time: CallTime, into journal: inout [JournalEvent]) {
        guard let index = visit(person, where: \.isPresent) else { return }
        for case .dialIn(let dialIn) in record.participations[index].publications where dialIn.endTimestamp == nil {
            endDialIn(dialIn.dialInId, of: person, at: time, into: &journal)
        }
    }

    // MARK: Writing

    private mutating func tick(_ time: CallTime) -> CallTime {
        latest = max(latest, time)
        return latest
    }

    private func visit(_ person: String, where fits: (CallParticipation) -> Bool) -> Int? {
        record.participations.lastIndex { $0.personId == person && fits($0) }
    }

    private mutating func write(
        _ type: JournalEventType, _ now: CallTime, _ journal: inout [JournalEvent],
        _ fill: (inout JournalEvent) -> Void
    ) {
        written += 1
        var event = JournalEvent(type, of: record, id: "\(record.id)#\(written)", at: now)
        fill(&event)
        journal.append(event)
    }

    private mutating func writePush(
        _ type: JournalEventType, _ person: String, _ devices: [String], _ phase: CallPhase, _ now: CallTime,
        _ journal: inout [JournalEvent], _ fill: (inout JournalEvent) -> Void
    ) {
        let (start, caller) = (record.initiationTimestamp, record.initiatorPersonId)
        write(type, now, &journal) { event in
            event.recipient = .init(id: person)
            event.deviceTokens = devices
            event.callState = phase
            event.callStartTimestamp = start
            event.callerPersonId = caller
            fill(&event)
        }
    }
}

extension CallParticipation {
    /// What they publish through the provider now.
    public var publishedMedia: PublishedMedia {
        for case .media(let media, _) in publications.reversed() { return media }
        return .none
    }
}

extension JournalEvent {
    fileprivate mutating func fill(_ dialIn: CallPublication.DialIn, of person: String) {
        personId = person
        dialInServiceProviderType = dialIn.dialInServiceProviderType
        dialInId = dialIn.dialInId
        dialInNumber = dialIn.dialInNumber
        startTimestamp = dialIn.startTimestamp
        endTimestamp = dialIn.endTimestamp
    }
}
