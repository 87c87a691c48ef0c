import Foundation
import OpenTokSignalling
import Testing

@testable import CallServer

/// An application's server, and what it makes for its clients.
struct OpenTokTestApplication {
    static let key = "key"
    static let secret = "secret"

    var port: Int
    var secret = Self.secret

    static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    func call(
        _ method: String, _ path: String, _ body: String = "", type: String = "application/json"
    ) async throws -> HTTPTestClient.Response {
        let project = try OpenTokProject(key: Self.key, secret: secret)
        let token = RESTAuthentication.header(for: project, now: Self.now)
        let client = try await HTTPTestClient.connect(port)
        defer { client.close() }
        client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: h\r\nX-OPENTOK-AUTH: \(token)\r\nContent-Type: \(type)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try await client.response()
    }

    /// Below the project.
    func call(below path: String, _ method: String, _ body: String = "") async throws -> HTTPTestClient.Response {
        try await call(method, "/v2/project/\(Self.key)/\(path)", body)
    }

    func makeSession(_ mode: MediaMode = .routed) async throws -> OpenTokSessionID {
        let form = "p2p.preference=\(mode.peerToPeerPreference)"
        let response = try await call("POST", "/session/create", form, type: "application/x-www-form-urlencoded")
        #expect(response.status == 200 && response.fields["content-type"] == "application/json")
        guard case .array(let items) = try JSON(parsing: Array(response.body.utf8)),
            case .string(let id)? = items.first?["session_id"]
        else { throw HTTPTestClient.Failure.closed }
        return try OpenTokSessionID(parsing: id)
    }

    static func token(
        _ session: OpenTokSessionID, _ role: OpenTokRole = .publisher, data: String = "", form: OpenTokToken.Form = .jwt
    ) throws -> String {
        try OpenTokToken(
            project: key, sessionID: session.text, role: role, created: now, connectionData: data,
            layoutClasses: ["first"]
        ).signed(form, secret: secret)
    }
}

