import LiveKitProtocol
import OpenTokSignalling
import RTCWire
import RoomModel

@testable import CallServer

/// One room and both dialects, in virtual time and without sockets: what happens is said in the words of each.
struct CrossRoom {
    static let time: Int64 = 1_800_000_000_000

    private(set) var machine = RoomMachine()
    private(set) var liveKit: LiveKitDialect
    private(set) var openTok: OpenTokDialect
    private let settings: RoomSettings
    private var now = Instant.zero
    /// By LiveKit client.
    private var messages: [String: [Livekit_SignalResponse]] = [:]
    /// By connection.
    private var events: [String: [RaptorEvent]] = [:]
    private(set) var observed: [RoomObservation] = []
    private(set) var notices: [SessionNotice] = []

    init(bounds: OpenTokSession.Bounds = .init()) {
        let configuration = CallServerConfiguration(keys: ["key": "secret"])
        settings = RoomSettings(configuration)
        liveKit = LiveKitDialect(
            server: LiveKitServerFacts(
                limits: configuration.limits, timing: RoomTiming(), iceServers: [], isObserved: true),
            identity: LiveKitRoomIdentity(name: "2_x", sid: "RM_1", createdAt: 0))
        let id = OpenTokSessionID(project: "key", mediaMode: .routed, createdAt: 0, random: 1)
        openTok = OpenTokDialect(session: OpenTokSession(id, project: "key", bounds: bounds), longestName: 256)
    }

    // MARK: What happens

    mutating func perform(_ command: RoomCommand) {
        var events: [RoomEvent] = []
        machine.handle(command, now: now, into: &events)
        for event in events { spread(event) }
    }

    private mutating func spread(_ event: RoomEvent) {
        var actions: [LiveKitAction] = []
        let view = LiveKitRoomView(machine: machine, settings: settings)
        liveKit.translate(event, in: view, now: now, into: &actions)
        for action in actions {
            switch action {
            case .send(let message, let id): messages[id, default: []].append(message)
            case .broadcast(let message, let ids): for id in ids { messages[id, default: []].append(message) }
            case .observe(_, let observation): observed.append(observation)
            }
        }
        change { $0.translate(event, at: Self.time, into: &$1) }
    }

    private mutating func change<Result>(
        _ body: (inout OpenTokDialect, inout OpenTokDialect.Actions) -> Result
    ) -> Result {
        var actions: OpenTokDialect.Actions = []
        let result = body(&openTok, &actions)
        for action in actions { perform(action) }
        return result
    }

    private mutating func perform(_ action: OpenTokSession.Action) {
        switch action {
        case .tell(let id, let event, _): events[id, default: []].append(event)
        case .remove(let id, let reason):
            if machine.participant(id) != nil { perform(.leave(id, DepartureReason(reason))) }
        case .media(.orderMute(let stream)): perform(.orderMute(stream, true))
        case .media(.setChannel(let stream, let kind, let isActive)):
            guard let track = openTok.track(.init(stream: stream, kind: kind == .video ? .video : .audio)) else {
                return
            }
            perform(.mute(track, !isActive))
        case .media(.endStream(let stream)):
            if openTok.isForeign(stream) { return perform(.unpublish(stream, .removed)) }
            for track in openTok.tracks(of: stream, in: machine) { perform(.unpublish(track.id, .ended)) }
        case .media: break
        case .notice(let notice): notices.append(notice)
        }
    }

    // MARK: Clients

    mutating func joinLiveKit(
        _ identity: String, _ change: (inout RoomParticipant) -> Void = { _ in }
    ) {
        let ticket = DialectFixture.ticket(identity)
        var record = RoomParticipant(ticket, id: "PA_\(identity)", joinedAt: Self.time)
        change(&record)
        liveKit.note(ticket, of: record.id)
        perform(.join(record))
        perform(.activate(record.id))
    }

    @discardableResult
    mutating func joinOpenTok(
        _ connection: String, _ role: OpenTokRole = .publisher, data: String = "", isRecorder: Bool = false
    ) -> OpenTokServerConnection.Answer {
        let token = OpenTokToken(
            project: "key", sessionID: openTok.session.id.text, role: role, created: 0, connectionData: data)
        let admission = OpenTokServerConnection.Admission(
            connection: connection, token: token, permissions: role.permissions(), join: RaptorJoin())
        let record = openTok.record(
            of: admission, id: "PA_of_\(connection)", isRecorder: isRecorder, at: Self.time, in: machine)
        let answer = change { $0.session.join(admission, isHidden: isRecorder, at: Self.time, into: &$1) }
        guard answer == .done else { return answer }
        change { dialect, _ in dialect.note(connection, of: record.id) }
        perform(.join(record))
        perform(.activate(record.id))
        return answer
    }

    @discardableResult
    mutating func ask(_ connection: String, _ request: RaptorRequest) -> OpenTokServerConnection.Answer {
        change { $0.session.handle(request, from: connection, at: Self.time, into: &$1) }
    }

    @discardableResult
    mutating func command(_ command: (OpenTokSessionID) -> RESTCommand) -> RESTResult {
        let id = openTok.session.id
        return change { $0.session.perform(command(id), at: Self.time, into: &$1) }
    }

    /// The stream's media has come, as the negotiation would say; the tracks' ids are the stream's with a letter.
    mutating func publish(_ stream: RaptorStream, by connection: String) {
        ask(connection, .publish(stream))
        for channel in stream.channels {
            let kind = channel.kind == .video ? "v" : "a"
            let track = change { dialect, _ in
                dialect.publish(
                    .init(stream: stream.id, kind: channel.kind == .video ? .video : .audio), codec: "VP8",
                    layerCount: 3
                ) { _ in "TR_\(stream.id)_\(kind)" }
            }
            if let track { perform(.publish(track, by: "PA_of_\(connection)")) }
        }
    }

    mutating func say(_ request: Livekit_SignalRequest, from identity: String) {
        var actions: [LiveKitRequestAction] = []
        liveKit.handle(request, from: "PA_\(identity)", in: machine, wallClock: Self.time, into: &actions)
        for case .command(let command) in actions { perform(command) }
    }

    // MARK: What is heard

    /// What a LiveKit client was told, which is forgotten then.
    mutating func hears(_ identity: String) -> [Livekit_SignalResponse] {
        messages.removeValue(forKey: "PA_\(identity)") ?? []
    }

    mutating func hearsOpenTok(_ connection: String) -> [RaptorEvent] { events.removeValue(forKey: connection) ?? [] }

    mutating func forget() {
        messages = [:]
        events = [:]
        observed = []
        notices = []
    }
}
