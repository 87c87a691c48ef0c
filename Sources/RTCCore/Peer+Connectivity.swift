import RTCWire

extension Peer {
    static func iceConfiguration(_ configuration: PeerConfiguration) -> ICEConfiguration {
        var ice = ICEConfiguration(role: configuration.iceRole)
        ice.credentials = configuration.iceCredentials
        ice.seed = configuration.seed
        return ice
    }

    /// Our ICE user name fragment and password, for the description.
    package var localCredentials: ICECredentials { ice.localCredentials }

    /// The other side's, of the present generation; nil before they are known.
    package var remoteCredentials: ICECredentials? { ice.remoteCredentials }

    /// What ICE has counted.
    package var iceStatistics: ICEStatistics { ice.statistics }

    /// Our candidates, for descriptions and trickling.
    package var localCandidates: [LocalCandidate] { ice.localCandidates }

    /// The selected pair is silent, and others are being tried.
    package var isSeekingPath: Bool { ice.isSeekingAlternative }

    /// Adds a host candidate. `base` is the socket's address where it is another one (a mapped address), `path` the way
    /// that datagrams from there take.
    @discardableResult
    package mutating func addLocalCandidate(
        _ address: TransportAddress, base: TransportAddress? = nil, path: UInt8 = 0
    ) -> LocalCandidate? {
        ice.addLocalCandidate(address, base: base, path: path, now: latest)
    }

    /// Adds a TCP host candidate; see `ICEAgent.addTCPCandidate`.
    @discardableResult
    package mutating func addTCPCandidate(
        _ type: TCPCandidateType, _ address: TransportAddress, base: TransportAddress? = nil
    ) -> LocalCandidate? {
        ice.addTCPCandidate(type, address, base: base, now: latest)
    }

    /// A connection to or from `remote` has ended.
    package mutating func connectionEnded(
        base: TransportAddress, remote: TransportAddress, now: Instant, into outbox: Outbox
    ) {
        latest = max(latest, now)
        let first = outbox.datagrams.count
        settle(ice.connectionEnded(base: base, remote: remote, now: now), first, now, outbox)
    }

    /// Adds what a STUN or TURN server has told of us; see `ICEAgent.addServerCandidate`.
    @discardableResult
    package mutating func addServerCandidate(
        _ type: CandidateType, _ address: TransportAddress, base: TransportAddress, related: TransportAddress?,
        server: TransportAddress, path: UInt8 = 0, rank: UInt16 = 0
    ) -> LocalCandidate? {
        ice.addServerCandidate(
            type, address, base: base, related: related, server: server, path: path, rank: rank, now: latest)
    }

    /// Takes away every candidate on a socket or a relay that is gone.
    package mutating func removeLocalCandidates(base: TransportAddress, now: Instant, into outbox: Outbox) {
        latest = max(latest, now)
        let first = outbox.datagrams.count
        settle(ice.removeLocalCandidates(base: base, now: now), first, now, outbox)
    }

    /// A relay is silent; see `ICEAgent.suspect`.
    package mutating func suspect(base: TransportAddress, now: Instant, into outbox: Outbox) {
        latest = max(latest, now)
        let first = outbox.datagrams.count
        settle(ice.suspect(base: base, now: now), first, now, outbox)
    }

    /// Of which types the two candidates are that media goes between; nil before there is a pair.
    package var selectedTypes: (local: CandidateType, remote: CandidateType)? {
        ice.selectedPair.map { ($0.localType, $0.remoteType) }
    }

    /// Adds a candidate that the other side signalled; it may come before `setRemote`.
    @discardableResult
    package mutating func addRemoteCandidate(
        _ candidate: ICECandidate, now: Instant, into outbox: Outbox
    ) -> RemoteCandidateResult {
        ice.addRemoteCandidate(candidate, now: now)
    }

    /// The other side has said that no further candidates come.
    package mutating func endRemoteCandidates() { _ = ice.endOfRemoteCandidates(now: latest) }

    /// Takes the other side's transport description in. Called again with new credentials after an ICE restart;
    /// fingerprint and role of a handshake that runs already stay as they are.
    ///
    /// - Parameter dtlsRole: ours: the client where our side is `a=setup:active`.
    package mutating func setRemote(
        credentials: ICECredentials, fingerprint: DTLSFingerprint, dtlsRole: DTLSRole, remoteIsLite: Bool = false,
        now: Instant, into outbox: Outbox
    ) {
        guard state != .closed else { return }
        latest = max(latest, now)
        let first = outbox.datagrams.count
        let changes = ice.setRemoteCredentials(credentials, remoteIsLite: remoteIsLite, now: now)
        if dtls == nil, dtlsFailure == nil { prepareDTLS(dtlsRole, fingerprint, outbox) }
        settle(changes, first, now, outbox)
    }

    /// Begins another ICE generation, with these credentials or fresh ones; media goes on over the old path meanwhile.
    @discardableResult
    package mutating func restartICE(
        credentials: ICECredentials? = nil, now: Instant, into outbox: Outbox
    ) -> ICECredentials {
        latest = max(latest, now)
        let first = outbox.datagrams.count
        let changes = ice.restart(credentials: credentials, now: now)
        settle(changes, first, now, outbox)
        return ice.localCredentials
    }
}
