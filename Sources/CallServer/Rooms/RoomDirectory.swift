import NIOConcurrencyHelpers
import NIOCore
import RTCWire

/// Finds or makes the room of a name, and keeps the counts that the server's limits are about. The one thing that all
/// event loops share.
final class RoomDirectory: Sendable {
    private struct State {
        var rooms: [String: Room] = [:]
        var nextLoop = 0
        var participants = 0
        var pending = 0
        /// By room, then by identity: one that joins again has two seats for a moment.
        var seated: [String: [String: Int]] = [:]
        /// Of rooms that have a bound of their own.
        var seats: [String: Int] = [:]

        /// The server takes somebody for that room, whether or not the room itself does.
        func takes(_ room: String, _ limits: CallServerConfiguration.Limits) -> Bool {
            participants < limits.participants && pending < min(limits.pendingParticipants, limits.halfOpenPeers / 2)
                && (rooms[room] != nil || rooms.count < limits.rooms)
        }

        /// Bytes of what a newcomer is told of each room.
        var described: [String: Int] = [:]
        /// Joins of each participant, by room and identity.
        var joins = TokenBuckets<String>(rate: 1, burst: 30)

        func admission(
            _ room: String, _ newcomer: RoomNewcomer, _ limits: CallServerConfiguration.Limits
        ) -> Admission {
            guard takes(room, limits) else { return .serverIsFull }
            let bound = limits.participantsPerRoom > 0 ? limits.participantsPerRoom : .max
            guard (seated[room]?.count ?? 0) < min(bound, seats[room] ?? .max),
                (described[room] ?? 0) + newcomer.description <= limits.roomDescription
            else { return .roomIsFull }
            guard let main = newcomer.mainIdentity else { return .free }
            let others = seated[room]?.keys.count { $0.hasPrefix(main + "#") } ?? 0
            return others < limits.publishConnections ? .free : .tooManyConnections
        }

        func isSeated(_ identity: String, in room: String) -> Bool { seated[room]?[identity] != nil }
    }

    /// Whether there is room for somebody.
    enum Admission: Sendable {
        case free
        case serverIsFull
        case roomIsFull
        /// The participant has as many connections that only publish as it may have.
        case tooManyConnections
    }

    /// What one participant takes of the server's limits; given back once.
    final class Seat: Sendable {
        private enum Stage: Int { case pending, active, givenBack }

        private let directory: RoomDirectory
        private let room: String
        private let identity: String
        private let stage = NIOLockedValueBox(Stage.pending)

        fileprivate init(directory: RoomDirectory, room: String, identity: String) {
            self.directory = directory
            self.room = room
            self.identity = identity
        }

        deinit { giveBack() }

        /// The participant's connection stands.
        func activate() { advance(to: .active) }
        func giveBack() { advance(to: .givenBack) }

        private func advance(to next: Stage) {
            let previous = stage.withLockedValue { stage in
                defer { if next.rawValue > stage.rawValue { stage = next } }
                return stage
            }
            guard next.rawValue > previous.rawValue else { return }
            directory.release(room, identity, pending: previous == .pending, participant: next == .givenBack)
        }
    }

    let configuration: CallServerConfiguration
    let timing: RoomTiming
    private let loops: [ServerLoop]
    private let state = NIOLockedValueBox(State())
    /// Called with the name of a room that somebody comes to, and who it is.
    let entered = NIOLockedValueBox<(@Sendable (_ identity: String, _ room: String) -> Void)?>(nil)
    /// Called with the name of a room that its last participant has left.
    let emptied = NIOLockedValueBox<(@Sendable (String) -> Void)?>(nil)
    /// Is told what happens in the rooms.
    let observer: (any RoomObserver)?
    /// Each makes its side of a room that opens.
    let dialects: [@Sendable (Room) -> Void]

    init(
        configuration: CallServerConfiguration, timing: RoomTiming, loops: [ServerLoop],
        observer: (any RoomObserver)? = nil, dialects: [@Sendable (Room) -> Void] = []
    ) {
        self.observer = observer
        self.dialects = dialects
        self.configuration = configuration
        self.timing = timing
        self.loops = loops
    }

