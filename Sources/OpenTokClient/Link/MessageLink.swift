import OpenTokSignalling
import RTCWire

/// Our end of the message transport: its channel, the sockets that it goes through, and the requests under way.
struct MessageLink: Sendable {
    let settings: ClientSettings
    private(set) var channel: RumorChannel
    /// The number of the present socket.
    private(set) var socket = 0
    private(set) var requests: PendingRequests
    /// The token goes with the first message.
    private var hasShownToken = false

    init(_ settings: ClientSettings) {
        self.settings = settings
        let topic = RaptorURI.topic(project: settings.info.project, session: settings.info.session.text)
        channel = RumorChannel(
            client: [
                .connect(connection: settings.connection, disconnectAddress: settings.info.serverAddress),
                .subscribe(topic),
            ], timing: settings.timing)
        requests = PendingRequests(limit: settings.limits.request)
    }

    var isUp: Bool { channel.isOpen }

    var nextDeadline: Instant? {
        let own = channel.nextDeadline?.at
        return isUp ? own.earlier(requests.deadline) : own
    }

    // MARK: Sockets

    mutating func start(_ turn: inout ClientTurn) -> [RumorChannel.Event] {
        change(&turn) { $0.start($1, into: &$2) }
    }

    mutating func opened(socket: Int, _ turn: inout ClientTurn) -> [RumorChannel.Event] {
        guard socket == self.socket else { return [] }
        requests.postpone(now: turn.now)
        return change(&turn) { $0.opened($1, into: &$2) }
    }

    mutating func closed(socket: Int, code: Int, _ turn: inout ClientTurn) -> [RumorChannel.Event] {
        guard socket == self.socket else { return [] }
        return change(&turn) { $0.closed(code: code, $1, into: &$2) }
    }

    mutating func received(_ bytes: [UInt8], socket: Int, _ turn: inout ClientTurn) -> [RumorChannel.Event] {
        guard socket == self.socket else { return [] }
        guard let frame = try? RumorFrame(message: bytes) else {
            return change(&turn) { $0.abandon(.misbehaved, into: &$2) }
        }
        return change(&turn) { $0.receive(frame, $1, into: &$2) }
    }

    mutating func advance(_ turn: inout ClientTurn) -> [RumorChannel.Event] {
        change(&turn) { $0.advance(to: $1, into: &$2) }
    }

    /// By our own will.
    mutating func close(_ turn: inout ClientTurn) { _ = change(&turn) { $0.close(into: &$2) } }

    // MARK: Requests

    /// Asks the server for something. Throws where too much waits already.
    mutating func ask(
        _ request: RaptorRequest, for purpose: RequestPurpose, _ turn: inout ClientTurn
    ) throws(ClientError) {
        let message = request.message(project: settings.info.project, session: settings.info.session.text)
        let transaction = requests.add(purpose, now: turn.now)
        let frame = RumorFrame.message(
            to: settings.info.serverAddress, from: settings.connection, transaction: transaction,
            token: hasShownToken ? nil : settings.token, payload: message.payload)
        hasShownToken = true
        var fault: RumorFault?
        _ = change(&turn) { channel, _, actions in
            do throws(RumorFault) { try channel.send(frame, into: &actions) } catch { fault = error }
        }
        guard let fault else { return }
        _ = requests.remove(transaction)
        throw ClientError(.connectionDropped, "the request can't be sent: \(fault)")
    }

    mutating func answered(_ transaction: String) -> RequestPurpose? { requests.remove(transaction) }

    /// Requests that were not answered in time.
    mutating func expire(now: Instant) -> [RequestPurpose] { isUp ? requests.expire(now: now) : [] }

    mutating func endRequests() -> [CommandID] { requests.removeCommands() }

    /// Lets the channel do something; gives what it reports.
    private mutating func change(
        _ turn: inout ClientTurn, _ body: (inout RumorChannel, Instant, inout [RumorChannel.Action]) -> Void
    ) -> [RumorChannel.Event] {
        var actions: [RumorChannel.Action] = []
        body(&channel, turn.now, &actions)
        var events: [RumorChannel.Event] = []
        for action in actions {
            switch action {
            case .open(let attempt):
                socket += 1
                let name = attempt == 0 ? nil : "\(settings.connection)-\(attempt)"
                turn.outputs.append(
                    .open(RumorSocketRequest(socketID: settings.connection, attempt: name), socket: socket))
            case .send(let frame):
                // Only what is longer than its field can't be written: the token, which the server refuses then.
                if let bytes = try? frame.encoded() { turn.outputs.append(.send(bytes)) }
            case .close(let code): turn.outputs.append(.close(code: code))
            case .report(let event): events.append(event)
            }
        }
        return events
    }
}
