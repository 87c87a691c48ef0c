import RTCWire

// Choosing the pair: regular nomination where we control, following the other side where it does. RFC 8445 section 8.

extension ICEAgent {
    // MARK: Controlling

    /// Whether a nominating check may be begun.
    var canNominate: Bool {
        role == .controlling && mayCheckOrdinarily
            && !checklist.indices.contains { checklist[$0].isValid && checklist[$0].check != nil }
    }

    /// Nominates the best valid pair as soon as no better one is being checked, or the time to wait for it is over.
    mutating func chooseNomination(into outbox: DatagramOutbox) {
        guard canNominate, let best = checklist.best(where: eligibility()), let validity = checklist[best].validity
        else {
            settlesAt = nil
            return
        }
        let deadline = settlesAt ?? now + settleTime(validity.roundTripTime)
        settlesAt = deadline
        let priority = checklist[best].priority
        let awaitsBetter = checklist.indices.contains { checklist[$0].isOpen && checklist[$0].priority > priority }
        if awaitsBetter, now < deadline { return }
        settlesAt = nil
        startNomination(best, into: outbox)
    }

    /// Which valid pairs may be chosen: any, or instead of a silent one those that have been seen alive since.
    private func eligibility() -> (CandidatePair) -> Bool {
        guard hasChosen, let selection else { return { $0.isValid } }
        let (selected, lastAnswered) = (selection.pair, selection.consent.lastAnswered)
        return { pair in
            guard let validity = pair.validity, pair.id != selected else { return false }
            return max(validity.validatedAt, pair.requestedAt ?? .zero) > lastAnswered
        }
    }

    private func settleTime(_ roundTripTime: Interval) -> Interval {
        max(timing.settle, min(roundTripTime, timing.maximumSettle))
    }

    /// Nobody answers the nomination: where another pair is valid, this one has failed after all.
    mutating func giveUpNomination(_ index: Int) -> Bool {
        let id = checklist[index].id
        guard checklist.indices.contains(where: { checklist[$0].isValid && checklist[$0].id != id }) else {
            return false
        }
        checklist[index].state = .failed
        return true
    }

    // MARK: Controlled

    /// USE-CANDIDATE has come over a pair: it is chosen now, or when it turns out valid.
    mutating func nominatedByPeer(_ index: Int) {
        let previous = checklist[index].nominatedAt
        checklist[index].nominatedAt = now
        guard shouldFollow(index, previous: previous) else { return }
        if checklist[index].isValid {
            select(index)
        } else {
            checklist[index].awaitsNomination = true
        }
    }

    /// A pair that USE-CANDIDATE had come for is valid now. One that was chosen in the meantime stays if it is better.
    mutating func validatedAfterNomination(_ index: Int) {
        let pair = checklist[index]
        checklist[index].awaitsNomination = false
        if hasChosen, let selection, let nominatedAt = pair.nominatedAt, selection.since >= nominatedAt,
            selection.priority >= pair.priority, !selection.isProvisional
        {
            return
        }
        select(index)
    }

    /// A check without USE-CANDIDATE has come over the pair that the other side nominated last, while we follow its checks
    /// over another one: it has not moved. That pair is chosen again as soon as it turns out valid again, or each side
    /// would keep to a pair of its own.
    mutating func askedOverNominated(_ index: Int) {
        let pair = checklist[index]
        guard hasChosen, let selection, selection.isProvisional, selection.pair != pair.id,
            let nominatedAt = pair.nominatedAt,
            checklist.indices.allSatisfy({ (checklist[$0].nominatedAt ?? .zero) <= nominatedAt })
        else { return }
        checklist[index].awaitsNomination = true
        guard pair.isValid else { return }
        checklist[index].state = .waiting
        checklist[index].isTriggered = true
    }

    /// Whether a nominated pair takes the place of the selected one.
    ///
    /// A peer of aggressive nomination nominates all its pairs within moments, and the best of them counts
    /// (RFC 8445 appendix B, RFC 5245 section 8.1.1.2). A peer that moves nominates a pair once more, or a new one, long
    /// after: that one counts, even where its priority is lower.
    private func shouldFollow(_ index: Int, previous: Instant?) -> Bool {
        guard hasChosen, let selection else { return true }
        let pair = checklist[index]
        if pair.id == selection.pair { return false }
        if pair.priority > selection.priority || isSeekingAlternative { return true }
        if previous == nil, now - selection.since > ICEAgent.aggressiveWindow { return true }
        guard let selected = checklist.index(id: selection.pair), let last = checklist[selected].nominatedAt else {
            return true
        }
        return now - last > ICEAgent.nominationMemory
    }

    // MARK: Both

    /// Makes a valid pair the one that data takes, and stops what else is being checked.
    mutating func select(_ index: Int) {
        guard let validity = checklist[index].validity else { return }
        let pair = checklist[index]
        checklist[index].awaitsNomination = false
        guard selection?.pair != pair.id || !hasChosen else { return }
        let isFresh = now - validity.validatedAt < ICEAgent.freshness
        let consent = Consent(now: now, nextCheckAt: isFresh ? now + random.spread(timing.consentInterval) : now)
        selection = ICESelection(
            generation: generation.number, pair: pair.id, local: pair.local, remote: pair.remote,
            priority: pair.priority, since: now, mapped: validity.mapped, roundTripTime: validity.roundTripTime,
            leastRoundTrip: LeastRoundTrip(validity.roundTripTime), consent: consent)
        statistics.selections += 1
        retained = nil
        changes.insert(.selection)
        stopSeeking()
    }

    /// Checks of other pairs end; where the other side controls, only those of pairs that it could still prefer go on.
    mutating func stopSeeking() {
        isSeekingAlternative = false
        settlesAt = nil
        guard let selection else { return }
        for index in checklist.indices where checklist[index].id != selection.pair {
            if role == .controlled, checklist[index].priority > selection.priority { continue }
            if checklist[index].check != nil { checklist[index].cancelCheck() }
        }
    }

    /// The selected pair is silent: every other pair is checked again.
    mutating func seekAlternative() {
        guard !isSeekingAlternative, hasChosen, let selection else { return }
        isSeekingAlternative = true
        let isEligible = eligibility()
        for index in checklist.indices where checklist[index].id != selection.pair {
            if isEligible(checklist[index]) || checklist[index].check != nil { continue }
            checklist[index].state = .waiting
        }
    }

    /// Where the other side controls and has moved without nominating (a NAT has given it another address): follows
    /// its checks once the selected pair is silent.
    mutating func followMovedPeer() {
        guard role == .controlled, isSeekingAlternative else { return }
        let isEligible = eligibility()
        let nominated = checklist.best { isEligible($0) && $0.nominatedAt != nil }
        let moved = nominated ?? checklist.best { isEligible($0) && $0.requestedAt != nil }
        guard let index = moved else { return }
        select(index)
        selection?.isProvisional = true
    }

    /// Within so long after the first selection, several nominations are aggressive ones.
    private static let aggressiveWindow = Interval.seconds(2)
    /// A pair that was not nominated again for so long is no longer the controlling side's choice.
    private static let nominationMemory = Interval.seconds(8)
    /// A pair that was validated longer ago is asked for consent at once when it is selected.
    private static let freshness = Interval.seconds(1)
}