    /// Whether there is room for somebody; one who is there already takes the place of the earlier self.
    func admission(of newcomer: RoomNewcomer, to room: String) -> Admission {
        state.withLockedValue { state in
            state.isSeated(newcomer.identity, in: room)
                ? .free : state.admission(room, newcomer, configuration.limits)
        }
    }

    /// Whether somebody may join now; who joins over and over has to wait.
    func mayJoinAgain(_ room: String, _ identity: String, now: Instant) -> Bool {
        state.withLockedValue { $0.joins.take("\(room.utf8.count) \(room) \(identity)", now: now) }
    }

    /// A seat in a room, or nil where there is none; one who is there already takes the place of the earlier self.
    func takeSeat(in room: String, for newcomer: RoomNewcomer) -> Seat? {
        let isFree = state.withLockedValue { state in
            if !state.isSeated(newcomer.identity, in: room) {
                guard case .free = state.admission(room, newcomer, configuration.limits) else { return false }
            }
            state.participants += 1
            state.pending += 1
            state.seated[room, default: [:]][newcomer.identity, default: 0] += 1
            return true
        }
        guard isFree else { return nil }
        entered.withLockedValue { $0 }?(newcomer.identity, room)
        return Seat(directory: self, room: room, identity: newcomer.identity)
    }

    /// A room has come to be described by so many bytes.
    func note(description bytes: Int, of room: Room) {
        state.withLockedValue { state in
            if state.rooms[room.name] === room { state.described[room.name] = bytes > 0 ? bytes : nil }
        }
    }

    private func release(_ room: String, _ identity: String, pending: Bool, participant: Bool) {
        let isEmpty = state.withLockedValue { state in
            if pending { state.pending -= 1 }
            guard participant else { return false }
            state.participants -= 1
            let left = (state.seated[room]?[identity] ?? 1) - 1
            state.seated[room]?[identity] = left > 0 ? left : nil
            guard state.seated[room]?.isEmpty == true else { return false }
            state.seated[room] = nil
            return true
        }
        if isEmpty { emptied.withLockedValue { $0 }?(room) }
    }

    /// How many take part in the room of that name.
    func participants(in room: String) -> Int { state.withLockedValue { $0.seated[room]?.count ?? 0 } }

    /// The room of that name, made on the next loop in turn where there is none.
    ///
    /// - Parameter adjust: what is asked of the room where it is made.
    func room(named name: String, _ adjust: (inout RoomSettings) -> Void = { _ in }) -> Room {
        state.withLockedValue { state in
            if let room = state.rooms[name] { return room }
            return make(name, adjust, &state)
        }
    }

    /// The same; nil where the server has as many as it takes.
    func createRoom(named name: String, _ adjust: (inout RoomSettings) -> Void) -> Room? {
        state.withLockedValue { state in
            if let room = state.rooms[name] { return room }
            return state.rooms.count < configuration.limits.rooms ? make(name, adjust, &state) : nil
        }
    }

    /// The room of that name, if there is one.
    func existingRoom(named name: String) -> Room? { state.withLockedValue { $0.rooms[name] } }

    /// All rooms, in no order.
    var rooms: [Room] { state.withLockedValue { Array($0.rooms.values) } }

    /// Bounds the participants of a room; 0 leaves it to the server's own bound.
    func setSeats(_ count: Int, in room: Room) {
        state.withLockedValue { state in
            if state.rooms[room.name] === room { state.seats[room.name] = count > 0 ? count : nil }
        }
    }

    private func make(_ name: String, _ adjust: (inout RoomSettings) -> Void, _ state: inout State) -> Room {
        var settings = RoomSettings(configuration)
        adjust(&settings)
        let loop = loops[state.nextLoop % loops.count]
        state.nextLoop += 1
        let room = Room(name: name, loop: loop, directory: self, settings: settings)
        state.rooms[name] = room
        state.seats[name] = settings.maxParticipants > 0 ? settings.maxParticipants : nil
        // Before anything that those who find the room may ask of it.
        loop.eventLoop.execute { room.open() }
        return room
    }

    /// Forgets a room that has closed, unless another one has its name by now.
    func remove(_ room: Room) {
        state.withLockedValue { state in
            guard state.rooms[room.name] === room else { return }
            state.rooms[room.name] = nil
            state.seats[room.name] = nil
            state.described[room.name] = nil
        }
    }
}
