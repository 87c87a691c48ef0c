import LiveKitProtocol
import NIOCore
import RTCCore
import RTCWire
import RoomModel

extension LiveKitParticipant {
    /// In the client's protocol.
    func leaveRequest(_ reason: DepartureReason, _ action: LeaveAction) -> Livekit_LeaveRequest? {
        Livekit_LeaveRequest(Livekit_DisconnectReason(reason), action, protocol: ticket.client.protocol)
    }

    /// Ends the signalling connection alone; the participant stays.
    func detachSession() {
        session?.participant = nil
        session?.close()
        session = nil
    }

    /// The session can't go on: the client is told to join anew.
    func issueFullReconnect(_ reason: DepartureReason, because text: String, now: Instant) {
        logger.notice("full reconnect asked of the client", metadata: ["reason": "\(text)"])
        if let leave = leaveRequest(reason, .reconnect) { session?.send(.leave(leave)) }
        room.remove(id, reason, tells: false, now: now)
    }

    /// The client has closed its signalling connection, or lost it: it stays while its media path holds.
    func signalLost(_ lost: LiveKitSession, now: Instant) {
        guard session === lost else { return }
        session = nil
        guard isActive, !connections.contains(where: { $0.flow.peer.state == .closed }) else {
            return room.remove(id, .signallingLost, now: now)
        }
        logger.info("signalling connection lost, the participant stays while its media is connected")
        guard clocks.departure == nil else { return }
        if isLost {
            scheduleDeparture(after: room.timing.departure)
        } else if isSilent {
            scheduleDeparture(after: room.timing.silence)
        }
    }

    /// Ends this connection for what the client has said; nobody else is touched.
    func fail(_ reason: String, now: Instant) {
        session?.close(because: reason)
        room.remove(id, .outOfStep, tells: false, now: now)
    }

    // MARK: The media path

    private func activate(now: Instant) {
        seat.activate()
        if !isActive { logger.info("participant is active") }
        room.perform(.activate(id), now: now)
    }

    /// A media path is lost for good as it is: the client may come back within moments and restart ICE.
    private func pathFailed(_ connection: MediaConnection, _ now: Instant) {
        guard connection.mayRecover else {
            return issueFullReconnect(.outOfStep, because: "the media connection failed for good", now: now)
        }
        if let leave = leaveRequest(.mediaLost, .resume) { session?.send(.leave(leave)) }
        logger.notice("media path lost")
        detachSession()
        scheduleDeparture(after: room.timing.departure)
    }

    /// Removes the participant after this time, unless its media has come back or, with `silence`, it is heard again.
    func scheduleDeparture(after milliseconds: Int) {
        clocks.departure?.cancel()
        clocks.departure = eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) { [weak self] in
            guard let self else { return }
            clocks.departure = nil
            guard isLost || (session == nil && isSilent) else { return }
            let reason: DepartureReason = session == nil && !isLost ? .signallingLost : .mediaLost
            room.timed("departure") { $0.remove(id, reason, now: $1) }
        }
    }

    /// A media connection that was there does not stand any more, or the primary one never stood.
    var isLost: Bool { !primary.isConnected || connections.contains(where: \.isOver) }

    /// Nothing has been heard on a connection for some seconds.
    private var isSilent: Bool { connections.contains { $0.flow.peer.state == .disconnected } }
}

extension LiveKitParticipant: MediaConnectionOwner {
    func connection(_ connection: MediaConnection, changedTo state: PeerState, now: Instant) {
        switch state {
        case .connected:
            if connection === primary { activate(now: now) }
            if !isLost {
                clocks.departure?.cancel()
                clocks.departure = nil
            }
        case .disconnected:
            if session == nil, clocks.departure == nil { scheduleDeparture(after: room.timing.silence) }
        case .failed: pathFailed(connection, now)
        case .closed where session == nil: room.remove(id, .signallingLost, now: now)
        case .closed: scheduleDeparture(after: room.timing.departure)
        case .new, .connecting: break
        }
    }

    func connectionFreedLine(_ connection: MediaConnection) { negotiate() }
}
