import Logging
import NIOCore
import OpenTokSignalling
import RTCWire

/// One session on its loop: drives an `OpenTokSession`, tells its members what that says, and has its media done.
// Everything that changes is touched on `eventLoop` only; other threads hold the reference and hop.
final class OpenTokRoom: @unchecked Sendable {
    let id: OpenTokSessionID
    let project: String
    let loop: ServerLoop
    unowned let service: OpenTokService
    private(set) var session: OpenTokSession
    private var members: [String: OpenTokMember] = [:]
    /// What is to be done yet, in order: one member's end must not overtake what others are being told.
    private var queue: [OpenTokSession.Action] = []
    private var isDraining = false
    private(set) var isClosed = false
    /// Of routed sessions.
    private(set) lazy var media = OpenTokMedia(room: self)

    /// Made on any thread; all else happens on the room's loop.
    init(_ id: OpenTokSessionID, project: String, loop: ServerLoop, service: OpenTokService) {
        self.id = id
        self.project = project
        self.loop = loop
        self.service = service
        session = OpenTokSession(
            id, project: project, bounds: service.bounds, iceServers: service.configuration.iceServers.flatMap(\.raptor)
        )
    }

    var eventLoop: any EventLoop { loop.eventLoop }
    var logger: Logger { service.configuration.logger }
    var participantCount: Int { session.connectionIDs.count }

    // MARK: Sockets

    /// A socket stands: of somebody new, or of one who comes back.
    func enter(_ socket: OpenTokSocket, now: Instant) {
        guard !isClosed else { return service.enter(socket, session: id, project: project) }
        if let member = members[socket.request.socketID] {
            guard member.ticket == socket.ticket, !member.connection.hasEnded else { return socket.close(1011) }
            return member.comeBack(socket, now: now)
        }
        guard socket.request.attempt == nil, service.takeSeat() else {
            socket.close(1011)
            return closeIfEmpty()
        }
        // Of a session in which nobody was an archive may run still.
        for archive in service.archives.running(in: id.text) { session.archiveChanged(archive, into: &queue) }
        let settings = OpenTokServerConnection.Settings(
            session: id, project: project, connection: socket.request.socketID,
            serverAddress: OpenTokService.serverAddress)
        members[socket.request.socketID] = OpenTokMember(socket, room: self, settings: settings, now: now)
    }

    /// A member's connection is over.
    func ended(_ member: OpenTokMember, _ reason: RaptorReason, now: Instant) {
        guard members[member.id] === member else { return }
        members[member.id] = nil
        service.giveSeatBack()
        logger.info("opentok client leaves", metadata: ["connection": "\(member.id)", "reason": "\(reason)"])
        session.leave(member.id, reason, at: WallClock.milliseconds, into: &queue)
        drain(now)
        closeIfEmpty()
    }

    // MARK: Requests

    func join(_ admission: OpenTokServerConnection.Admission) -> OpenTokServerConnection.Answer {
        let isFirst = session.isEmpty
        let isRecorder = service.archives.isRecorder(admission.token.connectionData, in: id.text)
        let answer = session.join(admission, isHidden: isRecorder, at: WallClock.milliseconds, into: &queue)
        if isFirst, !isRecorder, answer == .done { service.archives.sessionBegan(id.text, service: service) }
        return answer
    }

    /// What follows from it waits for `drain`.
    func handle(_ request: RaptorRequest, from id: String, now: Instant) -> OpenTokServerConnection.Answer {
        var actions: [OpenTokSession.Action] = []
        let answer = session.handle(request, from: id, at: WallClock.milliseconds, into: &actions)
        // The client is to learn from the answer that its description can't be used.
        if case .media(.negotiate(let peer, let step))? = actions.first {
            return media.negotiate(peer, step, now: now) ? answer : .refused(.invalid)
        }
        queue += actions
        return answer
    }

    /// A command of the application's server.
    func perform(_ command: RESTCommand, now: Instant) -> RESTResult {
        let result = session.perform(command, at: WallClock.milliseconds, into: &queue)
        if case .setStreamClasses(_, let items) = command, case .done = result {
            for item in items { service.archives.layoutChanged(item, in: id.text) }
        }
        drain(now)
        return result
    }

    /// Has the session say something, and does what follows.
    func change(_ now: Instant, _ body: (inout OpenTokSession, inout [OpenTokSession.Action]) -> Void) {
        body(&session, &queue)
        drain(now)
    }

    /// The media router says something, which is told with the next `drain`.
    func say(_ step: RaptorNegotiation, to peer: RaptorPeer) { session.routerSays(step, to: peer, into: &queue) }

    // MARK: Actions

    func drain(_ now: Instant) {
        guard !isDraining else { return }
        isDraining = true
        var next = 0
        while next < queue.count {
            let action = queue[next]
            next += 1
            perform(action, now)
        }
        queue.removeAll(keepingCapacity: true)
        isDraining = false
    }

    private func perform(_ action: OpenTokSession.Action, _ now: Instant) {
        switch action {
        case .tell(let id, let event, let sender):
            members[id]?.change(now) { $0.tell(event, from: sender, into: &$1) }
        case .remove(let id, let reason): members[id]?.change(now) { $0.remove(reason, into: &$1) }
        case .media(let command): media.perform(command, now: now)
        case .notice(let notice): service.notices?.enqueue(notice)
        }
    }

    // MARK: The end

    /// Sends everybody away because the server ends.
    func shutDown(now: Instant) {
        for member in Array(members.values) {
            member.change(now) { $0.remove(.networkDisconnected, into: &$1) }
        }
        closeIfEmpty()
    }

    private func closeIfEmpty() {
        guard members.isEmpty, !isClosed else { return }
        isClosed = true
        media.close()
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
