import RTCWire

extension ICEAgent {
    /// Takes the other side's credentials; checks begin. Credentials that differ from known ones begin another
    /// generation, as the other side's restart does; `restart` is then to be called first, for our half of it.
    ///
    /// - Parameter remoteIsLite: it said `a=ice-lite`; then we control (RFC 8445 section 6.1.1).
    package mutating func setRemoteCredentials(
        _ credentials: ICECredentials, remoteIsLite: Bool = false, now: Instant
    ) -> ICEChanges {
        guard state != .closed, generation.remote != credentials else { return finish() }
        begin(now)
        if generation.remote != nil { beginGeneration(local: generation.local) }
        generation.setRemote(credentials)
        generation.startedAt = self.now
        self.remoteIsLite = remoteIsLite
        if remoteIsLite { setRole(.controlling) }
        forgetOthersCandidates(ufrag: credentials.ufrag)
        takeDeferredCandidates()
        return finish()
    }

    /// Begins another generation (RFC 8445 section 9), with these credentials or fresh ones. The selected pair goes on
    /// carrying data, and its consent is kept, until the new generation has chosen one. Local candidates stay; the
    /// other side's are to be signalled again.
    package mutating func restart(credentials: ICECredentials? = nil, now: Instant) -> ICEChanges {
        guard state != .closed else { return finish() }
        begin(now)
        statistics.restarts += 1
        beginGeneration(local: credentials ?? ICECredentials(using: &random))
        if state == .failed {
            state = .checking
            changes.insert(.state)
        }
        return finish()
    }

    private mutating func beginGeneration(local: ICECredentials) {
        if hasChosen { retained = generation }
        generation = ICEGeneration(number: generation.number &+ 1, local: local)
        generation.startedAt = now
        checklist.removeAll()
        remoteCandidates.removeAll()
        remoteCandidatesEnded = false
        settlesAt = nil
        isSeekingAlternative = false
        isExhausted = false
        nextOrdinaryCheckAt = now
    }

    /// Candidates that came before the credentials and name another generation than theirs.
    private mutating func forgetOthersCandidates(ufrag: String) {
        for remote in remoteCandidates where remote.ufrag != nil && remote.ufrag != ufrag {
            statistics.ignoredCandidates.generation += 1
            checklist.removeAll { $0.remote.address == remote.address }
        }
        remoteCandidates.removeAll { $0.ufrag != nil && $0.ufrag != ufrag }
    }

    private mutating func takeDeferredCandidates() {
        let candidates = deferredCandidates
        deferredCandidates.removeAll()
        for candidate in candidates { addRemoteCandidate(candidate, now: now) }
    }

    // MARK: Role

    /// Takes another role: pair priorities change, and checks under way are made again with the new one (RFC 8445
    /// section 7.3.1.1).
    mutating func setRole(_ newRole: ICERole) {
        guard newRole != role else { return }
        role = newRole
        settlesAt = nil
        checklist.reprioritize(role: role)
        for index in checklist.indices where checklist[index].check != nil {
            let wasValid = checklist[index].isValid
            checklist[index].cancelCheck()
            if !wasValid { checklist[index].isTriggered = true }
        }
    }
}
