import OpenTokSignalling
import RTCSim
import RTCWire

@testable import OpenTokClient

/// A session with several clients in virtual time: machines on one side, the server's values on the other, and between them
/// a network whose links come and go.
struct SimulatedWorld {
    static let timeOfDay: Int64 = 1_800_000_000
    private static let address = "symphony.1"

    /// One client, and the server's side of its connection.
    struct Client {
        var machine: OpenTokMachine
        var server: OpenTokServerConnection?
        var isUp = true
        /// The socket that the client uses, and the one through which anything comes.
        var socket = 0
        var live = 0
        /// The socket that the server answers on.
        var served = 0
        /// What travels one way arrives in order.
        var arrivals: [Bool: Instant] = [:]
        /// What its application was told.
        var log: [String] = []
    }

    private enum Delivery {
        case opened
        case refused
        case message([UInt8], toServer: Bool)
        case closed(code: Int, toServer: Bool)
        case peer(PeerReport, RaptorPeer)
    }

    private struct Event {
        var at: Instant
        var number: Int
        var client: String
        var socket: Int
        var delivery: Delivery
    }

    private(set) var now = Instant.zero
    private(set) var session: OpenTokSession
    private(set) var clients: [String: Client] = [:]
    private var queue: [Event] = []
    private var count = 0
    private var random: SeededGenerator

    init(_ mode: MediaMode, seed: UInt64) {
        let id = OpenTokSessionID(project: "12345", mediaMode: mode, createdAt: 0, random: 1)
        session = OpenTokSession(id, project: "12345")
        random = SeededGenerator(seed: seed)
    }

    // MARK: What tests do

    mutating func join(_ id: String, _ role: OpenTokRole = .publisher) throws {
        let token = try OpenTokToken(
            project: "12345", sessionID: session.id.text, role: role, created: Self.timeOfDay, connectionData: id
        ).signed(secret: "secret")
        let info = SessionInfo(
            session: session.id, project: "12345", messagingURL: "ws://h/m", serverAddress: Self.address)
        clients[id] = Client(machine: OpenTokMachine(ClientSettings(info: info, token: token, connection: id)))
        drive(id) { $0.start($1, into: &$2) }
    }

    mutating func command(_ id: String, _ command: ClientCommand, _ number: CommandID) {
        drive(id) { $0.handle(.command(command, number), $1, into: &$2) }
    }

    mutating func leave(_ id: String) { drive(id) { $0.handle(.leave, $1, into: &$2) } }

    /// A network goes away or comes back. Whoever loses it may notice at once, or by the silence.
    mutating func setUp(_ isUp: Bool, _ id: String, isNoticed: Bool = false) {
        guard let client = clients[id], client.isUp != isUp else { return }
        clients[id]?.isUp = isUp
        guard !isUp else { return }
        clients[id]?.live = -1
        if isNoticed { drive(id) { $0.handle(.closed(socket: client.socket, code: 1006), $1, into: &$2) } }
    }

    mutating func run(_ interval: Interval) {
        let end = now + interval
        while let next = nextTime, next <= end {
            now = max(now, next)
            deliver()
            for id in clients.keys.sorted() {
                drive(id) { $0.advance(to: $1, into: &$2) }
                serve(id) { [now] in $0.advance(to: now, into: &$1) }
            }
        }
        now = end
    }

    func log(_ id: String) -> [String] { clients[id]?.log ?? [] }

    // MARK: Both sides

    private var nextTime: Instant? {
        var next = queue.map(\.at).min()
        for client in clients.values {
            next = next.earlier(client.machine.nextDeadline).earlier(client.server?.nextDeadline)
        }
        return next
    }

    private mutating func drive(
        _ id: String, _ body: (inout OpenTokMachine, Instant, inout [ClientOutput]) -> Void
    ) {
        guard clients[id] != nil else { return }
        var outputs: [ClientOutput] = []
        body(&clients[id]!.machine, now, &outputs)
        for output in outputs { perform(output, id) }
    }

    private mutating func serve(
        _ id: String, _ body: (inout OpenTokServerConnection, inout [OpenTokServerConnection.Action]) -> Void
    ) {
        guard clients[id]?.server != nil else { return }
        var actions: [OpenTokServerConnection.Action] = []
        body(&clients[id]!.server!, &actions)
        for action in actions { perform(action, id) }
    }

    private mutating func perform(_ output: ClientOutput, _ id: String) {
        switch output {
        case .open(_, let number):
            clients[id]?.socket = number
            clients[id]?.live = number
            enqueue(clients[id]?.isUp == true ? .opened : .refused, id, toServer: true)
        case .send(let bytes): enqueue(.message(bytes, toServer: true), id, toServer: true)
        case .close(let code): enqueue(.closed(code: code, toServer: true), id, toServer: true)
        case .peer(let action, let peer): play(action, peer, id)
        case .report, .settle, .setActive, .end: if let line = output.summary { clients[id]?.log.append(line) }
        }
    }

