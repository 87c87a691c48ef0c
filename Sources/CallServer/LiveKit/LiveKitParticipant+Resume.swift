import LiveKitProtocol
import RTCWire
import SFUCore

/// What a test client has asked to go wrong when it resumes.
enum ResumeFault {
    /// The connection is closed after the messages of the resume.
    case closesAfterMessages
    /// The connection is closed before any message.
    case closesAtOnce
}

extension LiveKitParticipant {
    /// Whether a client can come back to this session; else it must join anew.
    func canResume(_ ticket: LiveKitTicket) -> Bool {
        ticket.isSingleConnection == isSingleConnection && (ticket.participantID ?? sid) == sid
            && connections.allSatisfy(\.mayRecover)
    }

    /// Goes on with a new signalling connection. The old one is not waited for: it may be dead and not know it.
    func resume(_ session: LiveKitSession, now: Instant) {
        detachSession()
        self.session = session
        session.participant = self
        ticket.renew(session.ticket)
        logger.info("session resumed", metadata: ["reason": "\(session.ticket.reconnectReason)"])
        let fault = simulation.resumeFault
        simulation.resumeFault = nil
        if fault == .closesAtOnce { return closeSignalling() }
        sendResumption()
        if fault == .closesAfterMessages { return closeSignalling() }
        restartNegotiation(now)
        watchRecovery()
    }

    /// Closes the signalling connection as a network would; the session stays.
    func closeSignalling() { detachSession() }

    private func sendResumption() {
        let answer = room.reconnectResponse(for: self)
        send(.with { $0.reconnect = answer })
        // Whoever is not mentioned is gone for the client.
        let everybody = room.allInfos(for: self)
        send(.with { $0.update.participants = everybody })
        let info = room.info
        send(.with { $0.roomUpdate.room = info })
        sendRefreshToken()
        for message in backlog.drain() { send(message) }
    }

    /// What was under way is void. The client restarts ICE by its next offer; where we offer, we do.
    private func restartNegotiation(_ now: Instant) {
        negotiation.cancel()
        negotiation.isWaiting = false
        guard !isSingleConnection else { return }
        restartSubscriber(now: now)
    }

    /// A media path that is lost must come back in time.
    private func watchRecovery() {
        departure?.cancel()
        departure = nil
        if isLost { scheduleDeparture(after: room.timing.recovery) }
    }

    // MARK: What the client thinks

    /// Compares what the client takes for true with what is.
    func handleSyncState(_ state: Livekit_SyncState, now: Instant) {
        guard publishes(state.publishTracks) else {
            return issueFullReconnect(
                .stateMismatch, because: "the client publishes a track that is not known here", now: now)
        }
        if !state.trackSidsDisabled.isEmpty {
            updateSettings(
                .with {
                    $0.trackSids = state.trackSidsDisabled
                    $0.disabled = true
                }, now: now)
        }
        room.replay(state.datachannelReceiveStates, to: self, now: now)
        if state.hasSubscription { updateSubscription(state.subscription, now: now) }
    }

    /// Clients need not say all they publish; what they say must be here.
    private func publishes(_ tracks: [Livekit_TrackPublishedResponse]) -> Bool {
        tracks.allSatisfy { published in
            guard published.hasTrack, !published.track.sid.isEmpty else { return true }
            let sid = published.track.sid
            return room.tracks[sid]?.publisher == self.sid || pendingTracks.contains { $0.sid == sid }
        }
    }
}
