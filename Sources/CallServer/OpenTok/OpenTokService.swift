import NIOConcurrencyHelpers
import NIOCore
import OpenTokSignalling
import RTCWire
import SFUCore

/// The sessions of the OpenTok-style dialect: finds or makes the room of each, and keeps the counts that the server's limits
/// are about.
final class OpenTokService: Sendable {
    private struct State {
        var rooms: [String: OpenTokRoom] = [:]
        var roomsOfProject: [String: Int] = [:]
        var nextLoop = 0
        var seats = 0
        /// What sessions have forwarded that are gone.
        var forwarded = ForwardingStatistics()
    }

    /// Where requests of clients are sent to.
    static let serverAddress = "symphony.1"

    let configuration: CallServerConfiguration
    /// API key to secret, of those keys that can be projects.
    let secrets: [String: String]
    let notices: OpenTokNotices?
    let archives: OpenTokArchives
    private let loops: [ServerLoop]
    private let state = NIOLockedValueBox(State())

    init(
        configuration: CallServerConfiguration, loops: [ServerLoop], notices: OpenTokNotices? = nil
    ) {
        self.configuration = configuration
        self.loops = loops
        self.notices = notices
        secrets = configuration.keys.filter { (try? OpenTokProject(key: $0.key, secret: $0.value)) != nil }
        archives = OpenTokArchives(configuration.archiver, limit: configuration.limits.archives)
        for key in configuration.keys.keys where secrets[key] == nil {
            configuration.logger.notice("API key is no OpenTok project", metadata: ["key": "\(key)"])
        }
    }

    /// What clients of one session can make it hold.
    var bounds: OpenTokSession.Bounds {
        var bounds = OpenTokSession.Bounds()
        if configuration.limits.participantsPerRoom > 0 {
            bounds.connections = min(bounds.connections, configuration.limits.participantsPerRoom)
        }
        bounds.streamsPerConnection = max(1, min(bounds.streamsPerConnection, configuration.limits.tracks / 2))
        return bounds
    }

    // MARK: Rooms

    /// The room of a session, made on the next loop in turn where there is none; nil where server or project has as many as it
    /// takes.
    func room(for id: OpenTokSessionID, project: String) -> OpenTokRoom? {
        state.withLockedValue { state in
            if let room = state.rooms[id.text] { return room }
            let limits = configuration.limits
            let ofProject = state.roomsOfProject[project] ?? 0
            guard state.rooms.count < limits.rooms, ofProject < limits.sessionsPerProject else { return nil }
            let room = OpenTokRoom(id, project: project, loop: loops[state.nextLoop % loops.count], service: self)
            state.nextLoop += 1
            state.rooms[id.text] = room
            state.roomsOfProject[project] = ofProject + 1
            return room
        }
    }

    func existingRoom(_ id: String) -> OpenTokRoom? { state.withLockedValue { $0.rooms[id] } }

    /// Takes a socket to its room; closes it where there is none to be had.
    func enter(_ socket: OpenTokSocket, session: OpenTokSessionID, project: String) {
        guard let room = room(for: session, project: project) else { return socket.close(1011) }
        socket.enter(room)
    }

    /// Forgets a room that has closed. On the room's loop.
    func remove(_ room: OpenTokRoom) {
        let counted = room.media.statistics
        state.withLockedValue { state in
            guard state.rooms[room.id.text] === room else { return }
            state.forwarded += counted
            state.rooms[room.id.text] = nil
            let left = (state.roomsOfProject[room.project] ?? 1) - 1
            state.roomsOfProject[room.project] = left > 0 ? left : nil
        }
    }

    // MARK: Clients

    func takeSeat() -> Bool {
        state.withLockedValue { state in
            guard state.seats < configuration.limits.participants else { return false }
            state.seats += 1
            return true
        }
    }

    func giveSeatBack() { state.withLockedValue { $0.seats -= 1 } }

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

    // MARK: The whole

    private var rooms: [OpenTokRoom] { state.withLockedValue { Array($0.rooms.values) } }

    /// Sends everybody away.
    func close() async {
        for room in rooms {
            _ = try? await room.eventLoop.submit {
                room.loop.meter.measure(.timer, "opentok end") { room.shutDown(now: $0) }
            }.get()
        }
    }

    /// What the dialect's sessions add to the server's counters.
    func statistics() async -> CallServerStatistics {
        var result = CallServerStatistics()
        var forwarded = state.withLockedValue { $0.forwarded }
        for room in rooms {
            guard
                let counted = try? await room.eventLoop.submit({ (room.media.statistics, room.participantCount) }).get()
            else { continue }
            forwarded += counted.0
            result.rooms += 1
            result.participants += counted.1
        }
        result.packetsReceived = forwarded.packetsReceived
        result.packetsForwarded = forwarded.packetsForwarded
        result.packetsDropped = forwarded.dropped
        result.retransmissions = forwarded.retransmissions
        result.retransmissionMisses = forwarded.retransmissionMisses
        result.retransmissionsRefused = forwarded.retransmissionsRefused
        result.keyFrameRequests = forwarded.keyFrameRequests
        return result
    }
}
