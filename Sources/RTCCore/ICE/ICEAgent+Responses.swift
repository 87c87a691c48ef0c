import RTCWire

// What an authenticated response brings about, RFC 8445 section 7.2.5.

extension ICEAgent {
    mutating func handle(_ response: STUNMessage, ofCheck index: Int) {
        guard let check = checklist[index].check else { return }
        if response.messageClass == .error { return refused(check, index, code: response.errorCode) }
        guard let mapped = response.mappedAddress else {
            statistics.malformed += 1
            return
        }
        statistics.checksAnswered += 1
        succeeded(check, index, mapped)
    }

    /// A consent check was answered: by success, or by a role conflict, which shows the other side alive too but gives
    /// no consent.
    mutating func handleConsent(_ response: STUNMessage) {
        guard selection?.consent.standing(at: now, timing: timing) != .expired else { return }
        if response.messageClass == .success { return consentAnswered(response) }
        guard response.errorCode == 487 else { return }
        statistics.roleConflicts += 1
        if selection?.consent.role(of: response.transactionID) == role, !remoteIsLite { setRole(role.opposite) }
    }

    private mutating func succeeded(_ check: ConnectivityCheck, _ index: Int, _ mapped: TransportAddress) {
        checklist[index].state = .succeeded(
            ValidPair(
                mapped: mapped.over(checklist[index].local.base.transport), roundTripTime: now - check.lastSent,
                validatedAt: now))
        checklist.unfreeze(like: index)
        if check.useCandidate {
            select(index)
        } else if checklist[index].awaitsNomination, role == .controlled {
            validatedAfterNomination(index)
        }
    }

    private mutating func refused(_ check: ConnectivityCheck, _ index: Int, code: UInt16?) {
        guard code == 487 else {
            checklist[index].state = .failed
            return
        }
        statistics.roleConflicts += 1
        checklist[index].cancelCheck()
        if !checklist[index].isValid { checklist[index].isTriggered = true }
        // The role may have changed since the request left (section 7.2.5.1).
        if check.role == role, !remoteIsLite { setRole(role.opposite) }
    }
}
