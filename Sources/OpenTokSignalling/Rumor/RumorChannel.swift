package import RTCWire

/// A connection that outlives its sockets: messages are acknowledged, and sent again behind a loss; what comes twice counts
/// once; silence is a loss. Both sides use it: a client opens sockets, a server waits for them.
package struct RumorChannel: Sendable {
    package enum Side: Hashable, Sendable {
        case client, server
    }

    package struct Timing: Hashable, Sendable {
        /// From one ping of a client to the next.
        package var ping = Interval.seconds(5)
        /// Without anything from the other side: the link is lost.
        package var silence = Interval.seconds(10)
        /// A client's first socket has this long to open.
        package var opening = Interval.seconds(15)
        /// From a failed attempt to come back to the next.
        package var retry = Interval.milliseconds(500)
        /// An attempt has this long to open a socket.
        package var attempt = Interval.seconds(5)
        /// From the loss to the end.
        package var patience = Interval.seconds(60)
        /// Sessions without reconnection end with their first loss, which takes a longer silence.
        package var reconnects = true
        package var silenceWithoutReconnection = Interval.seconds(50)

        package init() {}
    }

    /// What the shell does.
    package enum Action: Hashable, Sendable {
        /// Open a socket; `attempt` counts the attempts to come back, 0 is the first socket. An older one is forgotten.
        case open(attempt: Int)
        case send(RumorFrame)
        /// Close the socket with that code (RFC 6455 section 7.4); `closed` is not called for it.
        case close(code: Int)
        case report(Event)
    }

    package enum Event: Hashable, Sendable {
        case connected
        /// The link is lost; what is sent waits.
        case reconnecting
        case reconnected
        /// A frame that is not the channel's own business: on a server to be answered where it has a transaction.
        case received(RumorFrame)
        /// What has come of a message of ours.
        case answered(transaction: String, status: Int, payload: [UInt8])
        case ended(End)
    }

    package enum End: Hashable, Sendable {
        /// By one side's will.
        case closed
        /// The first socket did not open.
        case unreachable
        /// Nobody has come back in time, or none may.
        case lost
        /// The other side does not keep to the protocol.
        case misbehaved
    }

    package enum DeadlineReason: Hashable, Sendable {
        case opening, ping, silence, retry, patience
    }

    /// Closes a silent socket. A clean code, should it arrive after all, would end the connection.
    package static let silentCode = 4000

    enum State: Hashable, Sendable {
        case idle
        /// A client's first socket.
        case opening(until: Instant)
        case open(pingAt: Instant, lostAt: Instant)
        /// No socket, or one that is not open yet.
        case away(retryAt: Instant, until: Instant)
        case ended
    }

    let side: Side
    let timing: Timing
    /// What a client sends when its first socket is open.
    let greeting: [RumorFrame]
    var state = State.idle
    var attempts = 0
    var backlog = RumorBacklog()
    var answers = RumorAnswers()

    /// A client's end.
    package init(client greeting: [RumorFrame], timing: Timing = Timing()) {
        side = .client
        self.timing = timing
        self.greeting = greeting
    }

    /// A server's end, whose first socket is open.
    package init(serverAt now: Instant, timing: Timing = Timing()) {
        side = .server
        self.timing = timing
        greeting = []
        state = open(now)
    }

    package var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    package var hasEnded: Bool { state == .ended }

    /// When something is to be done even if nothing comes, and what.
    package var nextDeadline: (at: Instant, reason: DeadlineReason)? {
        switch state {
        case .idle, .ended: nil
        case .opening(let until): (until, .opening)
        case .open(let pingAt, let lostAt):
            side == .client && pingAt < lostAt ? (pingAt, .ping) : (lostAt, .silence)
        case .away(let retryAt, let until):
            side == .client && retryAt < until ? (retryAt, .retry) : (until, .patience)
        }
    }

    func open(_ now: Instant) -> State { .open(pingAt: now + timing.ping, lostAt: now + silence) }

    var silence: Interval { timing.reconnects ? timing.silence : timing.silenceWithoutReconnection }
}
