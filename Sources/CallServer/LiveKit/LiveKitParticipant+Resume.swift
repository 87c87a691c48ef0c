import LiveKitProtocol
import RTCWire

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
        ticket.isSingleConnection == isSingleConnection && (ticket.participantID ?? id) == id
            && connections.allSatisfy(\.mayRecover)
    }

    /// Goes on with a new signalling connection. The old one is not waited for: it may be dead and not know it.
    func resume(_ session: LiveKitSession, now: Instant) {
        detachSession()
        self.session = session
        session.participant = self
        var renewed = ticket
        renewed.renew(session.ticket)
        liveKit.dialect.note(renewed, of: id)
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
        let sequence = liveKit.data.lastSequence(of: id)
        let messages = liveKit.dialect.resumption(
            of: id, lastMessage: sequence, at: WallClock.milliseconds, in: liveKit.view)
        for message in messages { send(message) }
        sendRefreshToken()
        sendBacklog()
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
        clocks.departure?.cancel()
        clocks.departure = nil
        if isLost { scheduleDeparture(after: room.timing.recovery) }
    }
}
