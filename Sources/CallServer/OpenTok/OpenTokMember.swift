import LiveKitProtocol
import NIOCore
import OpenTokSignalling
import RTCWire
import RoomModel

/// One client's connection on its room's loop: the machine, its socket, and the one timer that it needs. Once it has joined it
/// is a member of the room.
// Lives on its room's event loop.
final class OpenTokMember: @unchecked Sendable {
    typealias Action = OpenTokServerConnection.Action

    /// As the room knows it.
    let id = SessionID.participant()
    /// As clients know it.
    let connectionID: String
    /// Who comes back must have it.
    let ticket: String
    let seat: RoomDirectory.Seat
    private(set) var connection: OpenTokServerConnection
    private unowned let openTok: OpenTokRoom
    /// Nil while the client is away.
    private var socket: OpenTokSocket?
    private var timer: Scheduled<Void>?
    private var timerDeadline: Instant?
    /// Its streams, and what it gets.
    var publications: [OpenTokPublication] = []
    var subscriptions: [OpenTokSubscription] = []

    init(
        _ socket: OpenTokSocket, in openTok: OpenTokRoom, seat: RoomDirectory.Seat,
        settings: OpenTokServerConnection.Settings, now: Instant
    ) {
        connectionID = socket.request.socketID
        ticket = socket.ticket
        self.seat = seat
        self.openTok = openTok
        self.socket = socket
        connection = OpenTokServerConnection(settings, secrets: openTok.service.secrets, now: now)
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
            let answer = openTok.join(admission, self, now: now)
            change(now) { $0.answer(transaction, answer, into: &$1) }
            openTok.drain(now)
        case .request(let request, let transaction):
            let answer = openTok.handle(request, from: self, now: now)
            change(now) { $0.answer(transaction, answer, into: &$1) }
            openTok.drain(now)
        case .linkChanged: break
        case .ended(let reason, _):
            close()
            openTok.ended(self, reason, now: now)
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
        timer = openTok.eventLoop.scheduleTask(in: .nanoseconds(wait)) { [weak self] in
            guard let self else { return }
            timerDeadline = nil
            openTok.loop.meter.measure(.timer, "opentok connection") { now in
                self.change(now) { $0.advance(to: now, into: &$1) }
            }
        }
    }
}

extension OpenTokMember: RoomMember {
    var connections: [MediaConnection] { publications.map(\.connection) + receivers }
    var receivers: [MediaConnection] { subscriptions.map(\.connection) }

    func pausePolicy(on connection: MediaConnection) -> PausePolicy {
        guard let subscription = subscription(on: connection) else { return .never }
        return openTok.session.stream(subscription.stream)?.hasAudioFallback == false ? .never : .afterWarning
    }

    /// Messages are the dialect's; here is what the media has to do.
    func tell(_ event: RoomEvent, now: Instant) {
        switch event {
        case .subscriptionBegan(let subscription): openTok.media.begin(subscription.track, to: self, now: now)
        case .subscriptionRenewed(let subscription):
            openTok.media.end(subscription.track, to: self, now: now)
            openTok.media.begin(subscription.track, to: self, now: now)
        case .subscriptionEnded(let subscription): openTok.media.end(subscription.track, to: self, now: now)
        default: return
        }
        openTok.drain(now)
    }

    func tell(_ pauses: [TrackPause], on connection: MediaConnection, now: Instant) {
        guard let subscription = subscription(on: connection) else { return }
        openTok.change(now) { session, actions in
            for pause in pauses {
                session.videoChanged(
                    VideoFallbackChange(pause.change), stream: subscription.stream, subscriber: subscription.id,
                    into: &actions)
            }
        }
    }

    private func subscription(on connection: MediaConnection) -> OpenTokSubscription? {
        subscriptions.first { $0.connection === connection }
    }

    func receive(_ message: RoomMessage, now: Instant) { openTok.signal(message, to: self, now: now) }

    func willShareBandwidth(now: Instant) { for subscription in subscriptions { subscription.refresh(now) } }

    func dismiss(_ reason: DepartureReason, tells: Bool) { openTok.dismissed(self, reason, tells: tells) }
}

extension VideoFallbackChange {
    fileprivate init(_ change: TrackPause.Change) {
        self =
            switch change {
            case .warned(let isWarned): .warned(isWarned)
            case .paused(let isPaused): .disabled(isPaused)
            }
    }
}
