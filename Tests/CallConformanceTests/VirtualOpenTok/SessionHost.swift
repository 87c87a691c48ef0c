import OpenTokSignalling
import RTCSim
import RTCWire

/// One session at the server: the server's own values, driven as its shell drives them.
final class SessionHost {
    private(set) var session: OpenTokSession
    let house: VirtualHouse
    private(set) lazy var router = VirtualRouter(self)
    private var connections: [String: OpenTokServerConnection] = [:]
    private var sockets: [String: VirtualSocket] = [:]
    private var due: [String: Instant] = [:]
    /// What is to be done yet, in order.
    private var queue: [OpenTokSession.Action] = []
    private var isDraining = false

    init(_ id: OpenTokSessionID, house: VirtualHouse) {
        self.house = house
        session = OpenTokSession(id, project: "12345")
    }

    private var now: Instant { house.simulation.now }
    private var time: Int64 { house.timeOfDay * 1000 }

    // MARK: Sockets

    func enter(_ socket: VirtualSocket) {
        let id = socket.request.socketID
        if connections[id] != nil {
            sockets[id]?.say(.closed(1001))
            sockets[id] = socket
            socket.say(.opened)
            return change(id) { [now] in $0.opened(now, into: &$1) }
        }
        guard socket.request.attempt == nil, !house.isStopped else { return socket.say(.closed(1011)) }
        let settings = OpenTokServerConnection.Settings(
            session: session.id, project: "12345", connection: id, serverAddress: VirtualHouse.serverAddress)
        connections[id] = OpenTokServerConnection(settings, secrets: VirtualHouse.secrets, now: now)
        sockets[id] = socket
        socket.say(.opened)
        watch(id)
    }

    func take(_ bytes: [UInt8], on socket: VirtualSocket) {
        let id = socket.request.socketID
        guard sockets[id] === socket else { return }
        change(id) { [now, house] in $0.receive(bytes, now, timeOfDay: house.timeOfDay, into: &$1) }
    }

    func closed(_ socket: VirtualSocket, code: Int) {
        let id = socket.request.socketID
        guard sockets[id] === socket else { return }
        sockets[id] = nil
        change(id) { [now] in $0.closed(code: code, now, into: &$1) }
    }

    // MARK: The values

    private func change(
        _ id: String, _ body: (inout OpenTokServerConnection, inout [OpenTokServerConnection.Action]) -> Void
    ) {
        guard var connection = connections[id] else { return }
        var actions: [OpenTokServerConnection.Action] = []
        body(&connection, &actions)
        connections[id] = connection
        for action in actions { perform(action, id) }
        watch(id)
    }

    private func watch(_ id: String) {
        guard let deadline = connections[id]?.nextDeadline, deadline < due[id] ?? .distantFuture else { return }
        due[id] = deadline
        house.simulation.schedule(at: deadline) { [weak self] in
            guard let self, due[id] == deadline else { return }
            due[id] = nil
            change(id) { [now] in $0.advance(to: now, into: &$1) }
        }
    }

    private func perform(_ action: OpenTokServerConnection.Action, _ id: String) {
        switch action {
        case .send(let bytes): sockets[id]?.say(.message(bytes))
        case .close(let code): sockets.removeValue(forKey: id)?.say(.closed(code))
        case .join(let admission, let transaction):
            let answer = session.join(admission, at: time, into: &queue)
            change(id) { $0.answer(transaction, answer, into: &$1) }
        case .request(let request, let transaction):
            let answer = handle(request, from: id)
            change(id) { $0.answer(transaction, answer, into: &$1) }
        case .linkChanged: break
        case .ended(let reason, _):
            connections[id] = nil
            session.leave(id, reason, at: time, into: &queue)
        }
        drain()
    }

    private func handle(_ request: RaptorRequest, from id: String) -> OpenTokServerConnection.Answer {
        var actions: [OpenTokSession.Action] = []
        let answer = session.handle(request, from: id, at: time, into: &actions)
        // The client is to learn from the answer that its description can't be used.
        if case .media(.negotiate(let peer, let step))? = actions.first {
            return router.negotiate(peer, step) ? answer : .refused(.invalid)
        }
        queue += actions
        return answer
    }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        while !queue.isEmpty { perform(queue.removeFirst()) }
        isDraining = false
    }

    private func perform(_ action: OpenTokSession.Action) {
        switch action {
        case .tell(let id, let event, let sender): change(id) { $0.tell(event, from: sender, into: &$1) }
        case .remove(let id, let reason): change(id) { $0.remove(reason, into: &$1) }
        case .media(let command): router.perform(command)
        case .notice: break
        }
    }

    // MARK: What others have the session do

    func routerSays(_ step: RaptorNegotiation, to peer: RaptorPeer) {
        session.routerSays(step, to: peer, into: &queue)
        house.simulation.schedule(at: now) { [weak self] in self?.drain() }
    }

    func mediaStopped(_ stream: String) {
        session.endStream(stream, .networkDisconnected, at: time, into: &queue)
        drain()
    }

    func disconnect(_ connection: String) {
        _ = session.perform(.forceDisconnect(session: session.id, connection: connection), at: time, into: &queue)
        drain()
    }

    func shutDown() {
        for id in connections.keys.sorted() { change(id) { $0.remove(.networkDisconnected, into: &$1) } }
    }
}
