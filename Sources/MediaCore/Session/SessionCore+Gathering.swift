import RTCCore
import RTCTransport
import RTCWire
import TransportSecurity

/// Candidates: our own address, and what STUN and TURN servers tell of us.
extension SessionCore {
    /// Looks the servers' names up and asks them; what they tell is announced as it comes.
    func gather(_ list: [SessionICEServer]) {
        guard remoteAddressMap == nil else { return }
        for server in list {
            for text in server.urls {
                if let fault = server.fault(of: text) {
                    engine.logger.warning("ICE server not used: \(fault)")
                } else if let url = ICEServerURL(text) {
                    lookUp(url, text, of: server)
                }
            }
        }
    }

    private func lookUp(_ url: ICEServerURL, _ text: String, of server: SessionICEServer) {
        let (loop, bases) = (eventLoop, mux.bases)
        let trust = trustedRoots.map { TLSTrust(rootsFile: $0) } ?? .environment
        if url.kind == .turn { relayWatch.beginLookup() }
        Task { [weak self] in
            let address = await HostLookup.address(of: url.host, port: url.port, from: bases)
            loop.execute { [weak self] in
                guard let self else { return }
                guard let address else { return lookupFailed(url, text) }
                ask(
                    ICEServerAddress(
                        url: url, address: address, username: server.username, password: server.credential, trust: trust
                    ))
            }
        }
    }

    private func lookupFailed(_ url: ICEServerURL, _ text: String) {
        let families = [(true, "IPv4"), (false, "IPv6")].filter { isIPv4, _ in
            mux.bases.addresses.contains { $0.isIPv4 == isIPv4 }
        }
        let family = families.map(\.1).joined(separator: " or ")
        let why = "\(text): \(url.host) has no \(family) address; check the name"
        engine.logger.warning("ICE server not used: \(why)")
        guard url.kind == .turn else { return }
        relayWatch.lookupFailed(why)
        judgeRelays()
    }

    private func ask(_ server: ICEServerAddress) {
        if server.url.kind == .turn, !relayWatch.found(server.key, url: server.description) { return judgeRelays() }
        guard let flow else { return }
        mux.gather([server], for: flow, allowsDirect: policy == .all)
    }

    /// No further servers are to be expected for now.
    func serversAreNamed() {
        relayWatch.isComplete = true
        judgeRelays()
    }

    private func judgeRelays() {
        guard policy == .relay, remoteAddressMap == nil, let why = relayWatch.verdict() else { return }
        emit(.noRelay(why))
    }

    /// From now on only relayed candidates count.
    func restrictToRelay() {
        guard policy == .all else { return }
        policy = .relay
        mux.forbidDirect()
        flow?.perform { peer, outbox, now in
            for base in mux.bases.addresses { peer.removeLocalCandidates(base: base, now: now, into: outbox) }
        }
    }

    /// Tells the other side of the candidates that it has not been told of.
    func announceCandidates() {
        guard canAnnounce, remoteAddressMap == nil, let flow, let line = negotiator.lines.first else { return }
        let ufrag = negotiator.credentials.ufrag
        for candidate in flow.peer.localCandidates {
            let text = candidate.sdp(ufrag: ufrag).encoded
            guard announced.insert(text).inserted else { continue }
            emit(
                .localCandidate(
                    SessionCandidate(candidate: text, mid: line.mid, lineIndex: line.index, usernameFragment: ufrag)))
        }
    }

    func localCandidatesChanged(on flow: PeerFlow) { announceCandidates() }

    func relayFailed(_ server: ICEServerAddress, _ error: any Error, on flow: PeerFlow) {
        let why = "\(server.description): \(error)"
        engine.logger.warning("no relay from \(why)")
        relayWatch.failed(server.key, why)
        judgeRelays()
    }
}
