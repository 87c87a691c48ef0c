import LiveKitProtocol
import NIOCore
import RTCWire
import RoomModel
import SFUCore

/// The LiveKit side of a room: hands events to the dialect, and performs what that says on the clients' connections.
// Lives on its room's event loop.
final class LiveKitRoom: @unchecked Sendable {
    unowned let room: Room
    var dialect: LiveKitDialect
    /// Where the participants' data packets stand.
    var data = RoomData()
    /// Calls of the room API that await a participant's answer.
    var serverCalls = ServerCalls()
    private var clock = DeadlineTimer()

    init(_ room: Room) {
        self.room = room
        let configuration = room.configuration
        let facts = LiveKitServerFacts(
            limits: configuration.limits, timing: room.timing, iceServers: configuration.media.iceServers,
            isObserved: room.directory.observer != nil)
        let identity = LiveKitRoomIdentity(
            name: room.name, sid: SessionID.room(), createdAt: WallClock.milliseconds)
        dialect = LiveKitDialect(server: facts, identity: identity)
    }

    var sid: String { dialect.identity.sid }
    var view: LiveKitRoomView { LiveKitRoomView(machine: room.machine, settings: room.settings) }
    var info: Livekit_Room { dialect.info(of: view) }

    func participant(_ id: String) -> LiveKitParticipant? { room.members[id] as? LiveKitParticipant }

    /// Those of the room who speak LiveKit, in no order.
    var participants: [LiveKitParticipant] { room.members.values.compactMap { $0 as? LiveKitParticipant } }

    // MARK: Coming

    /// Lets a client in whose signalling connection stands.
    func enter(_ session: LiveKitSession, now: Instant) {
        guard !room.isClosed else { return session.begin() }
        if session.ticket.reconnects { return resume(session, now: now) }
        let earlier = room.machine.roster.participant(identity: session.ticket.identity)
        guard let seat = room.directory.takeSeat(in: room.name, for: session.ticket.newcomer) else {
            return session.refuse(.joinFailure, .disconnect, because: "the room or the server is full")
        }
        guard let participant = LiveKitParticipant(session: session, in: self, seat: seat) else {
            return session.refuse(.joinFailure, .disconnect, because: "the media port has too many peers")
        }
        let record = RoomParticipant(session.ticket, id: participant.id, joinedAt: WallClock.milliseconds)
        // Only one who can come takes the earlier self's place.
        guard room.admits(record, replacing: earlier?.id) else {
            session.refuse(.joinFailure, .disconnect, because: "the room is full: there is too much to say of it")
            return participant.close()
        }
        if let earlier { room.remove(earlier.id, .replaced, now: now) }
        dialect.note(session.ticket, of: participant.id)
        participant.logger.info("participant joins")
        room.enter(participant, as: record, now: now)
        participant.begin(now: now)
    }

    /// A client that was here wants to go on. One that is not known any more is told to join anew, which it does by itself.
    private func resume(_ session: LiveKitSession, now: Instant) {
        let known = room.machine.roster.participant(identity: session.ticket.identity).flatMap { participant($0.id) }
        if let known, known.canResume(session.ticket) { return known.resume(session, now: now) }
        session.refuseResume()
    }

    // MARK: Actions

    func perform(_ actions: [LiveKitAction]) {
        for action in actions {
            switch action {
            case .send(let message, let id): participant(id)?.send(message)
            case .broadcast(let message, let ids): broadcast(message, to: ids)
            case .observe(let info, let observation): room.directory.observer?.room(info, did: observation)
            }
        }
    }

    /// Written once: there may be much of it, and many who get it.
    private func broadcast(_ message: Livekit_SignalResponse, to ids: [String]) {
        guard !ids.isEmpty else { return }
        let binary = message.wireBytes
        for id in ids { participant(id)?.send(message, binary: binary) }
    }

    /// Changes what newcomers are told, and notes how much that is.
    func describe<Result>(_ change: (inout LiveKitDialect) -> Result) -> Result {
        let before = dialect.description.bytes
        let result = change(&dialect)
        let bytes = dialect.description.bytes
        if bytes != before { room.directory.note(description: bytes, of: room) }
        return result
    }

    /// Tells everybody what the room is like.
    func tellRoom() {
        var actions: [LiveKitAction] = []
        dialect.tellRoom(view, into: &actions)
        perform(actions)
    }

    private func schedule(_ now: Instant) {
        guard !room.isClosed else { return }
        clock.set(dialect.nextDeadline, on: room.eventLoop, now: now) { [weak self] in
            guard let self else { return }
            clock.fired()
            room.timed("room updates") { _, now in self.advance(now) }
        }
    }

    private func advance(_ now: Instant) {
        var actions: [LiveKitAction] = []
        dialect.advance(to: now, in: view, into: &actions)
        perform(actions)
        schedule(now)
    }
}

extension Room {
    /// What LiveKit's clients and the room API know of it.
    var liveKit: LiveKitRoom { side { LiveKitRoom($0) } }
}

extension LiveKitRoom: RoomListener {
    func opened(_ room: Room) {
        if !describe({ $0.describes(metadata: room.settings.metadata) }) { room.settings.metadata = "" }
        room.logger.info("room opened", metadata: ["sid": "\(sid)"])
        perform([.observe(info, .started)])
    }

    func room(_ room: Room, did event: RoomEvent, now: Instant) {
        if case .left(let gone, _, _) = event {
            serverCalls.end(of: gone.id)
            data.remove(gone.id)
        }
        var actions: [LiveKitAction] = []
        let view = view
        describe { $0.translate(event, in: view, now: now, into: &actions) }
        perform(actions)
        schedule(now)
    }

    func room(_ room: Room, admits record: RoomParticipant, replacing earlier: String?) -> Bool {
        describe { $0.describes(record, replacing: earlier) }
    }

    func room(_ room: Room, forgets participant: String) { describe { $0.forget(participant) } }

    func closed(_ room: Room, because reason: RoomEndReason) {
        clock.cancel()
        room.logger.info("room closed", metadata: ["sid": "\(sid)"])
        perform([.observe(info, .finished(Livekit_RoomEndReason(reason)))])
    }
}

extension RoomParticipant {
    /// What the token and the join request say.
    init(_ ticket: LiveKitTicket, id: String, joinedAt: Int64) {
        var permissions = Permissions()
        permissions.canPublish = ticket.grant.mayPublish
        permissions.canSubscribe = ticket.grant.maySubscribe
        permissions.canPublishData = ticket.grant.mayPublishData
        permissions.canUpdateMetadata = ticket.grant.canUpdateOwnMetadata ?? false
        permissions.isHidden = ticket.grant.hidden ?? false
        permissions.isRecorder = ticket.grant.recorder ?? false
        permissions.isAgent = ticket.grant.agent ?? false
        permissions.canSubscribeMetrics = ticket.grant.canSubscribeMetrics ?? false
        permissions.canManageAgentSession = ticket.grant.canManageAgentSession ?? false
        permissions.sources = Set((ticket.grant.canPublishSources ?? []).compactMap(TrackSource.init(grantName:)))
        self.init(
            id: id, identity: ticket.identity, name: ticket.claims.name ?? "", metadata: ticket.metadata,
            attributes: ticket.attributes, permissions: permissions, joinedAt: joinedAt,
            subscribesToAll: ticket.autoSubscribe)
    }
}
