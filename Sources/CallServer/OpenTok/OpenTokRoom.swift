import Logging
import NIOCore
import OpenTokSignalling
import RTCWire
import RoomModel

/// The OpenTok-style side of a room, which is a session: hands events to the dialect, tells clients what that says, and has the
/// room do what they ask for.
// Everything that changes is touched on `eventLoop` only; other threads hold the reference and hop.
final class OpenTokRoom: @unchecked Sendable {
    /// Not there any more behind the end of the room.
    unowned let room: Room
    let loop: ServerLoop
    unowned let service: OpenTokService
    private(set) var dialect: OpenTokDialect
    /// By connection id; among them those who have not joined yet.
    private var members: [String: OpenTokMember] = [:]
    /// Of routed sessions.
    private(set) lazy var media = OpenTokMedia(self)
    /// What is to be done yet, in order: one member's end must not overtake what others are being told.
    private var queue: OpenTokDialect.Actions = []
    /// Somebody is being answered, or the queue is being done.
    private var isHeld = false
    private(set) var isClosed = false

    init(_ room: Room, session: OpenTokSession, service: OpenTokService) {
        self.room = room
        self.service = service
        loop = room.loop
        dialect = OpenTokDialect(session: session, longestName: room.configuration.limits.text.name)
    }

    var id: OpenTokSessionID { session.id }
    var project: String { session.project }
    var session: OpenTokSession { dialect.session }
    var eventLoop: any EventLoop { loop.eventLoop }
    var logger: Logger { room.logger }

    // MARK: Sockets

    /// A socket stands: of somebody new, or of one who comes back.
    func enter(_ socket: OpenTokSocket, now: Instant) {
        if let member = members[socket.request.socketID] {
            guard member.ticket == socket.ticket, !member.connection.hasEnded else { return socket.close(1011) }
            return member.comeBack(socket, now: now)
        }
        let newcomer = RoomNewcomer(identity: socket.request.socketID, description: 0)
        guard socket.request.attempt == nil, let seat = room.directory.takeSeat(in: room.name, for: newcomer) else {
            socket.close(1011)
            return room.awaitedNoMore()
        }
        // Of a session in which nobody was an archive may run still.
        for archive in service.archives.running(in: id.text) {
            dialect.session.archiveChanged(archive, into: &queue)
        }
        let settings = OpenTokServerConnection.Settings(
            session: id, project: project, connection: socket.request.socketID,
            serverAddress: OpenTokService.serverAddress)
        members[socket.request.socketID] = OpenTokMember(socket, in: self, seat: seat, settings: settings, now: now)
    }

    /// A member's connection is over.
    func ended(_ member: OpenTokMember, _ reason: RaptorReason, now: Instant) {
        guard members[member.connectionID] === member else { return }
        members[member.connectionID] = nil
        logger.info(
            "opentok client leaves", metadata: ["connection": "\(member.connectionID)", "reason": "\(reason)"])
        leave(member, reason)
        room.remove(member.id, DepartureReason(reason), tells: false, now: now)
        member.seat.giveBack()
        drain(now)
        room.awaitedNoMore()
    }

    // MARK: Requests

    func join(
        _ admission: OpenTokServerConnection.Admission, _ member: OpenTokMember, now: Instant
    ) -> OpenTokServerConnection.Answer {
        let isRecorder = service.archives.isRecorder(admission.token.connectionData, in: id.text)
        let time = WallClock.milliseconds
        let record = dialect.record(of: admission, id: member.id, isRecorder: isRecorder, at: time, in: room.machine)
        guard room.admits(record) else { return .refused(.tooMany) }
        let isFirst = session.isEmpty
        let answer = dialect.session.join(admission, isHidden: isRecorder, at: time, into: &queue)
        guard answer == .done else {
            room.forget(member.id)
            return answer
        }
        dialect.note(member.connectionID, of: member.id)
        held {
            room.enter(member, as: record, now: now)
            room.perform(.activate(member.id), now: now)
        }
        member.seat.activate()
        if isFirst, !isRecorder { service.archives.sessionBegan(id.text, service: service) }
        return answer
    }

    /// What follows from it waits for `drain`.
    func handle(
        _ request: RaptorRequest, from member: OpenTokMember, now: Instant
    ) -> OpenTokServerConnection.Answer {
        guard isAllowed(request, to: member) else { return .refused(.forbidden) }
        var actions: OpenTokDialect.Actions = []
        let answer = dialect.session.handle(
            request, from: member.connectionID, at: WallClock.milliseconds, into: &actions)
        // The client is to learn from the answer that its description can't be used.
        if case .media(.negotiate(let peer, let step))? = actions.first {
            return held { media.negotiate(peer, step, now: now) } ? answer : .refused(.invalid)
        }
        queue += actions
        guard case .state(var state) = answer else { return answer }
        state.iceServers = iceServers(for: member)
        return .state(state)
    }

    /// With credentials of its own.
    private func iceServers(for member: OpenTokMember) -> [RaptorICEServer] {
        room.configuration.media.iceServers.issued(to: member.connectionID, at: WallClock.milliseconds)
            .flatMap(\.raptor)
    }

    /// The room may have taken rights away that the token has given.
    private func isAllowed(_ request: RaptorRequest, to member: OpenTokMember) -> Bool {
        guard let permissions = room.machine.participant(member.id)?.permissions else { return true }
        return switch request {
        case .publish(let stream):
            stream.channels.allSatisfy { permissions.mayPublish(stream.source(of: .init($0.kind))) }
        case .subscribe: permissions.canSubscribe
        case .signal: permissions.canPublishData
        default: true
        }
    }

