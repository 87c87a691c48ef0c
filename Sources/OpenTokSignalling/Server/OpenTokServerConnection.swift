package import RTCWire

/// A server's side of one client's connection: frames become requests of somebody who is known, answers and events become
/// frames. Who may do what, and what is in the room, is not decided here.
package struct OpenTokServerConnection: Sendable {
    /// What the connection is for.
    package struct Settings: Hashable, Sendable {
        package var session: OpenTokSessionID
        package var project: String
        /// The connection id that the client has chosen: `socketId` of its URL.
        package var connection: String
        /// Where requests are sent to, and where the server's own messages come from.
        package var serverAddress: String
        package var subscribersMaySignal = false
        /// From the first socket to the request to join.
        package var patience = Interval.seconds(15)

        package init(session: OpenTokSessionID, project: String, connection: String, serverAddress: String) {
            self.session = session
            self.project = project
            self.connection = connection
            self.serverAddress = serverAddress
        }
    }

    /// What the shell does.
    package enum Action: Hashable, Sendable {
        /// One binary WebSocket message.
        case send([UInt8])
        case close(code: Int)
        /// Somebody with a token that holds wants to join; `answer` decides.
        case join(Admission, transaction: String)
        /// A request of somebody who has joined, to be answered with `answer`.
        case request(RaptorRequest, transaction: String)
        /// Whether its messages arrive now, for those who have joined.
        case linkChanged(isUp: Bool)
        /// The last action. Those who had joined are gone for that reason; of the others nobody has heard.
        case ended(RaptorReason, hadJoined: Bool)
    }

    package struct Admission: Hashable, Sendable {
        package var connection: String
        package var token: OpenTokToken
        package var permissions: OpenTokPermissions
        package var join: RaptorJoin

        package init(connection: String, token: OpenTokToken, permissions: OpenTokPermissions, join: RaptorJoin) {
            self.connection = connection
            self.token = token
            self.permissions = permissions
            self.join = join
        }
    }

    /// What has come of a request.
    package enum Answer: Hashable, Sendable {
        case done
        case state(RaptorSessionState)
        case refused(Refusal)
    }

    /// Statuses as HTTP has them.
    package enum Refusal: Int, Hashable, Sendable {
        case invalid = 400
        case forbidden = 403
        case notFound = 404
        case conflict = 409
        case tooLong = 413
        case tooMany = 429
    }

    enum Phase: Hashable, Sendable {
        /// CONNECT has not come.
        case greeting(until: Instant)
        case connected(until: Instant)
        /// Somebody else decides about that transaction.
        case joining(transaction: String)
        case joined
        case ended
    }

    let settings: Settings
    /// API key to secret.
    let secrets: [String: String]
    var channel: RumorChannel
    var phase: Phase
    private var lastTransaction = 0
    private var endReason: RaptorReason?
    /// The time of day when the latest message came, for tokens: seconds since 1970.
    var timeOfDay: Int64 = 0

    /// The client's first socket is open.
    package init(
        _ settings: Settings, secrets: [String: String], now: Instant, timing: RumorChannel.Timing = .init()
    ) {
        self.settings = settings
        self.secrets = secrets
        channel = RumorChannel(serverAt: now, timing: timing)
        phase = .greeting(until: now + settings.patience)
    }

    package var hasEnded: Bool { phase == .ended }
    package var hasJoined: Bool { phase == .joined }

    package var nextDeadline: Instant? {
        switch phase {
        case .greeting(let until), .connected(let until): min(until, channel.nextDeadline?.at ?? until)
        case .joining, .joined: channel.nextDeadline?.at
        case .ended: nil
        }
    }

    /// Tells the client something.
    ///
    /// - Parameter sender: the connection that a signal or a description comes from; nil for the server itself.
    package mutating func tell(_ event: RaptorEvent, from sender: String? = nil, into actions: inout [Action]) {
        guard hasJoined else { return }
        lastTransaction += 1
        let message = event.message(project: settings.project, session: settings.session.text)
        let frame = RumorFrame.message(
            to: settings.connection, from: sender ?? settings.serverAddress, transaction: "s\(lastTransaction)",
            payload: message.payload)
        change(into: &actions) { channel, steps in
            do throws(RumorFault) { try channel.send(frame, into: &steps) } catch {
                // It does not read, or has been away for too long.
                channel.abandon(into: &steps)
            }
        }
    }

    /// Sends the client away: it is told why.
    package mutating func remove(_ reason: RaptorReason = .forceDisconnected, into actions: inout [Action]) {
        guard !hasEnded else { return }
        endReason = reason
        tell(.connectionDeleted(id: settings.connection, reason), into: &actions)
        change(into: &actions) { $0.close(into: &$1) }
    }

    /// Lets the channel do something, and passes on what comes of it.
    mutating func change(
        into actions: inout [Action], _ body: (inout RumorChannel, inout [RumorChannel.Action]) -> Void
    ) {
        var steps: [RumorChannel.Action] = []
        body(&channel, &steps)
        for step in steps { perform(step, into: &actions) }
    }

    private mutating func perform(_ step: RumorChannel.Action, into actions: inout [Action]) {
        switch step {
        case .open: break
        case .send(let frame):
            // Only what is longer than its field can't be written: a result or an event of ours never is.
            if let bytes = try? frame.encoded() { actions.append(.send(bytes)) }
        case .close(let code): actions.append(.close(code: code))
        case .report(let event): heard(event, into: &actions)
        }
    }

    private mutating func heard(_ event: RumorChannel.Event, into actions: inout [Action]) {
        switch event {
        case .connected, .answered: break
        case .reconnecting: if hasJoined { actions.append(.linkChanged(isUp: false)) }
        case .reconnected: if hasJoined { actions.append(.linkChanged(isUp: true)) }
        case .ended(let end): ended(end, into: &actions)
        case .received(let frame): received(frame, into: &actions)
        }
    }

    private mutating func ended(_ end: RumorChannel.End, into actions: inout [Action]) {
        guard !hasEnded else { return }
        let hadJoined = hasJoined
        phase = .ended
        let reason = endReason ?? (end == .closed ? .clientDisconnected : .networkDisconnected)
        actions.append(.ended(reason, hadJoined: hadJoined))
    }
}
