import RTCWire

extension ICEAgent {
    /// Adds a host candidate.
    ///
    /// - Parameters:
    ///   - address: what the other side is to send to, and what is signalled.
    ///   - base: the address of the socket behind it, where that is another one (a wildcard address, a forwarded port).
    ///   - path: which way datagrams from there take.
    ///   - preference: 0...65535; by default IPv6 before IPv4 before loopback, earlier before later.
    /// - Returns: nil where the address is unusable or known, or the bound is reached.
    @discardableResult
    package mutating func addLocalCandidate(
        _ address: TransportAddress, base: TransportAddress? = nil, path: UInt8 = 0, preference: UInt16? = nil,
        now: Instant
    ) -> LocalCandidate? {
        let base = base ?? address
        guard state != .closed, address.isUsableDestination, localCandidates.count < limits.localCandidates,
            !localCandidates.contains(where: { $0.address == address && $0.base == base })
        else { return nil }
        begin(now)
        let candidate = LocalCandidate(
            host: address, base: base, path: path, localPreference: preference ?? defaultPreference(address))
        localCandidates.append(candidate)
        for remote in remoteCandidates { pair(candidate, remote) }
        update()
        return candidate
    }

    /// Adds a TCP host candidate, RFC 6544: `passive` where connections are taken, `active` where they can be opened.
    ///
    /// - Parameters:
    ///   - address: of a passive one the address to connect to; of an active one our IP address.
    ///   - base: what the shell says that packets came to, where that is another address than the one that is told.
    /// - Returns: nil where the address is unusable or known, or the bound is reached.
    @discardableResult
    package mutating func addTCPCandidate(
        _ type: TCPCandidateType, _ address: TransportAddress, base: TransportAddress? = nil, now: Instant
    ) -> LocalCandidate? {
        let address = address.with(.tcp, port: type == .active ? TCPCandidateType.activePort : address.port)
        let base = base?.over(.tcp) ?? address
        guard state != .closed, address.isUsableDestination, localCandidates.count < limits.localCandidates,
            !localCandidates.contains(where: { $0.address == address && $0.base == base })
        else { return nil }
        begin(now)
        let candidate = LocalCandidate(
            host: address, base: base, localPreference: defaultPreference(address), tcpType: type)
        localCandidates.append(candidate)
        if candidate.opensChecks { for remote in remoteCandidates { pair(candidate, remote) } }
        update()
        return candidate
    }

    /// A connection to or from `remote` has ended. What came over it can't be answered any more; a pair of ours that
    /// opens connections is checked over another one.
    package mutating func connectionEnded(
        base: TransportAddress, remote: TransportAddress, now: Instant
    ) -> ICEChanges {
        begin(now)
        let isSelected = selection?.local.base == base && selection?.remote.address == remote
        let isPassive = localCandidates.contains { $0.base == base && $0.tcpType == .passive }
        if isPassive {
            checklist.removeAll { $0.local.base == base && $0.remote.address == remote }
            remoteCandidates.removeAll { $0.address == remote }
            if isSelected {
                selection?.consent.lose(now: self.now, timing: timing)
                seekAlternative()
            }
        } else if isSelected {
            selection?.consent.hasten(now: self.now)
        }
        return finish()
    }

    /// Adds what a STUN or TURN server has told of us; nil where the address is unusable or known, or the bound is reached.
    ///
    /// A server-reflexive candidate is only signalled: its pairs are those of its base (RFC 8445 section 6.1.2.4).
    ///
    /// - Parameters:
    ///   - base: the socket's address, or for a relayed candidate the relay's.
    ///   - path: which way datagrams from there take.
    ///   - rank: 0 is the best way to a server (UDP), 1 the next (TCP), 2 the last (TLS).
    @discardableResult
    package mutating func addServerCandidate(
        _ type: CandidateType, _ address: TransportAddress, base: TransportAddress, related: TransportAddress?,
        server: TransportAddress, path: UInt8, rank: UInt16, now: Instant
    ) -> LocalCandidate? {
        guard state != .closed, address.isUsableDestination, localCandidates.count < limits.localCandidates,
            !localCandidates.contains(where: { $0.address == address && $0.base == base })
        else { return nil }
        begin(now)
        let candidate = LocalCandidate(
            type, address, base: base, related: related, server: server, path: path,
            localPreference: defaultPreference(address) &- min(rank, 2) &* 0x1000)
        localCandidates.append(candidate)
        if type == .relay { for remote in remoteCandidates { pair(candidate, remote) } }
        update()
        return candidate
    }

    /// Takes away every candidate on a socket that is gone (another network, an address withdrawn). A selected pair on
    /// it counts as disconnected from now on, and the others are checked at once.
    package mutating func removeLocalCandidates(base: TransportAddress, now: Instant) -> ICEChanges {
        begin(now)
        localCandidates.removeAll { $0.base == base }
        checklist.removeAll { $0.local.base == base }
        if selection?.local.base == base {
            selection?.consent.lose(now: self.now, timing: timing)
            seekAlternative()
        }
        return finish()
    }

    /// Whoever carries what leaves from there says nothing (a relay): where that is the selected pair, the others are checked
    /// at once, and it stays until one of them is chosen.
    package mutating func suspect(base: TransportAddress, now: Instant) -> ICEChanges {
        begin(now)
        if selection?.local.base == base { seekAlternative() }
        return finish()
    }

    /// RFC 8421 in short: IPv6 first; loopback, which few can reach, last.
    private func defaultPreference(_ address: TransportAddress) -> UInt16 {
        let family: UInt16 = address.isLoopback ? 0x3fff : address.isIPv4 ? 0x7fff : 0xffff
        return family - UInt16(truncatingIfNeeded: min(localCandidates.count, 0xfff))
    }

    /// Forms the pair of two candidates unless it cannot work or stands already (RFC 8445 section 6.1.2.2).
    @discardableResult
    mutating func pair(_ local: LocalCandidate, _ remote: RemoteCandidate) -> Int? {
        guard local.pairs(with: remote) else { return nil }
        if let known = checklist.index(base: local.base, remote: remote.address) { return known }
        if checklist.indices.count >= limits.pairs, !makeRoom(for: local, remote) {
            statistics.pairsDropped += 1
            return nil
        }
        return checklist.insert(local, remote, role: role)
    }

    /// Gives up the worst pair that shows no sign of life, if it is worse than the new one.
    private mutating func makeRoom(for local: LocalCandidate, _ remote: RemoteCandidate) -> Bool {
        let priority = CandidatePriority.pair(local: local.priority, remote: remote.priority, role: role)
        let worst = checklist.indices
            .filter { !checklist[$0].isValid && checklist[$0].requestedAt == nil }
            .min { checklist[$0].priority < checklist[$1].priority }
        guard let worst, checklist[worst].priority < priority || remote.type == .peerReflexive else { return false }
        checklist.remove(at: worst)
        statistics.pairsDropped += 1
        return true
    }
}
