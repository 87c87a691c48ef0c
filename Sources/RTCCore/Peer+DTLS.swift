import RTCWire

extension Peer {
    mutating func prepareDTLS(_ role: DTLSRole, _ fingerprint: DTLSFingerprint, _ outbox: Outbox) {
        do throws(CryptoError) {
            dtls = try DTLSTransport(
                role: role, certificate: configuration.certificate, mtu: configuration.maximumDatagram,
                srtpProfiles: configuration.srtpProfiles, expectedFingerprint: fingerprint,
                backend: configuration.dtlsBackend)
            refreshDTLSDeadline()
        } catch {
            fail(.crypto(error), outbox)
        }
    }

    /// Begins the handshake once ICE has a pair; the server's part is to wait.
    mutating func startDTLS(_ now: Instant, _ outbox: Outbox) {
        guard !dtlsStarted, dtls != nil, let destination = selectedPair?.remote else { return }
        dtlsStarted = true
        let first = outbox.datagrams.count
        let action = dtls?.start(now: now, into: outbox, to: destination) ?? .none
        routeSent(outbox, from: first)
        perform(action, now, outbox)
    }

    /// Takes a DTLS datagram in, from addresses only that proved to be the other side's. The first flight may come
    /// before our own checks are answered.
    mutating func receiveDTLS(
        _ bytes: UnsafeRawBufferPointer, _ source: TransportAddress, _ localBase: TransportAddress?, _ now: Instant,
        _ outbox: Outbox
    ) {
        guard let base = localBase ?? onlyBase, ice.trusts(source, base: base) else {
            statistics.unauthenticatedDatagrams += 1
            return
        }
        guard dtls != nil, dtlsFailure == nil else { return }
        let first = outbox.datagrams.count
        var messages: [[UInt8]] = []
        let action = dtls?.receive(bytes, now: now, into: outbox, to: selectedPair?.remote ?? source) {
            messages.append(Array($0))
        }
        outbox.route(from: first, path: selectedPair == nil ? path(of: base) : selectedPath)
        countSent(outbox, from: first)
        perform(action ?? .none, now, outbox)
        for message in messages {
            if data.isOn { receiveData(message, now, outbox) } else { outbox.events.append(.applicationData(message)) }
        }
    }

    mutating func advanceDTLS(_ now: Instant, _ outbox: Outbox) {
        guard let destination = selectedPair?.remote, let deadline = dtlsDeadline, deadline <= now else { return }
        let first = outbox.datagrams.count
        let action = dtls?.advance(to: now, into: outbox, to: destination) ?? .none
        routeSent(outbox, from: first)
        perform(action, now, outbox)
    }

    /// Asks anew when the handshake is due. It changes with a handshake's datagrams, and is looked at with every batch.
    private mutating func refreshDTLSDeadline() {
        switch dtls {
        case .some(let transport): dtlsDeadline = transport.nextDeadline
        case .none: dtlsDeadline = nil
        }
    }

    /// Sends bytes inside DTLS (SCTP, RFC 8261); false where the connection doesn't stand.
    @discardableResult
    package mutating func sendApplicationData(
        _ bytes: UnsafeRawBufferPointer, now: Instant, into outbox: Outbox
    ) -> Bool {
        guard let destination = mediaDestination, dtls != nil else { return false }
        let first = outbox.datagrams.count
        let sent = dtls?.send(bytes, now: now, into: outbox, to: destination) ?? false
        outbox.setUrgency(.media, from: first)
        routeSent(outbox, from: first)
        return sent
    }

    private mutating func perform(_ action: DTLSAction, _ now: Instant, _ outbox: Outbox) {
        refreshDTLSDeadline()
        switch action {
        case .none: break
        case .connected:
            keySRTP(now, outbox)
            advanceData(now, outbox)
        case .closed: finish(outbox)
        case .failed(let failure): fail(.dtls(failure), outbox)
        }
    }

    private mutating func keySRTP(_ now: Instant, _ outbox: Outbox) {
        guard let keys = dtls?.takeSRTPKeys() ?? nil, let role = dtls?.role else { return }
        do throws(CryptoError) {
            srtp = try SRTPSession(keys: keys, role: role, backend: configuration.srtpBackend)
            srtpProfile = keys.profile
            refreshState(now, outbox)
        } catch {
            fail(.crypto(error), outbox)
        }
    }

    /// Ends for good with a failure of DTLS or the crypto library.
    mutating func fail(_ failure: PeerFailure, _ outbox: Outbox) {
        guard dtlsFailure == nil, state != .closed else { return }
        dtlsFailure = failure
        closeData(latest, outbox)
        state = .failed
        outbox.events.append(.failed(failure))
        outbox.events.append(.stateChanged(.failed))
    }

    /// Leaves: RTCP BYE for every stream, then close_notify. Final.
    package mutating func close(now: Instant, into outbox: Outbox) {
        guard state != .closed else { return }
        closeData(now, outbox)
        sendGoodbye(sending.streams.filter { $0.lastSent != nil }, now, outbox)
        if let destination = selectedPair?.remote, dtls != nil {
            let first = outbox.datagrams.count
            dtls?.close(now: now, into: outbox, to: destination)
            // The last word: behind all that was to be sent.
            outbox.setUrgency(.repetition, from: first)
            routeSent(outbox, from: first)
        }
        finish(outbox)
    }

    private mutating func finish(_ outbox: Outbox) {
        guard state != .closed else { return }
        closeData(latest, outbox)
        ice.close()
        state = .closed
        outbox.events.append(.closed)
        outbox.events.append(.stateChanged(.closed))
    }
}
