import RTCWire

extension ICEAgent {
    /// Takes a STUN datagram that came to the socket at `localBase`. What isn't authentic is counted and dropped without
    /// an answer; the cheap tests come first.
    package mutating func receive(
        _ bytes: UnsafeRawBufferPointer, from source: TransportAddress, localBase: TransportAddress, now: Instant,
        into outbox: DatagramOutbox
    ) -> ICEChanges {
        guard isActive else { return [] }
        let span = bytes.bytes
        guard let message = try? STUNMessage(parsing: span), message.method == .binding else {
            statistics.malformed += 1
            return []
        }
        let isAuthentic =
            switch message.messageClass {
            case .request: receiveRequest(message, span, source, localBase, now, outbox)
            case .success, .error: receiveResponse(message, span, source, localBase, now)
            case .indication: noteIndication()
            }
        guard isAuthentic else { return [] }
        if isActive {
            expire()
            sendTriggeredChecks(into: outbox)
            followMovedPeer()
            chooseNomination(into: outbox)
        }
        changes.insert(.authenticated)
        return finish()
    }

    /// An indication keeps NAT bindings open and asks for nothing (RFC 8445 section 11).
    private mutating func noteIndication() -> Bool {
        statistics.indications += 1
        return false
    }

    /// FINGERPRINT where it is there, then MESSAGE-INTEGRITY.
    private mutating func authenticate(_ message: STUNMessage, _ bytes: RawSpan, _ key: HMACSHA1) -> Bool {
        guard message.integrityOffset != nil else {
            statistics.integrityFailures += 1
            return false
        }
        if message.fingerprintOffset != nil, !message.hasValidFingerprint(in: bytes) {
            statistics.fingerprintMismatches += 1
            return false
        }
        guard message.hasValidIntegrity(in: bytes, authenticate: { key.authenticate($0, into: $1) }) else {
            statistics.integrityFailures += 1
            return false
        }
        return true
    }

    // MARK: Requests

    private mutating func receiveRequest(
        _ request: STUNMessage, _ bytes: RawSpan, _ source: TransportAddress, _ base: TransportAddress,
        _ now: Instant, _ outbox: DatagramOutbox
    ) -> Bool {
        guard let username = request.username, let credentials = generation(for: username, bytes) else {
            statistics.usernameMismatches += 1
            return false
        }
        guard let local = localCandidate(base: base, reaching: source) else {
            statistics.unknownBases += 1
            return false
        }
        guard authenticate(request, bytes, credentials.localKey) else { return false }
        begin(now)
        statistics.requestsReceived += 1
        let ufrag = generation.remote == nil ? senderUfrag(request, bytes) : nil
        handle(request, from: source, at: local, credentials, ufrag: ufrag, into: outbox)
        return true
    }

    /// The second part of USERNAME.
    private func senderUfrag(_ request: STUNMessage, _ bytes: RawSpan) -> String? {
        request.usernameText(in: bytes)?.split(separator: ":").last.map(String.init)
    }

    private func generation(for username: Range<Int>, _ bytes: RawSpan) -> ICEGeneration? {
        if generation.accepts(username, in: bytes) { return generation }
        guard let retained, retained.accepts(username, in: bytes) else { return nil }
        return retained
    }

    /// The best candidate on a socket that may reach an address.
    private func localCandidate(base: TransportAddress, reaching remote: TransportAddress) -> LocalCandidate? {
        var found: LocalCandidate?
        for candidate in localCandidates
        where candidate.base == base && candidate.type != .serverReflexive && candidate.address.canReach(remote) {
            if let other = found, other.localPreference >= candidate.localPreference { continue }
            found = candidate
        }
        return found
    }

    // MARK: Responses

    private mutating func receiveResponse(
        _ response: STUNMessage, _ bytes: RawSpan, _ source: TransportAddress, _ base: TransportAddress, _ now: Instant
    ) -> Bool {
        guard let exchange = exchange(response.transactionID), let key = exchange.credentials.remoteKey else {
            statistics.unmatchedResponses += 1
            return false
        }
        // Symmetry (section 7.2.5.2.1). A stray answer must not fail a pair that it is not proven to belong to.
        guard exchange.remote == source, exchange.base == base else {
            statistics.asymmetricResponses += 1
            return false
        }
        guard authenticate(response, bytes, key) else { return false }
        begin(now)
        switch exchange.purpose {
        case .check(let index): handle(response, ofCheck: index)
        case .consent: handleConsent(response)
        }
        return true
    }

    /// A request of ours that awaits its response.
    private struct Exchange {
        enum Purpose {
            case check(Int)
            case consent
        }

        var purpose: Purpose
        var base: TransportAddress
        var remote: TransportAddress
        var credentials: ICEGeneration
    }

    private func exchange(_ transactionID: STUNTransactionID) -> Exchange? {
        if let selection, selection.consent.role(of: transactionID) != nil,
            let credentials = credentials(of: selection.generation)
        {
            return Exchange(
                purpose: .consent, base: selection.local.base, remote: selection.remote.address,
                credentials: credentials)
        }
        guard let index = checklist.index(transaction: transactionID) else { return nil }
        return Exchange(
            purpose: .check(index), base: checklist[index].local.base, remote: checklist[index].remote.address,
            credentials: generation)
    }
}
