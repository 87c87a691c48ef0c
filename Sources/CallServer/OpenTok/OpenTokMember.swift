import NIOCore
import OpenTokSignalling
import RTCWire

/// One client's connection on its room's loop: the machine, its socket, and the one timer that it needs.
// Lives on its room's event loop.
final class OpenTokMember: @unchecked Sendable {
    typealias Action = OpenTokServerConnection.Action

    let id: String
    /// Who comes back must have it.
    let ticket: String
    private(set) var connection: OpenTokServerConnection
    private unowned let room: OpenTokRoom
    /// Nil while the client is away.
    private var socket: OpenTokSocket?
    private var timer: Scheduled<Void>?
    private var timerDeadline: Instant?

    init(_ socket: OpenTokSocket, room: OpenTokRoom, settings: OpenTokServerConnection.Settings, now: Instant) {
        id = socket.request.socketID
        ticket = socket.ticket
        self.room = room
        self.socket = socket
        connection = OpenTokServerConnection(settings, secrets: room.service.secrets, now: now)
        socket.member = self
        schedule(now)
    }

    // MARK: The socket

    func received(_ bytes: [UInt8], on socket: OpenTokSocket, now: Instant) {
        guard socket === self.socket else { return }
        let time = WallClock.milliseconds / 1000
        change(now) { $0.receive(bytes, now, timeOfDay: time, into: &$1) }
    }

    func lost(_ socket: OpenTokSocket, code: Int, now: Instant) {
        guard socket === self.socket else { return }
        self.socket = nil
        change(now) { $0.closed(code: code, now, into: &$1) }
    }

    /// The client has come back on another socket; of the older one nothing counts any more.
    func comeBack(_ socket: OpenTokSocket, now: Instant) {
        self.socket?.close(1001)
        self.socket = socket
        socket.member = self
        change(now) { $0.opened(now, into: &$1) }
    }

    // MARK: The machine

    func change(_ now: Instant, _ body: (inout OpenTokServerConnection, inout [Action]) -> Void) {
        var actions: [Action] = []
        body(&connection, &actions)
        for action in actions { perform(action, now) }
        schedule(now)
    }

    private func perform(_ action: Action, _ now: Instant) {
        switch action {
        case .send(let bytes): socket?.send(bytes)
        case .close(let code):
            socket?.close(code)
            socket = nil
        case .join(let admission, let transaction):
            let answer = room.join(admission)
            change(now) { $0.answer(transaction, answer, into: &$1) }
            room.drain(now)
        case .request(let request, let transaction):
            let answer = room.handle(request, from: id, now: now)
            change(now) { $0.answer(transaction, answer, into: &$1) }
            room.drain(now)
        case .linkChanged: break
        case .ended(let reason, _):
            close()
            room.ended(self, reason, now: now)
        }
    }

    private func close() {
        timer?.cancel()
        timer = nil
        socket?.close(1000)
        socket = nil
    }

    private func schedule(_ now: Instant) {
        let deadline = connection.nextDeadline
        guard deadline != timerDeadline else { return }
        timer?.cancel()
        timer = nil
        timerDeadline = deadline
        guard let deadline else { return }
        let wait = max(0, (deadline - now).nanoseconds)
        timer = room.eventLoop.scheduleTask(in: .nanoseconds(wait)) { [weak self] in
            guard let self else { return }
            timerDeadline = nil
            room.loop.meter.measure(.timer, "opentok connection") { now in
                self.change(now) { $0.advance(to: now, into: &$1) }
            }
        }
    }
}
