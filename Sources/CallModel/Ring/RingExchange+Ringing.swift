/// Rounds of ringing: who is asked, who answered first, who is asked next.
extension RingExchange {
    /// Why devices stop.
    enum Stop {
        case missed(MissedReason)
        case answered(by: RingDevice)
    }

    /// Rings for the first group from `group` on that has somebody who can be reached.
    mutating func ring(
        from group: Int, at now: CallTime, devices: (String) -> [String], into actions: inout [Action]
    ) {
        for index in request.groups.indices where index >= group {
            let people = request.groups[index].uniqued().filter { $0 != record.initiatorPersonId }
            let reachable = people.map { (person: $0, tokens: devices($0).uniqued()) }.filter { !$0.tokens.isEmpty }
            guard !reachable.isEmpty else { continue }
            return begin(Round(group: index, until: now.advanced(by: timing.ring), devices: reachable), now, &actions)
        }
        nobodyLeft(at: now, &actions)
    }

    private mutating func begin(_ round: Round, _ now: CallTime, _ actions: inout [Action]) {
        stage = .ringing(round)
        signal(.progress(callId: record.id, phase), to: callerDevice, &actions)
        let (phase, name) = (phase, request.callerName)
        for (person, tokens) in round.devices {
            journal(into: &actions) {
                $0.ring(person, devices: tokens, phase: phase, callerName: name, at: now, into: &$1)
            }
            for token in tokens {
                signal(
                    .offer(offer(until: round.until)), to: RingDevice(personId: person, deviceToken: token), &actions)
            }
        }
    }

    private mutating func nobodyLeft(at now: CallTime, _ actions: inout [Action]) {
        let wasRung = record.participations.contains { $0.ringingTimestamp != nil }
        if wasRung {
            return end(wasMissed ? .notAnswered : .declined, others: .callAborted, at: now, into: &actions)
        }
        stage = .unavailable(until: now.advanced(by: timing.unavailableNotice))
        signal(.progress(callId: record.id, .unavailable), to: callerDevice, &actions)
    }

    func offer(until: CallTime) -> RingOffer {
        RingOffer(
            callId: record.id, conversationId: record.conversationId, callType: record.callType,
            callerPersonId: record.initiatorPersonId, callerName: request.callerName,
            callStartTimestamp: record.initiationTimestamp ?? .zero, ringsUntil: until, callState: phase)
    }

    // MARK: What devices say

    /// The first answer counts; every later one is told so.
    mutating func answer(_ device: RingDevice, at now: CallTime, into actions: inout [Action]) {
        guard case .ringing(let round) = stage else {
            // Said twice by the one who has it: once more the same.
            if isActive, answeredOn[device.personId] == device.deviceToken, ledger.isPresent(device.personId) {
                return signal(.granted(callId: record.id), to: device, &actions)
            }
            let reason: RingWithdrawal = isActive ? .answeredElsewhere : isEnded ? .ended : .unknownCall
            return signal(.refused(callId: record.id, reason), to: device, &actions)
        }
        guard round.devices.contains(where: { $0.person == device.personId && $0.tokens.contains(device.deviceToken) })
        else {
            return signal(.refused(callId: record.id, .unknownCall), to: device, &actions)
        }
        answeredOn[device.personId] = device.deviceToken
        journal(into: &actions) { $0.join(device.personId, device: device.deviceToken, at: now, into: &$1) }
        signal(.granted(callId: record.id), to: device, &actions)
        stopRinging(.answered(by: device), at: now, into: &actions)
        stage = .active
        signal(.progress(callId: record.id, .active), to: callerDevice, &actions)
    }

    /// One device declines for its person; when the last one of a group does, the next group is asked.
    mutating func decline(
        _ device: RingDevice, at now: CallTime, devices: (String) -> [String], into actions: inout [Action]
    ) {
        guard case .ringing(var round) = stage,
            let index = round.devices.firstIndex(where: {
                $0.person == device.personId && $0.tokens.contains(device.deviceToken)
            })
        else { return }
        let tokens = round.devices[index].tokens
        round.devices[index].tokens = []
        stage = .ringing(round)
        let phase = phase
        journal(into: &actions) {
            $0.revoke(device.personId, devices: tokens, phase: phase, at: now, into: &$1)
            $0.leave(device.personId, .hangUp, at: now, into: &$1)
        }
        // The declining device, too: another process of it may be ringing.
        for token in tokens {
            signal(
                .withdrawn(callId: record.id, .declinedElsewhere),
                to: RingDevice(personId: device.personId, deviceToken: token), &actions)
        }
        guard round.devices.allSatisfy({ $0.tokens.isEmpty }) else { return }
        ring(from: round.group + 1, at: now, devices: devices, into: &actions)
    }

    /// The caller gives up; after an answer that is hanging up.
    mutating func abort(_ device: RingDevice, at now: CallTime, into actions: inout [Action]) {
        guard device.personId == record.initiatorPersonId else { return }
        left(device.personId, .hangUp, at: now, into: &actions)
    }

    // MARK: Stopping

    /// Silences every device that rings, and says why, to each once.
    mutating func stopRinging(_ stop: Stop, at now: CallTime, into actions: inout [Action]) {
        guard case .ringing(let round) = stage else { return }
        for (person, tokens) in round.devices where !tokens.isEmpty {
            silence(person, tokens, stop, now, &actions)
        }
        stage = .ringing(Round(group: round.group, until: round.until, devices: []))
    }

    private mutating func silence(
        _ person: String, _ tokens: [String], _ stop: Stop, _ now: CallTime, _ actions: inout [Action]
    ) {
        let phase = phase
        var silenced = tokens
        let reason: RingWithdrawal
        switch stop {
        case .missed(let missed):
            reason = missed == .timeout ? .timeout : .aborted
            wasMissed = wasMissed || missed == .timeout
            journal(into: &actions) {
                $0.miss(person, devices: tokens, phase: phase, reason: missed, at: now, into: &$1)
                $0.leave(
                    person, missed == .timeout ? .missedBecauseTimeout : .missedBecauseTerminated, at: now, into: &$1)
            }
        case .answered(let device):
            reason = .answeredElsewhere
            silenced.removeAll { person == device.personId && $0 == device.deviceToken }
            let others = silenced
            journal(into: &actions) {
                $0.revoke(person, devices: others, phase: phase, at: now, into: &$1)
                if person != device.personId { $0.leave(person, .missedBecauseTerminated, at: now, into: &$1) }
            }
        }
        for token in silenced {
            signal(
                .withdrawn(callId: record.id, reason), to: RingDevice(personId: person, deviceToken: token), &actions)
        }
    }

    // MARK: Output

    func signal(_ signal: RingSignal, to device: RingDevice, _ actions: inout [Action]) {
        actions.append(.signal(signal, to: device))
    }

    package mutating func journal(
        into actions: inout [Action], _ write: (inout CallLedger, inout [JournalEvent]) -> Void
    ) {
        var events: [JournalEvent] = []
        write(&ledger, &events)
        for event in events { actions.append(.journal(event)) }
    }
}

extension Array where Element: Hashable {
    /// Each element once, at its first place.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
