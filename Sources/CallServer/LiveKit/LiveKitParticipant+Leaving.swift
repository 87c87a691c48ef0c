import LiveKitProtocol
import NIOCore
import RTCCore
import RTCWire

/// What a client is to do about a leave message.
enum LeaveAction {
    /// Stay away.
    case disconnect
    /// Come back to signalling and restart ICE.
    case resume
    /// Join anew.
    case reconnect
}

extension LiveKitParticipant {
    /// A leave message in the client's protocol: those up to 12 know `can_reconnect` alone and can't be told to resume.
    func leaveRequest(_ reason: Livekit_DisconnectReason, _ action: LeaveAction) -> Livekit_LeaveRequest? {
        LiveKitParticipant.leaveRequest(reason, action, protocol: ticket.client.protocol)
    }

    static func leaveRequest(
        _ reason: Livekit_DisconnectReason, _ action: LeaveAction, protocol number: Int32
    ) -> Livekit_LeaveRequest? {
        var leave = Livekit_LeaveRequest()
        leave.reason = reason
        guard number > 12 else {
            if action == .resume { return nil }
            leave.canReconnect = action == .reconnect
            return leave
        }
        switch action {
        case .disconnect: leave.action = .disconnect
        case .resume: leave.action = .resume
        case .reconnect: leave.action = .reconnect
        }
        return leave
    }

    /// Ends the signalling connection alone; the participant stays.
    func detachSession() {
        session?.participant = nil
        session?.close()
        session = nil
    }

    /// The session can't go on: the client is told to join anew.
    func issueFullReconnect(_ reason: Livekit_DisconnectReason, because text: String, now: Instant) {
        logger.notice("full reconnect asked of the client", metadata: ["reason": "\(text)"])
        if let leave = leaveRequest(reason, .reconnect) { session?.send(.with { $0.leave = leave }) }
        room.remove(sid, reason: reason, tell: false, now: now)
    }

    /// The client has closed its signalling connection, or lost it: it stays while its media path holds.
    func signalLost(_ lost: LiveKitSession, now: Instant) {
        guard session === lost else { return }
        session = nil
        guard isActive, !connections.contains(where: { $0.flow.peer.state == .closed }) else {
            return room.remove(sid, reason: .signalClose, now: now)
        }
        logger.info("signalling connection lost, the participant stays while its media is connected")
        guard departure == nil else { return }
        if isLost {
            scheduleDeparture(after: room.timing.departure)
        } else if isSilent {
            scheduleDeparture(after: room.timing.silence)
        }
    }

    /// Ends this connection for what the client has said; nobody else is touched.
    func fail(_ reason: String, now: Instant) {
        session?.close(because: reason)
        room.remove(sid, reason: .stateMismatch, tell: false, now: now)
    }

    // MARK: The media path

    /// A media path is lost for good as it is: the client may come back within moments and restart ICE.
    private func pathFailed(_ connection: MediaConnection, _ now: Instant) {
        guard connection.mayRecover else {
            return issueFullReconnect(.stateMismatch, because: "the media connection failed for good", now: now)
        }
        if let leave = leaveRequest(.connectionTimeout, .resume) { session?.send(.with { $0.leave = leave }) }
        logger.notice("media path lost")
        detachSession()
        scheduleDeparture(after: room.timing.departure)
    }

    /// Removes the participant after this time, unless its media has come back or, with `silence`, it is heard again.
    func scheduleDeparture(after milliseconds: Int) {
        departure?.cancel()
        departure = eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) { [weak self] in
            guard let self else { return }
            departure = nil
            guard isLost || (session == nil && isSilent) else { return }
            let reason: Livekit_DisconnectReason = session == nil && !isLost ? .signalClose : .connectionTimeout
            room.timed("departure") { $0.remove(sid, reason: reason, now: $1) }
        }
    }

    /// A media connection that was there does not stand any more, or the primary one never stood.
    var isLost: Bool { !primary.isConnected || connections.contains(where: \.isOver) }

    /// Nothing has been heard on a connection for some seconds.
    private var isSilent: Bool { connections.contains { $0.flow.peer.state == .disconnected } }

    var connections: [MediaConnection] { isSingleConnection ? [publisher] : [publisher, subscriber] }
}

extension LiveKitParticipant: MediaConnectionOwner {
    func connection(_ connection: MediaConnection, changedTo state: PeerState, now: Instant) {
        switch state {
        case .connected:
            if connection === primary { room.activate(self, now: now) }
            if !isLost {
                departure?.cancel()
                departure = nil
            }
        case .disconnected:
            if session == nil, departure == nil { scheduleDeparture(after: room.timing.silence) }
        case .failed: pathFailed(connection, now)
        case .closed where session == nil: room.remove(sid, reason: .signalClose, now: now)
        case .closed: scheduleDeparture(after: room.timing.departure)
        case .new, .connecting: break
        }
    }
}
