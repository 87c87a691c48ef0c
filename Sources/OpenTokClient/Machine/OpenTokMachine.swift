import OpenTokSignalling
import RTCWire

/// A client of an OpenTok-style session: what the server says, the application wants and media connections report goes in;
/// messages, actions, events and answers come out. A value without socket, clock and task.
///
///     machine.start(now, into: &outputs)
///     machine.handle(input, now, into: &outputs)
///     machine.advance(to: now, into: &outputs)     // when `nextDeadline` has come
///
/// It passes what happens on to the values that it consists of, and ties them together.
package struct OpenTokMachine: Sendable {
    enum Phase: Sendable {
        /// The message transport is being opened.
        case connecting
        case joining
        /// The session's state is being read; events wait for it.
        case reading([(event: RaptorEvent, sender: String?)])
        case joined
        case ended(ClientEnd)
    }

    /// Events that wait for the session's state.
    static let largestWait = 4096

    package let settings: ClientSettings
    var phase = Phase.connecting
    var link: MessageLink
    var own = OwnConnection()
    var roster = SessionRoster()
    var publishers = Publishers()
    var subscribers = Subscribers()
    var peers = Peers()
    /// The application has been told of a loss that is not over.
    var isReconnecting = false
    /// Signals of one command that have not been answered.
    var signals: [CommandID: Int] = [:]

    package init(_ settings: ClientSettings) {
        self.settings = settings
        link = MessageLink(settings)
    }

    package var hasEnded: Bool { if case .ended = phase { true } else { false } }
    var hasJoined: Bool { if case .joined = phase { true } else { false } }

    // MARK: Driving

    package mutating func start(_ now: Instant, into outputs: inout [ClientOutput]) {
        take(now, into: &outputs) { machine, turn in machine.hear(machine.link.start(&turn), &turn) }
    }

    package mutating func handle(_ input: ClientInput, _ now: Instant, into outputs: inout [ClientOutput]) {
        take(now, into: &outputs) { machine, turn in
            guard case .ended(let end) = machine.phase else { return machine.take(input, &turn) }
            if case .command(_, let command) = input { turn.fail(command, end.error) }
        }
    }

    package mutating func advance(to now: Instant, into outputs: inout [ClientOutput]) {
        take(now, into: &outputs) { machine, turn in if !machine.hasEnded { machine.timePassed(&turn) } }
    }

    /// When `advance` has something to do; nil where only the outside can bring anything about.
    package var nextDeadline: Instant? {
        guard !hasEnded else { return nil }
        let link = link.nextDeadline
        guard self.link.isUp else { return link }
        return link.earlier(publishers.deadline).earlier(subscribers.deadline)
    }

    private mutating func take(
        _ now: Instant, into outputs: inout [ClientOutput], _ body: (inout OpenTokMachine, inout ClientTurn) -> Void
    ) {
        var turn = ClientTurn(now: now)
        swap(&turn.outputs, &outputs)
        body(&self, &turn)
        tellStanding(&turn)
        swap(&turn.outputs, &outputs)
    }

    private mutating func take(_ input: ClientInput, _ turn: inout ClientTurn) {
        switch input {
        case .opened(let socket): hear(link.opened(socket: socket, &turn), &turn)
        case .closed(let socket, let code): hear(link.closed(socket: socket, code: code, &turn), &turn)
        case .message(let bytes, let socket): hear(link.received(bytes, socket: socket, &turn), &turn)
        case .command(let command, let id): take(command, id, &turn)
        case .leave: end(.left, &turn)
        case .peer(let report, let peer): take(report, peer, &turn)
        }
    }

    // MARK: Time

    private mutating func timePassed(_ turn: inout ClientTurn) {
        hear(link.advance(&turn), &turn)
        guard !hasEnded, link.isUp else { return }
        for purpose in link.expire(now: turn.now) where !hasEnded {
            answered(purpose, status: 408, payload: [], &turn)
        }
        for stream in publishers.overdue(now: turn.now) {
            let limit = Int(settings.limits.media.seconds)
            withdraw(
                stream, because: ClientError(.unableToPublish, "the stream was not connected within \(limit) s"), &turn)
        }
        for stream in subscribers.overdue(now: turn.now) { subscribeAnew(stream, "no media came in time", &turn) }
    }

    // MARK: Losses and the end

    /// Tells when our side is cut off, and when it is not any more.
    private mutating func tellStanding(_ turn: inout ClientTurn) {
        guard hasJoined else { return }
        let isCut = !link.isUp || peers.areLost(isRelayed: settings.isRelayed)
        guard isCut != isReconnecting else { return }
        isReconnecting = isCut
        turn.report(isCut ? .reconnecting : .reconnected)
    }

    /// The session is over for us.
    mutating func end(_ end: ClientEnd, _ turn: inout ClientTurn) {
        guard !hasEnded else { return }
        phase = .ended(end)
        link.close(&turn)
        peers.closeAll(&turn)
        let commands = link.endRequests() + publishers.removeCommands() + subscribers.removeCommands()
        for command in Set(commands).union(signals.keys).sorted() { turn.fail(command, end.error) }
        signals = [:]
        turn.outputs.append(.end(end))
    }
}
