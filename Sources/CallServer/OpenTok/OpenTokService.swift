import NIOConcurrencyHelpers
import NIOCore
import OpenTokSignalling
import RTCWire

/// The sessions of the OpenTok-style dialect: each is a room, whose name is the session id.
final class OpenTokService: Sendable {
    private struct State {
        var rooms: [String: OpenTokRoom] = [:]
        /// Of the sessions that have a room, or are to have one.
        var projects: [String: String] = [:]

        func sessions(of project: String) -> Int { projects.values.count { $0 == project } }
    }

    /// Where requests of clients are sent to.
    static let serverAddress = "symphony.1"
    /// How long a room waits for the first one to join, in seconds: longer than a client may take.
    private static let emptyTimeout = 20

    let configuration: CallServerConfiguration
    /// API key to secret, of those keys that can be projects.
    let secrets: [String: String]
    let notices: OpenTokNotices?
    let archives: OpenTokArchives
    private let state = NIOLockedValueBox(State())

    init(configuration: CallServerConfiguration, notices: OpenTokNotices? = nil) {
        self.configuration = configuration
        self.notices = notices
        secrets = configuration.keys.filter { (try? OpenTokProject(key: $0.key, secret: $0.value)) != nil }
        archives = OpenTokArchives(configuration.archiver, limit: configuration.limits.archives)
        for key in configuration.keys.keys where secrets[key] == nil {
            configuration.logger.notice("API key is no OpenTok project", metadata: ["key": "\(key)"])
        }
    }

    /// What clients of one session can make it hold.
    private var bounds: OpenTokSession.Bounds {
        var bounds = OpenTokSession.Bounds()
        if configuration.limits.participantsPerRoom > 0 {
            bounds.connections = min(bounds.connections, configuration.limits.participantsPerRoom)
        }
        bounds.streamsPerConnection = max(1, min(bounds.streamsPerConnection, configuration.limits.tracks / 2))
        return bounds
    }

    // MARK: Rooms

    /// Makes the session that a room is, where its name is a session id of one of our projects. On the room's loop.
    func attach(_ room: Room) {
        guard let id = SessionRoomName(room.name)?.id else { return }
        let known = state.withLockedValue { $0.projects[id.text] }
        guard let project = known ?? id.fields.first(where: { secrets[$0] != nil }) else { return }
        let session = OpenTokSession(id, project: project, bounds: bounds)
        let side = room.side { OpenTokRoom($0, session: session, service: self) }
        state.withLockedValue { state in
            state.rooms[id.text] = side
            state.projects[id.text] = project
        }
    }

    /// Takes a socket to its room; closes it where server or project has as many as it takes.
    func enter(_ socket: OpenTokSocket, session: OpenTokSessionID, project: String, in directory: RoomDirectory) {
        guard let room = room(of: session, project: project, in: directory) else { return socket.close(1011) }
        socket.enter(room) { [weak self] in self?.enter(socket, session: session, project: project, in: directory) }
    }

    private func room(of id: OpenTokSessionID, project: String, in directory: RoomDirectory) -> Room? {
        let isNew: Bool? = state.withLockedValue { state in
            guard state.projects[id.text] == nil else { return false }
            guard state.sessions(of: project) < configuration.limits.sessionsPerProject else { return nil }
            state.projects[id.text] = project
            return true
        }
        guard let isNew else { return nil }
        let room = directory.createRoom(named: id.text) {
            $0.emptyTimeout = Self.emptyTimeout
            $0.departureTimeout = 0
        }
        if room == nil, isNew { state.withLockedValue { $0.projects[id.text] = nil } }
        return room
    }

    func existingRoom(_ id: String) -> OpenTokRoom? { state.withLockedValue { $0.rooms[id] } }

    /// Forgets a room that has closed. On the room's loop.
    func remove(_ room: OpenTokRoom) {
        state.withLockedValue { state in
            guard state.rooms[room.id.text] === room else { return }
            state.rooms[room.id.text] = nil
            state.projects[room.id.text] = nil
        }
    }

    // MARK: Commands

    /// Does a command about a session on its loop.
    func perform(
        _ command: RESTCommand, session: String, on eventLoop: any EventLoop
    ) -> EventLoopFuture<RESTResult> {
        guard let room = existingRoom(session) else { return eventLoop.makeSucceededFuture(.refused(.noSuchSession)) }
        return room.eventLoop.submit {
            room.loop.meter.measure(.message, "opentok command") { room.perform(command, now: $0) }
        }.hop(to: eventLoop)
    }
}