    /// A command of the application's server.
    func perform(_ command: RESTCommand, now: Instant) -> RESTResult {
        guard !isClosed else { return .refused(.noSuchSession) }
        let result = dialect.session.perform(command, at: WallClock.milliseconds, into: &queue)
        if case .setStreamClasses(_, let items) = command, case .done = result {
            for item in items { service.archives.layoutChanged(item, in: id.text) }
        }
        drain(now)
        return result
    }

    /// Has the session say something, and does what follows.
    func change(_ now: Instant, _ body: (inout OpenTokSession, inout OpenTokDialect.Actions) -> Void) {
        guard !isClosed else { return }
        body(&dialect.session, &queue)
        drain(now)
    }

    /// The same about what the dialect knows of the media.
    func change<Result>(_ body: (inout OpenTokDialect) -> Result) -> Result { body(&dialect) }

    /// The client whose peer connection that is.
    func owner(of peer: RaptorPeer) -> OpenTokMember? { session.owner(of: peer).flatMap { members[$0] } }

    /// The media router says something, which is told with the next `drain`.
    func say(_ step: RaptorNegotiation, to peer: RaptorPeer) {
        dialect.session.routerSays(step, to: peer, into: &queue)
    }

    // MARK: Actions

    /// Nothing is told meanwhile: who asks is answered first.
    private func held<Result>(_ body: () -> Result) -> Result {
        let before = isHeld
        isHeld = true
        defer { isHeld = before }
        return body()
    }

    func drain(_ now: Instant) {
        guard !isHeld else { return }
        held {
            var next = 0
            repeat {
                while next < queue.count {
                    let action = queue[next]
                    next += 1
                    perform(action, now)
                }
                media.offerChanges()
            } while next < queue.count
            queue.removeAll(keepingCapacity: true)
        }
    }

    private func perform(_ action: OpenTokSession.Action, _ now: Instant) {
        switch action {
        case .tell(let id, let event, let sender):
            members[id]?.change(now) { $0.tell(event, from: sender, into: &$1) }
        case .remove(let id, let reason):
            guard let member = members[id] else { return room.remove(id, DepartureReason(reason), now: now) }
            member.change(now) { $0.remove(reason, into: &$1) }
        case .media(.pass(let content, let to, let sender)): pass(content, to: to, from: sender, now)
        case .media(let command): media.perform(command, now: now)
        case .notice(let notice):
            service.notices?.enqueue(notice)
            if case .streamCreated(let stream, _) = notice.event {
                let classes = session.layoutClasses(of: stream.id)
                service.archives.streamAppeared(stream.id, classes: classes, in: id.text)
            }
        }
    }

    // MARK: Signals

    /// To those who speak another dialect.
    private func pass(_ content: SignalContent, to: String?, from sender: String?, _ now: Instant) {
        let from = sender.flatMap { members[$0] }.flatMap { room.machine.participant($0.id) }
        let message = RoomMessage(sender: from, topic: content.type ?? "", payload: Array((content.data ?? "").utf8))
        for member in room.members.values where !(member is OpenTokMember) && (to ?? member.id) == member.id {
            member.receive(message, now: now)
        }
    }

    /// From somebody who speaks another dialect.
    func signal(_ message: RoomMessage, to member: OpenTokMember, now: Instant) {
        guard let content = SignalContent(topic: message.topic, payload: message.payload) else {
            return logger.debug("data not passed on: no signal may say so", metadata: ["topic": "\(message.topic)"])
        }
        let sender = message.sender.flatMap { dialect.connection(of: $0.id) }
        change(now) { $0.signalled(content, from: sender, to: member.connectionID, into: &$1) }
    }

    // MARK: The end

    /// The room has sent somebody away, who is told unless it knows.
    func dismissed(_ member: OpenTokMember, _ reason: DepartureReason, tells: Bool) {
        media.close(of: member)
        member.seat.giveBack()
        guard tells else { return }
        leave(member, RaptorReason(reason))
        queue.append(.remove(connection: member.connectionID, RaptorReason(reason)))
    }

    private func leave(_ member: OpenTokMember, _ reason: RaptorReason) {
        dialect.session.leave(member.connectionID, reason, at: WallClock.milliseconds, into: &queue)
    }
}

extension Room {
    /// The session that the room is; nil for a room of another name.
    var openTok: OpenTokRoom? { existingSide() }
}

extension OpenTokRoom: RoomListener {
    func opened(_ room: Room) {}

    func room(_ room: Room, did event: RoomEvent, now: Instant) {
        dialect.translate(event, at: WallClock.milliseconds, into: &queue)
        media.follow(event, now: now)
        drain(now)
    }

    /// Of those who have not joined nobody knows but this side.
    var holdsOpen: Bool { !members.isEmpty }

    func closed(_ room: Room, because reason: RoomEndReason) {
        room.timed("opentok end") { _, now in
            for member in Array(members.values) { member.change(now) { $0.remove(.networkDisconnected, into: &$1) } }
        }
        isClosed = true
        service.remove(self)
    }
}

extension ICEServer {
    var raptor: [RaptorICEServer] {
        urls.map {
            RaptorICEServer(
                url: $0, username: username.isEmpty ? nil : username, credential: credential.isEmpty ? nil : credential)
        }
    }
}
