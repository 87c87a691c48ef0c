import CallBridge
import LiveKitProtocol
import MediaCore

/// The client's half of LiveKit's signalling: what the server says, the application wants and the media connections report
/// goes in; messages, media actions, events and answers come out. A value without socket, clock and task.
///
///     for output in machine.handle(input, now: now) { perform(output) }
///     wait(until: machine.nextDeadline)
///     for output in machine.advance(to: now) { perform(output) }
///
/// It passes what happens on to the parts that it consists of, and ties them together; each of them is a value of its own.
struct SignallingMachine {
    let settings: SignallingSettings
    var link: SignalLink
    var repair: SessionRepair
    var negotiation: Negotiation
    var paths: MediaPaths
    var roster: RemoteRoster
    var profile: LocalProfile
    var publications: Publications
    var subscriptions = SubscriptionState()
    var data: DataExchange

    /// A session that was just joined; `begin` follows.
    init(
        _ joined: JoinedSession, server: SignalTarget, token: String, settings: SignallingSettings, now: MediaTime
    ) {
        self.settings = settings
        let timeouts = settings.timeouts
        link = SignalLink(server: server, token: token, ping: PingClock(joined.response, now: now))
        repair = SessionRepair(policy: settings.policy)
        negotiation = Negotiation(connections: 1, joined, answerBy: now.advanced(seconds: timeouts.answer))
        paths = MediaPaths(joined)
        roster = RemoteRoster(keepsListeners: settings.knowsListeners)
        profile = LocalProfile(joined.response.participant, limit: timeouts.request)
        publications = Publications(isEncrypted: settings.encryption != nil, limit: timeouts.publication)
        data = DataExchange(encryption: settings.encryption, limit: timeouts.media)
    }

    /// As the bridge knows us.
    var localParticipant: Participant { profile.participant(publications.published) }

    /// The call is over.
    var hasEnded: Bool { repair.ending != nil }

    /// The connection stands, and what we say reaches the server.
    func isUp(_ turn: borrowing SignallingTurn) -> Bool { repair.lifecycle.isConnected && turn.queue.gate == .open }

    // MARK: Driving

    /// What the first join brings about.
    mutating func begin(_ joined: JoinedSession, now: MediaTime) -> [SignallingOutput] {
        turn(now) { machine, turn in
            turn.openQueue()
            machine.adopt(joined.response, &turn)
            for participant in joined.response.otherParticipants { machine.applyParticipant(participant, &turn) }
            machine.beginMedia(joined, &turn)
        }
    }

    /// Takes something in; gives what the shell has to do, in order.
    mutating func handle(_ input: SignallingInput, now: MediaTime) -> [SignallingOutput] {
        turn(now) { machine, turn in
            guard let ending = machine.repair.ending else { return machine.take(input, &turn) }
            if case .command(_, let id) = input { turn.fail(id, ending.error) }
        }
    }

    /// Time has gone by.
    mutating func advance(to now: MediaTime) -> [SignallingOutput] {
        turn(now) { machine, turn in if !machine.hasEnded { machine.timePassed(&turn) } }
    }

    /// When `advance` has something to do; nil where only the outside can bring anything about.
    var nextDeadline: MediaTime? {
        guard !hasEnded else { return nil }
        // Asked for after every input, so it takes nothing from the heap.
        var earliest = link.nextPing.earlier(repair.deadline)
        earliest = earliest.earlier(negotiation.offers.deadline).earlier(paths.deadline(settings.timeouts))
        earliest = earliest.earlier(publications.requests.deadline).earlier(profile.deadline)
        return earliest.earlier(data.deadline)
    }

    /// One input after another: each has its turn, after which whatever has become possible is done.
    private mutating func turn(
        _ now: MediaTime, _ body: (inout SignallingMachine, inout SignallingTurn) -> Void
    ) -> [SignallingOutput] {
        var turn = SignallingTurn(now: now, queue: SignalQueue())
        swap(&turn.queue, &link.queue)
        body(&self, &turn)
        if !hasEnded { goOn(&turn) }
        swap(&turn.queue, &link.queue)
        return turn.outputs
    }

    /// Does what has become possible.
    private mutating func goOn(_ turn: inout SignallingTurn) {
        advanceAttempt(&turn)
        guard !hasEnded, data.advance(isUp: isUp(turn), &turn), !paths.isPublisherUsed else { return }
        negotiate(nil, &turn)
    }

    private mutating func take(_ input: SignallingInput, _ turn: inout SignallingTurn) {
        switch input {
        case .message(let message, let socket): take(message, socket: socket, &turn)
        case .socketClosed(let socket):
            if socket == link.socket { lost(.signal, "the server closed the signalling connection", &turn) }
        case .command(let command, let id): take(command, id, &turn)
        case .leave:
            sendGoodbye(&turn)
            end(.lastMandatoryParticipantLeft, .init(detail: "we left", isOurs: true), &turn)
        case .media(let input, let connections):
            if connections == negotiation.connections { take(input, &turn) }
        case .resumed(let result): resumed(result, &turn)
        case .joined(let result): joined(result, &turn)
        }
    }

    private func sendGoodbye(_ turn: inout SignallingTurn) { turn.send { $0.leave = .goodbye } }

    /// The call is over for us.
    mutating func end(_ reason: CallEndReason, _ ending: SessionRepair.Ending, _ turn: inout SignallingTurn) {
        guard repair.end(ending) else { return }
        link.end()
        let unanswered = CallError(
            .network, .providerLost, "the call ended before the server had answered: \(ending.detail)")
        publications.requests.end(unanswered: unanswered, ending.error, &turn)
        profile.end(unanswered: unanswered, ending.error, &turn)
        settle(negotiation.offers.abandon(), &turn)
        data.end(&turn)
        turn.perform(.end(reason, detail: ending.detail))
    }

    // MARK: Time

    private mutating func timePassed(_ turn: inout SignallingTurn) {
        if case .pause(let attempt, let until) = repair.step, until <= turn.now { start(attempt, &turn) }
        if link.advance(&turn) {
            lost(.pingTimeout, "the server did not answer for \(Int(link.ping.timeout)) s", &turn)
        }
        if negotiation.offers.isOverdue(now: turn.now), repair.lifecycle.isConnected {
            lost(.session, "the server did not answer an offer within \(Int(settings.timeouts.answer)) s", &turn)
        }
        for (side, why) in paths.expire(settings.timeouts, now: turn.now) {
            lost(side == .publisher ? .publisher : .subscriber, why, &turn)
        }
        for cid in publications.requests.overdue(now: turn.now) {
            refusePublication(cid, publications.requests.overdueReason, &turn)
        }
        profile.expire(&turn)
        negotiation.fold()
    }
}

extension Livekit_LeaveRequest {
    /// We go of our own will.
    static var goodbye: Livekit_LeaveRequest {
        .with {
            $0.reason = .clientInitiated
            $0.action = .disconnect
        }
    }

    /// We are not to come back. Servers that know no actions say only where coming back is welcome.
    var isFinal: Bool { action != .resume && action != .reconnect && !canReconnect }
}
