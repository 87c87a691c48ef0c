import RTCWire

@testable import OpenTokSignalling

/// A session with its clients' connections in virtual time: what a server's shell does, without a socket.
struct ServedSession {
    private(set) var session: OpenTokSession
    private(set) var clients: [String: ServedClient] = [:]
    private var asked = 0

    init() { session = OpenTokSession(ServedClient.session, project: "12345") }

    mutating func join(_ id: String, _ role: OpenTokRole = .publisher) throws {
        let topic = RaptorURI.topic(project: "12345", session: ServedClient.session.text)
        clients[id] = ServedClient(
            connection: id,
            greeting: [.connect(connection: id, disconnectAddress: ServedClient.address), .subscribe(topic)])
        try ask(id, .join(connection: id, RaptorJoin()), token: ServedClient.token(role: role))
    }

    /// Asks, and has everybody served.
    mutating func ask(_ id: String, _ request: RaptorRequest, token: String? = nil) throws {
        asked += 1
        try clients[id]?.ask(request, "t\(asked)", token: token, from: id)
        serve()
    }

    mutating func change(_ id: String, _ body: (inout ServedClient) -> Void) {
        if var client = clients[id] {
            body(&client)
            clients[id] = client
        }
        serve()
    }

    mutating func run(_ interval: Interval) {
        for id in clients.keys.sorted() { clients[id]?.run(interval) }
        serve()
    }

    /// Until nobody wants anything any more.
    private mutating func serve() {
        var isIdle = false
        while !isIdle {
            isIdle = true
            for id in clients.keys.sorted() {
                for action in clients[id]?.takeActions() ?? [] {
                    isIdle = false
                    perform(action, of: id)
                }
            }
        }
    }

    private mutating func perform(_ action: OpenTokServerConnection.Action, of id: String) {
        var actions: [OpenTokSession.Action] = []
        switch action {
        case .join(let admission, let transaction):
            let answer = session.join(admission, at: 0, into: &actions)
            clients[id]?.serve { $0.answer(transaction, answer, into: &$1) }
        case .request(let request, let transaction):
            let answer = session.handle(request, from: id, at: 0, into: &actions)
            clients[id]?.serve { $0.answer(transaction, answer, into: &$1) }
        case .ended(let reason, _): session.leave(id, reason, at: 0, into: &actions)
        case .send, .close, .linkChanged: break
        }
        for action in actions {
            switch action {
            case .tell(let to, let event, let from): clients[to]?.serve { $0.tell(event, from: from, into: &$1) }
            case .remove(let to, let reason): clients[to]?.serve { $0.remove(reason, into: &$1) }
            case .media, .notice: break
            }
        }
    }
}
