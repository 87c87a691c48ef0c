import RTCWire

@testable import OpenTokSignalling

/// A client's channel and the server's side of it, in virtual time, with nothing between them that takes any.
struct ServedClient {
    static let session = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 1)
    static let address = "symphony.1"
    static let timeOfDay: Int64 = 1_800_000_000

    private(set) var now = Instant.zero
    private(set) var client: RumorChannel
    private(set) var server: OpenTokServerConnection
    /// What the server's shell has to do, but for sending.
    private(set) var actions: [OpenTokServerConnection.Action] = []
    /// What the client has heard: answers as "transaction status", and events.
    private(set) var answers: [String] = []
    private(set) var payloads: [String: [UInt8]] = [:]
    private(set) var events: [RaptorEvent] = []
    private(set) var senders: [String] = []
    private(set) var closeCodes: [Int] = []
    /// Frames are lost while there is none; the socket of before never works again.
    var hasSocket = true

    init(connection: String = "c1", greeting: [RumorFrame]? = nil) {
        let topic = RaptorURI.topic(project: "12345", session: Self.session.text)
        client = RumorChannel(
            client: greeting ?? [
                .connect(connection: "c1", disconnectAddress: Self.address), .subscribe(topic),
            ])
        let settings = OpenTokServerConnection.Settings(
            session: Self.session, project: "12345", connection: connection, serverAddress: Self.address)
        server = OpenTokServerConnection(settings, secrets: ["12345": "secret", "777": "other"], now: now)
        var steps: [RumorChannel.Action] = []
        client.start(now, into: &steps)
        client.opened(now, into: &steps)
        perform(steps)
    }

    static func token(role: OpenTokRole = .publisher, session: OpenTokSessionID = session) throws -> String {
        try OpenTokToken(
            project: "12345", sessionID: session.text, role: role, created: timeOfDay, connectionData: "name=Ada"
        ).signed(secret: "secret")
    }

    /// Asks for something.
    mutating func ask(
        _ request: RaptorRequest, _ transaction: String, token: String? = nil, to address: String = address,
        from sender: String = "c1", project: String = "12345"
    ) throws {
        let message = request.message(project: project, session: Self.session.text)
        try send(
            .message(to: address, from: sender, transaction: transaction, token: token, payload: message.payload))
    }

    mutating func send(_ frame: RumorFrame) throws {
        var steps: [RumorChannel.Action] = []
        try client.send(frame, into: &steps)
        perform(steps)
    }

    /// Joins, and is let in.
    mutating func join() throws {
        try ask(.join(connection: "c1", RaptorJoin()), "j", token: Self.token())
        serve { $0.answer("j", .done, into: &$1) }
    }

    /// The server does something.
    mutating func serve(_ body: (inout OpenTokServerConnection, inout [OpenTokServerConnection.Action]) -> Void) {
        var result: [OpenTokServerConnection.Action] = []
        body(&server, &result)
        perform(result)
    }

    private mutating func perform(_ result: [OpenTokServerConnection.Action]) {
        for action in result {
            switch action {
            case .send(let bytes):
                guard hasSocket, let frame = try? RumorFrame(message: bytes) else { continue }
                change { [now] in $0.receive(frame, now, into: &$1) }
            case .close(let code):
                closeCodes.append(code)
                change { [now] in $0.closed(code: code, now, into: &$1) }
            default: actions.append(action)
            }
        }
    }

    /// The socket breaks, and both sides see it.
    mutating func lose() {
        hasSocket = false
        change { [now] in $0.closed(code: 1006, now, into: &$1) }
        serve { [now] in $0.closed(code: 1006, now, into: &$1) }
    }

    mutating func comeBack() {
        hasSocket = true
        // The server's socket opens first, and what it sends arrives when the client's has opened.
        var result: [OpenTokServerConnection.Action] = []
        server.opened(now, into: &result)
        perform(result.filter { !$0.isSending })
        change { [now] in $0.opened(now, into: &$1) }
        perform(result.filter(\.isSending))
    }

    mutating func run(_ interval: Interval) {
        let end = now + interval
        while let next = [client.nextDeadline?.at, server.nextDeadline].compactMap({ $0 }).min(), next <= end {
            now = max(now, next)
            change { [now] in $0.advance(to: now, into: &$1) }
            serve { [now] in $0.advance(to: now, into: &$1) }
        }
        now = end
    }

    mutating func takeActions() -> [OpenTokServerConnection.Action] {
        defer { actions = [] }
        return actions
    }

    private mutating func change(_ body: (inout RumorChannel, inout [RumorChannel.Action]) -> Void) {
        var steps: [RumorChannel.Action] = []
        body(&client, &steps)
        perform(steps)
    }

    private mutating func perform(_ steps: [RumorChannel.Action]) {
        for step in steps {
            switch step {
            case .open: break
            case .send(let frame):
                guard hasSocket, let bytes = try? frame.encoded() else { continue }
                serve { [now] in $0.receive(bytes, now, timeOfDay: Self.timeOfDay, into: &$1) }
            case .close(let code): if hasSocket { serve { [now] in $0.closed(code: code, now, into: &$1) } }
            case .report(let event): report(event)
            }
        }
    }

    private mutating func report(_ event: RumorChannel.Event) {
        switch event {
        case .answered(let transaction, let status, let payload):
            answers.append("\(transaction) \(status)")
            payloads[transaction] = payload
        case .received(let frame):
            guard let message = try? RaptorMessage(payload: frame.payload), let event = try? RaptorEvent(message)
            else { return }
            events.append(event)
            senders.append(frame.from ?? "")
        default: break
        }
    }
}

extension OpenTokServerConnection.Action {
    fileprivate var isSending: Bool {
        if case .send = self { return true }
        return false
    }
}
