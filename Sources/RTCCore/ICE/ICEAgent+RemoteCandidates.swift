import RTCWire

extension ICEAgent {
    /// Adds a candidate that the other side has signalled. What cannot be used is counted and ignored.
    @discardableResult
    package mutating func addRemoteCandidate(_ candidate: ICECandidate, now: Instant) -> RemoteCandidateResult {
        guard state != .closed else { return .ignored(.closed) }
        begin(now)
        defer { update() }
        switch usable(candidate) {
        case .ignored(let reason):
            count(reason)
            return .ignored(reason)
        case .awaited: return .awaited
        case .usable(let remote): return place(remote, signalled: candidate)
        }
    }

    /// The other side has said that no further candidates come (RFC 8838 section 13).
    package mutating func endOfRemoteCandidates(now: Instant) -> ICEChanges {
        begin(now)
        remoteCandidatesEnded = true
        return finish()
    }

    private enum Usability {
        case usable(RemoteCandidate)
        case awaited
        case ignored(RemoteCandidateResult.Reason)
    }

    private func usable(_ candidate: ICECandidate) -> Usability {
        guard candidate.component == 1 else { return .ignored(.component) }
        guard let type = CandidateType(candidate.type) else { return .ignored(.transport) }
        switch (candidate.transportProtocol, candidate.tcpType) {
        case (.udp, _), (.tcp, "passive"): break
        case (.tcp, "active"): return .awaited
        default: return .ignored(.transport)
        }
        guard let address = candidate.address else { return .ignored(.hostName) }
        guard address.isUsableDestination else { return .ignored(.unusableAddress) }
        return .usable(
            RemoteCandidate(
                type: type, address: address, priority: candidate.priority, foundation: candidate.foundation,
                ufrag: candidate.ufrag, tcpType: address.transport == .tcp ? .passive : nil))
    }

    /// Sorts a usable candidate by its generation: the present one, one to come, one that is over.
    private mutating func place(_ remote: RemoteCandidate, signalled: ICECandidate) -> RemoteCandidateResult {
        guard let ufrag = remote.ufrag else { return insert(remote) }
        if let present = generation.remote {
            return present.ufrag == ufrag ? insert(remote) : postpone(signalled, ufrag)
        }
        if ufrag == retained?.remote?.ufrag {
            count(.generation)
            return .ignored(.generation)
        }
        return insert(remote)
    }

    private mutating func postpone(_ candidate: ICECandidate, _ ufrag: String) -> RemoteCandidateResult {
        guard ufrag != retained?.remote?.ufrag else {
            count(.generation)
            return .ignored(.generation)
        }
        if deferredCandidates.count >= limits.remoteCandidates { deferredCandidates.removeFirst() }
        deferredCandidates.append(candidate)
        return .deferred
    }

    private mutating func insert(_ remote: RemoteCandidate) -> RemoteCandidateResult {
        if let known = remoteCandidates.firstIndex(where: { $0.address == remote.address }) {
            statistics.ignoredCandidates.duplicate += 1
            adopt(remote, over: known)
            return .known
        }
        guard remoteCandidates.count < limits.remoteCandidates, !isOneTooMany(remote) else {
            count(.limit)
            return .ignored(.limit)
        }
        remoteCandidates.append(remote)
        for local in localCandidates where local.opensChecks { pair(local, remote) }
        return .added
    }

    /// Each passive candidate may have us open a connection, wherever it says.
    private func isOneTooMany(_ remote: RemoteCandidate) -> Bool {
        guard remote.tcpType == .passive else { return false }
        return remoteCandidates.reduce(0) { $0 + ($1.tcpType == .passive ? 1 : 0) } >= limits.passiveCandidates
    }

    /// A signalled candidate whose address a check has shown before takes that one's place; the pairs and what is
    /// known of them stay (RFC 8838 section 11.4).
    private mutating func adopt(_ remote: RemoteCandidate, over known: Int) {
        guard remoteCandidates[known].type == .peerReflexive, remote.type != .peerReflexive else { return }
        remoteCandidates[known] = remote
        for index in checklist.indices where checklist[index].remote.address == remote.address {
            checklist[index].remote = remote
            checklist.reprioritize(index, role: role)
        }
        if hasChosen, selection?.remote.address == remote.address { selection?.remote = remote }
    }

    private mutating func count(_ reason: RemoteCandidateResult.Reason) {
        switch reason {
        case .transport: statistics.ignoredCandidates.transport += 1
        case .hostName: statistics.ignoredCandidates.hostName += 1
        case .component: statistics.ignoredCandidates.component += 1
        case .unusableAddress: statistics.ignoredCandidates.unusableAddress += 1
        case .generation: statistics.ignoredCandidates.generation += 1
        case .limit: statistics.ignoredCandidates.limit += 1
        case .closed: break
        }
    }

    // MARK: Peer-reflexive candidates

    /// The candidate behind a request from an address that nobody has named (RFC 8445 section 7.3.1.3).
    mutating func learnRemote(_ address: TransportAddress, priority: UInt32, ufrag: String?) -> RemoteCandidate? {
        if let known = remoteCandidates.first(where: { $0.address == address }) { return known }
        guard address.isUsableDestination, makeRoomForPeerReflexive() else { return nil }
        // A foundation of its own: nothing is known about what it shares with others (section 7.3.1.3).
        let foundation = "prflx\(random.next() & 0xffff_ffff)"
        let remote = RemoteCandidate(
            type: .peerReflexive, address: address, priority: priority, foundation: foundation, ufrag: ufrag,
            tcpType: address.transport == .tcp ? .active : nil)
        remoteCandidates.append(remote)
        return remote
    }

    /// A peer that moves about for hours must not run into a bound: the least recently used candidate gives way.
    private mutating func makeRoomForPeerReflexive() -> Bool {
        let learnt = remoteCandidates.indices.filter { remoteCandidates[$0].type == .peerReflexive }
        guard learnt.count >= limits.peerReflexiveCandidates || remoteCandidates.count >= limits.remoteCandidates else {
            return true
        }
        let selected = hasChosen ? selection?.remote.address : nil
        let oldest = learnt.filter { remoteCandidates[$0].address != selected }
            .min { lastUse(of: remoteCandidates[$0].address) < lastUse(of: remoteCandidates[$1].address) }
        guard let oldest else { return false }
        let address = remoteCandidates.remove(at: oldest).address
        checklist.removeAll { $0.remote.address == address }
        return true
    }

    private func lastUse(of address: TransportAddress) -> Instant {
        checklist.pairs.reduce(.zero) { $1.remote.address == address ? max($0, $1.requestedAt ?? .zero) : $0 }
    }
}
