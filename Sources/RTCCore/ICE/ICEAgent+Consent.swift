import RTCWire

extension ICEAgent {
    /// Sends the consent check that is due; it is the keepalive too (RFC 7675 section 5.1, RFC 8445 section 11).
    mutating func sendConsentCheck(into outbox: DatagramOutbox) {
        guard let selection, selection.consent.nextCheckAt <= now,
            let credentials = credentials(of: selection.generation)
        else { return }
        let isSelectedHere = localCandidates.contains { $0.base == selection.local.base }
        // It repeats the nomination, so that a peer behind whose back our address changes can follow at once.
        let useCandidate = role == .controlling && hasChosen
        let check = ConnectivityCheck(
            random.transactionID(), role: role, useCandidate: useCandidate, timeout: timing.consentRetry, now: now)
        let retry = max(timing.consentRetry, min(selection.roundTripTime * 2, timing.suspectAfter))
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