/// A client of the dialect on real sockets: every frame is its own.
actor OpenTokTestClient {
    struct Answer: Sendable {
        var status: Int
        var payload: [UInt8]
    }

    let id: String
    let session: OpenTokSessionID
    private let port: Int
    private let info: SessionInfo
    private var http: HTTPTestClient
    private var sent = 0
    /// Events that have come and were not asked for yet, with their senders.
    private var waiting: [(event: RaptorEvent, from: String?)] = []
    private var answers: [String: Answer] = [:]
    /// Transactions of the server that have been done, for what comes again counts once.
    private var done: Set<String> = []
    private(set) var repeats = 0

    private init(_ id: String, _ session: OpenTokSessionID, _ port: Int, _ info: SessionInfo, _ http: HTTPTestClient) {
        self.id = id
        self.session = session
        self.port = port
        self.info = info
        self.http = http
    }

    static func info(_ port: Int, _ session: String, token: String) async throws -> HTTPTestClient.Response {
        let client = try await HTTPTestClient.connect(port)
        defer { client.close() }
        client.send(
            "GET /session/\(session)?extended=true HTTP/1.1\r\nHost: h\r\nX-TB-TOKEN-AUTH: \(token)\r\n\r\n")
        return try await client.response()
    }

    /// A socket stands, and nothing has been said on it.
    static func connect(
        _ port: Int, _ session: OpenTokSessionID, id: String, token: String
    ) async throws -> OpenTokTestClient {
        let response = try await info(port, session.text, token: token)
        let info = try SessionInfo(status: response.status, body: Array(response.body.utf8))
        let http = try await open(port, info, RumorSocketRequest(socketID: id))
        return OpenTokTestClient(id, session, port, info, http)
    }

    static func join(
        _ port: Int, _ session: OpenTokSessionID, id: String, _ role: OpenTokRole = .publisher,
        form: OpenTokToken.Form = .jwt
    ) async throws -> OpenTokTestClient {
        let token = try OpenTokTestApplication.token(session, role, data: "name=\(id)", form: form)
        let client = try await connect(port, session, id: id, token: token)
        let answer = try await client.join(token: token)
        #expect(answer.status == 200)
        return client
    }

    private static func open(
        _ port: Int, _ info: SessionInfo, _ request: RumorSocketRequest
    ) async throws -> HTTPTestClient {
        let http = try await HTTPTestClient.connect(port)
        let path = "/" + info.messagingURL.split(separator: "/").dropFirst(2).joined(separator: "/")
        http.send(WebSocketBytes.handshake("\(path)?\(request.query)"))
        let response = try await http.response()
        guard response.status == 101 else {
            throw LiveKitTestClient.Refused(status: response.status, body: response.body)
        }
        return http
    }

    // MARK: Speaking

    func join(token: String) async throws -> Answer {
        send(.connect(connection: id, disconnectAddress: info.serverAddress))
        send(.subscribe(RaptorURI.topic(project: info.project, session: session.text)))
        return try await ask(.join(connection: id, RaptorJoin()), token: token)
    }

    @discardableResult
    func ask(_ request: RaptorRequest, token: String? = nil) async throws -> Answer {
        let transaction = begin(request, token: token)
        while true {
            if let answer = answers.removeValue(forKey: transaction) { return answer }
            try await read()
        }
    }

    /// Sends without waiting; the transaction.
    @discardableResult
    func begin(_ request: RaptorRequest, token: String? = nil) -> String {
        sent += 1
        let message = request.message(project: info.project, session: session.text)
        send(
            .message(
                to: info.serverAddress, from: id, transaction: "\(id)-\(sent)", token: token, payload: message.payload))
        return "\(id)-\(sent)"
    }

    func again(_ transaction: String, _ request: RaptorRequest) {
        let message = request.message(project: info.project, session: session.text)
        send(.message(to: info.serverAddress, from: id, transaction: transaction, payload: message.payload))
    }

    func send(_ frame: RumorFrame) {
        guard let bytes = try? frame.encoded() else { return }
        http.send(WebSocketBytes.frame(2, bytes))
    }

    func send(raw bytes: [UInt8], opcode: UInt8 = 2) { http.send(WebSocketBytes.frame(opcode, bytes)) }

    // MARK: Hearing

    /// The next event in which `pick` finds something; others wait.
    func next<Value: Sendable>(_ pick: @Sendable (RaptorEvent) -> Value?) async throws -> Value {
        while true {
            for (index, entry) in waiting.enumerated() {
                guard let value = pick(entry.event) else { continue }
                waiting.remove(at: index)
                return value
            }
            try await read()
        }
    }

    /// The data of the signals that have come, in order, up to that one.
    func signals(until last: String) async throws -> [String] {
        var found: [String] = []
        while found.last != last {
            found.append(
                try await next { event -> String? in
                    if case .signal(_, let content) = event { content.data } else { nil }
                })
        }
        return found
    }

    /// Everything that has come, up to a signal of one's own.
    func settled() async throws -> [RaptorEvent] {
        let mark = "mark\(sent)"
        begin(.signal(to: id, id: mark, SignalContent(type: "mark", data: mark)))
        while true {
            let index = waiting.firstIndex {
                if case .signal(_, let content) = $0.event { content.data == mark } else { false }
            }
            if let index {
                let events = waiting[..<index].map(\.event)
                waiting.removeFirst(index + 1)
                return events
            }
            try await read()
        }
    }

    func state() async throws -> RaptorSessionState {
        try RaptorSessionState(payload: try await ask(.readState).payload)
    }

    /// The code of the close frame that comes next.
    func closeCode() async throws -> Int? {
        while true {
            let frame = try await http.frameAfterPings()
            if frame.opcode == 8 { return frame.closeCode }
        }
    }

    private func read() async throws {
        let frame = try await http.frameAfterPings()
        guard frame.opcode == 2 else { throw HTTPTestClient.Failure.closed }
        let message = try RumorFrame(message: frame.payload)
        switch message.kind {
        case .status:
            let answer = Answer(status: message.status ?? 0, payload: message.payload)
            answers[message.transaction ?? ""] = answer
        case .message:
            let transaction = message.transaction ?? ""
            send(.status(200, transaction: transaction))
            guard done.insert(transaction).inserted else { return repeats += 1 }
            waiting.append((try RaptorEvent(try RaptorMessage(payload: message.payload)), message.from))
        default: break
        }
    }

    // MARK: Losing sockets

    /// The socket goes without a goodbye.
    func drop() { http.close() }

    /// A frame that closes the socket with that code.
    func close(code: UInt16) { http.send(WebSocketBytes.frame(8, [UInt8(code >> 8), UInt8(code & 0xff)])) }

    /// Comes back on a socket of its own, as anybody who knows the id could try.
    func comeBack(ticketOf other: OpenTokTestClient? = nil) async throws {
        var info = self.info
        if let other { info = other.info }
        http = try await Self.open(port, info, RumorSocketRequest(socketID: id, attempt: "a\(sent)"))
    }
}
