import OpenTokSignalling
import RTCWire

/// What the message transport reports, from the first socket to the state of the session.
extension OpenTokMachine {
    mutating func hear(_ events: [RumorChannel.Event], _ turn: inout ClientTurn) {
        for event in events where !hasEnded { hear(event, &turn) }
    }

    private mutating func hear(_ event: RumorChannel.Event, _ turn: inout ClientTurn) {
        switch event {
        case .connected: join(&turn)
        case .reconnecting: break
        case .reconnected:
            publishers.postpone(until: turn.now + settings.limits.media)
            subscribers.postpone(until: turn.now + settings.limits.media)
        case .received(let frame): received(frame, &turn)
        case .answered(let transaction, let status, let payload):
            guard let purpose = link.answered(transaction) else { return }
            answered(purpose, status: status, payload: payload, &turn)
        case .ended(let end): ended(end, &turn)
        }
    }

    private mutating func ended(_ end: RumorChannel.End, _ turn: inout ClientTurn) {
        switch end {
        case .closed where hasJoined: self.end(.closed, &turn)
        case .closed:
            refused(.connectionRejected, "the server has closed the connection before it let us in", &turn)
        case .unreachable:
            refused(.noMessagingServer, "the messaging server does not answer; is it running?", &turn)
        case .lost where hasJoined: self.end(.lost, &turn)
        case .lost: refused(.connectionFailed, "the connection was lost before the server let us in", &turn)
        case .misbehaved: self.end(.misbehaved, &turn)
        }
    }

    private mutating func refused(_ code: ClientErrorCode, _ detail: String, _ turn: inout ClientTurn) {
        end(.refused(ClientError(code, detail)), &turn)
    }

    // MARK: Asking

    /// Asks the server for something that nobody waits for.
    mutating func ask(_ request: RaptorRequest, _ turn: inout ClientTurn) { ask(request, for: .nothing, &turn) }

    /// The same where an answer brings something about. What can't even be sent ends the session: others know less of us
    /// than they must.
    mutating func ask(_ request: RaptorRequest, for purpose: RequestPurpose, _ turn: inout ClientTurn) {
        do throws(ClientError) { try link.ask(request, for: purpose, &turn) } catch { end(.lost, &turn) }
    }

    // MARK: Coming in

    private mutating func join(_ turn: inout ClientTurn) {
        phase = .joining
        let join = RaptorJoin(userAgent: settings.userAgent, clientVersion: "1", capabilities: ["renegotiation"])
        ask(.join(connection: settings.connection, join), for: .join, &turn)
    }

    mutating func joined(status: Int, payload: [UInt8], _ turn: inout ClientTurn) {
        guard case .joining = phase else { return }
        guard (200..<300).contains(status) else {
            return end(.refused(ClientError(joinStatus: status, isRelayed: settings.isRelayed)), &turn)
        }
        phase = .reading([])
        ask(.readState, for: .readState, &turn)
    }

    mutating func read(status: Int, payload: [UInt8], _ turn: inout ClientTurn) {
        guard case .reading(let waiting) = phase else { return }
        guard (200..<300).contains(status), let state = try? RaptorSessionState(payload: payload),
            let connection = state.connections.first(where: { $0.id == settings.connection })
        else {
            return refused(
                .sessionStateFailed, "the server did not say what is in the session (status \(status))", &turn)
        }
        phase = .joined
        own.permissions = connection.permissions
        own.iceServers = state.iceServers
        turn.report(.sessionConnected(connection))
        for other in state.connections where other.id != connection.id { add(other, &turn) }
        for stream in state.streams { add(stream, &turn) }
        for archive in state.archives { turn.report(.archive(archive)) }
        for (event, sender) in waiting where !hasEnded { take(event, from: sender, &turn) }
    }

    // MARK: Events

    private mutating func received(_ frame: RumorFrame, _ turn: inout ClientTurn) {
        guard let message = try? RaptorMessage(payload: frame.payload),
            message.uri.project == settings.info.project, message.uri.session == settings.info.session.text,
            let event = try? RaptorEvent(message)
        else { return }
        let sender = frame.from == settings.info.serverAddress ? nil : frame.from
        switch phase {
        case .joined: take(event, from: sender, &turn)
        // We are sent away: nothing has to be waited for.
        case .joining, .reading:
            if case .connectionDeleted(settings.connection, _) = event { return take(event, from: sender, &turn) }
            guard case .reading(var waiting) = phase else { return }
            guard waiting.count < Self.largestWait else { return end(.misbehaved, &turn) }
            phase = .connecting
            waiting.append((event, sender))
            phase = .reading(waiting)
        case .connecting, .ended: break
        }
    }
}

extension ClientError {
    /// Why the server did not let us in.
    init(joinStatus status: Int, isRelayed: Bool) {
        switch status {
        case 400: self.init(.invalidSession, "the server knows no such session; check session id and API key")
        case 401, 403:
            self.init(
                .authorizationFailure, "the server refused the token; check its session, and that it is still valid")
        case 408: self.init(.connectTimedOut, "the server did not let us in in time")
        case 409 where isRelayed, 429 where isRelayed:
            self.init(
                .peerToPeerParticipantLimit, "the relayed session is full; use a routed one for more participants")
        case 409, 429: self.init(.connectionLimitExceeded, "the session is full; wait until somebody leaves")
        case 500...: self.init(.sessionStateFailed, "the server could not let us in (status \(status))")
        default: self.init(.connectionRejected, "the server refused the connection (status \(status))")
        }
    }
}