    /// Media connections do what they are asked for, after a while.
    private mutating func play(_ action: PeerAction, _ peer: RaptorPeer, _ id: String) {
        switch action {
        case .createOffer: enqueue(.peer(.offerMade(sdp: "o"), peer), id, toServer: true)
        case .setAnswer: enqueue(.peer(.connected, peer), id, toServer: true)
        case .answer:
            for report in [PeerReport.answerMade(sdp: "a"), .mediaBegan(.audio), .mediaBegan(.video), .connected] {
                enqueue(.peer(report, peer), id, toServer: true)
            }
        default: break
        }
    }

    private mutating func perform(_ action: OpenTokServerConnection.Action, _ id: String) {
        switch action {
        case .send(let bytes): enqueue(.message(bytes, toServer: false), id, toServer: false)
        case .close(let code): enqueue(.closed(code: code, toServer: false), id, toServer: false)
        case .join(let admission, let transaction):
            let answer = change { $0.join(admission, at: Self.timeOfDay * 1000, into: &$1) }
            serve(id) { $0.answer(transaction, answer.result, into: &$1) }
            spread(answer.actions)
        case .request(let request, let transaction):
            let answer = change { $0.handle(request, from: id, at: Self.timeOfDay * 1000, into: &$1) }
            serve(id) { $0.answer(transaction, answer.result, into: &$1) }
            spread(answer.actions)
        case .ended(let reason, _):
            spread(change { $0.leave(id, reason, at: Self.timeOfDay * 1000, into: &$1) }.actions)
        case .linkChanged: break
        }
    }

    private mutating func change<Result>(
        _ body: (inout OpenTokSession, inout [OpenTokSession.Action]) -> Result
    ) -> (result: Result, actions: [OpenTokSession.Action]) {
        var actions: [OpenTokSession.Action] = []
        let result = body(&session, &actions)
        return (result, actions)
    }

    private mutating func spread(_ actions: [OpenTokSession.Action]) {
        for action in actions {
            switch action {
            case .tell(let id, let event, let sender): serve(id) { $0.tell(event, from: sender, into: &$1) }
            case .remove(let id, let reason): serve(id) { $0.remove(reason, into: &$1) }
            case .media(let command): route(command)
            case .notice: break
            }
        }
    }

    /// A router that answers and offers at once.
    private mutating func route(_ command: OpenTokSession.MediaCommand) {
        switch command {
        case .negotiate(let peer, .offer):
            spread(change { $0.routerSays(.answer(sdp: "a"), to: peer, into: &$1) }.actions)
        case .subscribe(let stream, let id):
            let peer = RaptorPeer.subscriber(stream: stream, id: id)
            spread(change { $0.routerSays(.offer(sdp: "o"), to: peer, into: &$1) }.actions)
        default: break
        }
    }

    // MARK: The network

    private mutating func enqueue(_ delivery: Delivery, _ id: String, toServer: Bool) {
        guard let client = clients[id] else { return }
        let delay = Interval.milliseconds(Int.random(in: 5...120, using: &random))
        let at = max(now + delay, client.arrivals[toServer] ?? .zero)
        clients[id]?.arrivals[toServer] = at
        count += 1
        let socket = toServer ? client.socket : client.served
        queue.append(Event(at: at, number: count, client: id, socket: socket, delivery: delivery))
    }

    private mutating func deliver() {
        let due = queue.filter { $0.at <= now }.sorted { ($0.at, $0.number) < ($1.at, $1.number) }
        queue.removeAll { $0.at <= now }
        for event in due { deliver(event) }
    }

    private mutating func deliver(_ event: Event) {
        let id = event.client
        if case .peer(let report, let peer) = event.delivery {
            return drive(id) { $0.handle(.peer(report, peer), $1, into: &$2) }
        }
        if case .refused = event.delivery {
            return drive(id) { $0.handle(.closed(socket: event.socket, code: 1006), $1, into: &$2) }
        }
        guard clients[id]?.live == event.socket, clients[id]?.isUp == true else { return }
        switch event.delivery {
        case .opened: opened(id, event.socket)
        case .message(let bytes, true):
            serve(id) { [now] in $0.receive(bytes, now, timeOfDay: Self.timeOfDay, into: &$1) }
        case .message(let bytes, false):
            drive(id) { $0.handle(.message(bytes, socket: event.socket), $1, into: &$2) }
        case .closed(let code, true): serve(id) { [now] in $0.closed(code: code, now, into: &$1) }
        case .closed(let code, false):
            drive(id) { $0.handle(.closed(socket: event.socket, code: code), $1, into: &$2) }
        case .refused, .peer: break
        }
    }

    private mutating func opened(_ id: String, _ socket: Int) {
        clients[id]?.served = socket
        drive(id) { $0.handle(.opened(socket: socket), $1, into: &$2) }
        guard clients[id]?.server == nil else { return serve(id) { [now] in $0.opened(now, into: &$1) } }
        let settings = OpenTokServerConnection.Settings(
            session: session.id, project: "12345", connection: id, serverAddress: Self.address)
        clients[id]?.server = OpenTokServerConnection(settings, secrets: ["12345": "secret"], now: now)
    }
}
