import RTCWire

extension ICEAgent {
    /// Authentic media has come. Where it stops, the pair is asked for consent without waiting for the next check.
    package mutating func mediaArrived(now: Instant) {
        let isResumed = lastMedia.map { now - $0 >= timing.silence } ?? true
        lastMedia = now
        if isResumed { updateDeadline() }
    }

    /// For how long the selected pair has been silent: nothing has come since, media or answer, and the first check that stayed
    /// unanswered has been on its way for so long. Zero where nothing is asked, or there is no pair.
    func silence(now: Instant) -> Interval {
        guard let first = selection?.consent.firstUnanswered else { return .zero }
        return max(.zero, now - max(first, lastMedia ?? first))
    }

    /// When silence is asked after: media has come since the last check, and nothing after it.
    var silenceAsked: Instant? {
        guard let lastMedia, let consent = selection?.consent, consent.firstUnanswered == nil else { return nil }
        let due = lastMedia + timing.silence
        return consent.lastSent < due ? due : nil
    }

    /// Sends the consent check that is due; it is the keepalive too (RFC 7675 section 5.1, RFC 8445 section 11).
    mutating func sendConsentCheck(into outbox: DatagramOutbox) {
        if let due = silenceAsked, due <= now { selection?.consent.hasten(now: now) }
        guard let selection, selection.consent.nextCheckAt <= now,
            let credentials = credentials(of: selection.generation)
        else { return }
        let isSelectedHere = localCandidates.contains { $0.base == selection.local.base }
        // It repeats the nomination, so that a peer behind whose back our address changes can follow at once.
        let useCandidate = role == .controlling && hasChosen
        let check = ConnectivityCheck(
            random.transactionID(), role: role, useCandidate: useCandidate, timeout: timing.consentRetry, now: now)
        let retry =
            selection.consent.doubtRetry
            ?? max(timing.consentRetry, min(selection.roundTripTime * 2, timing.suspectAfter))
        self.selection?.consent.sent(check.transactionID, as: role, now: now, retry: retry)
        guard isSelectedHere else { return }
        statistics.consentChecksSent += 1
        sendRequest(check, from: selection.local, to: selection.remote.address, credentials, into: outbox)
    }

    /// The selected pair has answered.
    mutating func consentAnswered(_ response: STUNMessage) {
        let interval = random.spread(timing.consentInterval)
        guard
            let roundTripTime = selection?.consent.answered(response.transactionID, now: now, interval: interval)
        else { return }
        statistics.consentChecksAnswered += 1
        selection?.roundTripTime = roundTripTime
        if let mapped = response.mappedAddress, let transport = selection?.local.base.transport {
            selection?.mapped = mapped.over(transport)
        }
        if isSeekingAlternative { stopSeeking() }
    }
}
