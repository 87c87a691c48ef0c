package import RTCWire

/// Sockets come and go.
extension RumorChannel {
    /// A client begins.
    package mutating func start(_ now: Instant, into actions: inout [Action]) {
        guard side == .client, state == .idle else { return }
        state = .opening(until: now + timing.opening)
        actions.append(.open(attempt: 0))
    }

    /// A socket is open: the one that was asked for, or on a server the one of a client that comes back.
    package mutating func opened(_ now: Instant, into actions: inout [Action]) {
        switch state {
        case .opening:
            state = open(now)
            actions += greeting.map(Action.send)
            actions.append(.report(.connected))
            replay(into: &actions)
        case .away:
            state = open(now)
            attempts = 0
            actions.append(.report(.reconnected))
            replay(into: &actions)
        case .open where side == .server:
            // The client knows of a loss that we have not seen yet.
            state = open(now)
            actions.append(.report(.reconnecting))
            actions.append(.report(.reconnected))
            replay(into: &actions)
        case .idle, .open, .ended: break
        }
    }

    /// The socket has closed, or an attempt to open one has failed.
    ///
    /// - Parameter code: of RFC 6455 section 7.4; 1006 where there was none.
    package mutating func closed(code: Int, _ now: Instant, into actions: inout [Action]) {
        switch state {
        case .opening: end(.unreachable, into: &actions)
        case .open:
            switch code {
            case 1000, 1001: end(.closed, into: &actions)
            // The other side forbids to come back.
            case 1011: end(.lost, into: &actions)
            default: lose(now, into: &actions)
            }
        case .away where code == 1011: end(.lost, into: &actions)
        case .away(_, let until): state = .away(retryAt: now + timing.retry, until: until)
        case .idle, .ended: break
        }
    }

    /// By our own will.
    package mutating func close(into actions: inout [Action]) {
        guard state != .ended else { return }
        if isOpen {
            if side == .client { actions.append(.send(.disconnect)) }
            actions.append(.close(code: 1000))
        }
        end(.closed, into: &actions)
    }

    /// Gives the other side up: it breaks the protocol, or does not read what it is sent.
    package mutating func abandon(_ end: End = .lost, into actions: inout [Action]) {
        guard state != .ended else { return }
        if isOpen { actions.append(.close(code: end == .misbehaved ? 1002 : 1011)) }
        self.end(end, into: &actions)
    }

    /// Does what is due.
    package mutating func advance(to now: Instant, into actions: inout [Action]) {
        switch state {
        case .idle, .ended: break
        case .opening(let until):
            guard now >= until else { return }
            actions.append(.close(code: 1000))
            end(.unreachable, into: &actions)
        case .open(let pingAt, let lostAt):
            if now >= lostAt {
                actions.append(.close(code: Self.silentCode))
                lose(now, into: &actions)
            } else if side == .client, now >= pingAt {
                state = .open(pingAt: now + timing.ping, lostAt: lostAt)
                actions.append(.send(.ping))
            }
        case .away(let retryAt, let until):
            if now >= until {
                end(.lost, into: &actions)
            } else if side == .client, now >= retryAt {
                attempts += 1
                state = .away(retryAt: now + timing.attempt, until: until)
                actions.append(.open(attempt: attempts))
            }
        }
    }

    private mutating func lose(_ now: Instant, into actions: inout [Action]) {
        guard timing.reconnects else { return end(.lost, into: &actions) }
        state = .away(retryAt: now, until: now + timing.patience)
        actions.append(.report(.reconnecting))
    }

    mutating func end(_ end: End, into actions: inout [Action]) {
        state = .ended
        backlog = RumorBacklog()
        answers = RumorAnswers()
        actions.append(.report(.ended(end)))
    }

    private func replay(into actions: inout [Action]) { actions += backlog.frames.map(Action.send) }
}
