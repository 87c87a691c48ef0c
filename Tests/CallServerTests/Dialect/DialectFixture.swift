import LiveKitProtocol
import RTCWire
import RoomModel

@testable import CallServer

/// A room and what LiveKit's words say of it, in virtual time and without sockets.
struct DialectFixture {
    /// What somebody was told.
    struct Heard {
        var listener: String
        var message: Livekit_SignalResponse
    }

    private(set) var machine = RoomMachine()
    var dialect: LiveKitDialect
    var settings: RoomSettings
    var now = Instant.zero
    /// Since it was last emptied.
    var heard: [Heard] = []
    private(set) var observed: [RoomObservation] = []
    /// What a client's messages ask of the shell.
    private(set) var asked: [LiveKitRequestAction] = []

    init(room: LiveKitRoomIdentity = LiveKitRoomIdentity(name: "r", sid: "RM_1", createdAt: 7_000)) {
        let configuration = CallServerConfiguration(keys: ["key": "secret"])
        settings = RoomSettings(configuration)
        dialect = LiveKitDialect(
            server: LiveKitServerFacts(
                limits: configuration.limits, timing: RoomTiming(), iceServers: [], isObserved: true),
            identity: room)
    }

    /// With these in it, active, and nothing heard.
    init(_ names: String...) {
        self.init()
        for name in names {
            enter(id: "PA_\(name)", Self.ticket(name))
            perform(.activate("PA_\(name)"))
        }
        advance(by: .seconds(60))
        heard = []
        observed = []
    }

    static func ticket(_ identity: String, protocol number: Int32 = 17) -> LiveKitTicket {
        var claims = TokenClaims(issuer: "key", subject: identity)
        claims.video = .join(room: "r")
        claims.video?.canUpdateOwnMetadata = true
        var ticket = LiveKitTicket(claims: claims, room: "r", isSingleConnection: true)
        ticket.client.protocol = number
        return ticket
    }

    // MARK: What happens

    mutating func enter(id: String, _ ticket: LiveKitTicket, joinedAt: Int64 = 8_000) {
        dialect.note(ticket, of: id)
        perform(.join(RoomParticipant(ticket, id: id, joinedAt: joinedAt)))
    }

    mutating func perform(_ command: RoomCommand) {
        var events: [RoomEvent] = []
        machine.handle(command, now: now, into: &events)
        for event in events { tell(event) }
    }

    mutating func tell(_ event: RoomEvent) {
        var actions: [LiveKitAction] = []
        dialect.translate(event, in: view, now: now, into: &actions)
        take(actions)
    }

    mutating func advance(by time: Interval) {
        now = now + time
        var actions: [LiveKitAction] = []
        dialect.advance(to: now, in: view, into: &actions)
        take(actions)
    }

    /// A client's message; its commands are carried out.
    mutating func say(_ request: Livekit_SignalRequest, from id: String, wallClock: Int64 = 9_000) {
        var actions: [LiveKitRequestAction] = []
        dialect.handle(request, from: id, in: machine, wallClock: wallClock, into: &actions)
        for action in actions {
            switch action {
            case .send(let message): heard.append(Heard(listener: id, message: message))
            case .command(let command): perform(command)
            default: asked.append(action)
            }
        }
    }

    /// Has somebody's announced track be sent, as the negotiation would.
    mutating func publish(_ sid: String, by id: String, _ change: (inout Livekit_TrackInfo) -> Void = { _ in }) {
        guard var track = dialect.tracks.announced(by: id).first(where: { $0.sid == sid }) else { return }
        change(&track.info)
        dialect.tracks.publish(track)
        perform(.publish(track.published(codec: track.kind == .video ? "VP8" : "opus"), by: id))
    }

    private var view: LiveKitRoomView { LiveKitRoomView(machine: machine, settings: settings) }

    private mutating func take(_ actions: [LiveKitAction]) {
        for action in actions {
            switch action {
            case .send(let message, let id): heard.append(Heard(listener: id, message: message))
            case .broadcast(let message, let ids):
                for id in ids { heard.append(Heard(listener: id, message: message)) }
            case .observe(_, let observation): observed.append(observation)
            }
        }
    }

    // MARK: What is heard

    /// What one was told, in order; it is forgotten then.
    mutating func drain(_ id: String) -> [Livekit_SignalResponse] {
        defer { heard.removeAll { $0.listener == id } }
        return heard.filter { $0.listener == id }.map(\.message)
    }
}

extension [Livekit_SignalResponse] {
    var updates: [[Livekit_ParticipantInfo]] {
        compactMap { if case .update(let update) = $0.message { update.participants } else { nil } }
    }
}
