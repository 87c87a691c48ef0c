import RTCWire

extension ICEAgent {
    /// Ends what has run out of time: the selected pair's consent, the search for a pair.
    mutating func expire() {
        guard let standing = selection?.consent.standing(at: now, timing: timing), standing >= .suspect else { return }
        if standing == .expired {
            dropSelection()
        } else {
            seekAlternative()
        }
    }

    /// Consent is lost: nothing may be sent to that address with those credentials any more (RFC 7675 section 5.1).
    mutating func dropSelection() {
        if hasChosen {
            isExhausted = true
            checklist.removeAll()
        }
        selection = nil
        retained = nil
        isSeekingAlternative = false
        changes.insert(.selection)
    }

    mutating func updateState() {
        let newState = computedState()
        guard newState != state else { return }
        state = newState
        changes.insert(.state)
        if newState == .failed {
            checklist.removeAll()
            settlesAt = nil
        }
    }

    private func computedState() -> ICEState {
        guard isActive else { return state }
        if let selection {
            if selection.consent.standing(at: now, timing: timing) >= .disconnected { return .disconnected }
            return isCompleted ? .completed : .connected
        }
        guard let failsAt else { return .new }
        return isExhausted || now >= failsAt ? .failed : .checking
    }

    /// When the present generation gives up looking for a pair.
    private var failsAt: Instant? {
        guard selection == nil, let startedAt = generation.startedAt else { return nil }
        return startedAt + timing.connectTimeout
    }

    /// Whether no candidate and no check is to come any more.
    private var isCompleted: Bool {
        hasChosen && remoteCandidatesEnded && !checklist.indices.contains { checklist[$0].check != nil }
    }

    // MARK: Deadlines

    mutating func updateDeadline() {
        nextDeadline = nil
        guard isActive else { return }
        propose(failsAt, .connectTimeout)
        if generation.remote != nil {
            proposeChecks()
            if canNominate { propose(settlesAt, .nomination) }
        }
        if let selection {
            propose(selection.consent.nextCheckAt, .consent)
            propose(silenceAsked, .consent)
            propose(selection.consent.nextChange(after: now, timing: timing), .liveness)
        }
        if !changes.isEmpty { propose(now, .check) }
    }

    private mutating func proposeChecks() {
        for index in checklist.indices {
            if checklist[index].isTriggered { propose(now, .check) }
            if let check = checklist[index].check { propose(check.retransmitAt, .retransmission) }
        }
        guard mayCheckOrdinarily else { return }
        if checklist.nextOrdinary(overTCP: mayCheckOverTCP) != nil {
            propose(max(now, nextOrdinaryCheckAt), .check)
        } else if checklist.nextOrdinary() != nil {
            propose(max(tcpStartsAt, nextOrdinaryCheckAt), .check)
        }
    }

    private mutating func propose(_ instant: Instant?, _ reason: ICEDeadline.Reason) {
        guard let instant else { return }
        if let nextDeadline, nextDeadline.instant <= instant { return }
        nextDeadline = ICEDeadline(instant: instant, reason: reason)
    }
}
