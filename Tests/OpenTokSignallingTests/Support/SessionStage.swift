@testable import OpenTokSignalling

/// A session and what its members hear, without connections between.
struct SessionStage {
    static let time: Int64 = 1_800_000_000_000

    var session: OpenTokSession
    /// What each has heard, in order.
    private(set) var heard: [String: [RaptorEvent]] = [:]
    /// Who the latest event of each was from.
    private(set) var senders: [String: String?] = [:]
    private(set) var removed: [String] = []
    private(set) var commands: [OpenTokSession.MediaCommand] = []
    private(set) var notices: [SessionNotice] = []

    init(_ mode: MediaMode = .routed, bounds: OpenTokSession.Bounds = .init(), iceServers: [RaptorICEServer] = []) {
        let id = OpenTokSessionID(project: "12345", mediaMode: mode, createdAt: 0, random: 1)
        session = OpenTokSession(id, project: "12345", bounds: bounds, iceServers: iceServers)
    }

    @discardableResult
    mutating func join(
        _ id: String, _ role: OpenTokRole = .publisher, data: String = "", classes: [String] = [],
        isHidden: Bool = false
    ) -> OpenTokServerConnection.Answer {
        let token = OpenTokToken(
            project: "12345", sessionID: session.id.text, role: role, created: Self.time / 1000, connectionData: data,
            layoutClasses: classes)
        let admission = OpenTokServerConnection.Admission(
            connection: id, token: token, permissions: role.permissions(), join: RaptorJoin())
        return change { $0.join(admission, isHidden: isHidden, at: Self.time, into: &$1) }
    }

    @discardableResult
    mutating func ask(_ id: String, _ request: RaptorRequest) -> OpenTokServerConnection.Answer {
        change { $0.handle(request, from: id, at: Self.time, into: &$1) }
    }

    @discardableResult
    mutating func command(_ make: (OpenTokSessionID) -> RESTCommand) -> RESTResult {
        let command = make(session.id)
        return change { $0.perform(command, at: Self.time, into: &$1) }
    }

    mutating func leave(_ id: String, _ reason: RaptorReason = .clientDisconnected) {
        change { $0.leave(id, reason, at: Self.time, into: &$1) }
    }

    @discardableResult
    mutating func change<Result>(
        _ body: (inout OpenTokSession, inout [OpenTokSession.Action]) -> Result
    ) -> Result {
        var actions: [OpenTokSession.Action] = []
        let result = body(&session, &actions)
        for action in actions {
            switch action {
            case .tell(let id, let event, let sender):
                heard[id, default: []].append(event)
                senders[id] = .some(sender)
            case .remove(let id, _): removed.append(id)
            case .media(let command): commands.append(command)
            case .notice(let notice): notices.append(notice)
            }
        }
        return result
    }

    /// Takes out what somebody has heard.
    mutating func take(_ id: String) -> [RaptorEvent] { heard.removeValue(forKey: id) ?? [] }

    mutating func takeCommands() -> [OpenTokSession.MediaCommand] {
        defer { commands = [] }
        return commands
    }

    mutating func forget() {
        heard = [:]
        commands = []
        notices = []
    }

    /// A stream with one channel of each kind.
    static func stream(_ id: String, width: Int? = nil, height: Int? = nil) -> RaptorStream {
        RaptorStream(
            id: id, name: "camera of \(id)",
            channels: [
                RaptorChannel(id: "audio1", kind: .audio, .init(isActive: true)),
                RaptorChannel(id: "video1", kind: .video, .init(isActive: true, width: width, height: height)),
            ])
    }

    @discardableResult
    mutating func publish(_ stream: String, by id: String) -> OpenTokServerConnection.Answer {
        ask(id, .publish(Self.stream(stream)))
    }

    @discardableResult
    mutating func subscribe(_ id: String, to stream: String, as subscriber: String) -> OpenTokServerConnection.Answer {
        ask(id, .subscribe(stream: stream, RaptorSubscriber(id: subscriber)))
    }
}

extension [RaptorEvent] {
    /// In short: `+c a` for a connection that has come, `-s x forceUnpublished` for a stream that has gone.
    var summary: [String] {
        map { event in
            switch event {
            case .connectionCreated(let connection): "+c \(connection.id)"
            case .connectionDeleted(let id, let reason): "-c \(id) \(reason)"
            case .streamCreated(let stream): "+s \(stream.id)"
            case .streamUpdated(let stream, let channel, let properties):
                "~s \(stream) \(channel) \(properties.isActive.map(String.init) ?? "-")"
            case .streamDeleted(let id, let reason): "-s \(id) \(reason)"
            case .subscriberCreated(_, let subscriber): "+u \(subscriber.id)"
            case .subscriberUpdated(let stream, let subscriber, let channel, let preferences):
                "~u \(stream) \(subscriber) \(channel) \(preferences.isActive.map(String.init) ?? "-")"
            case .subscriberDeleted(let stream, let subscriber): "-u \(stream) \(subscriber)"
            case .negotiate(let peer, let step): "\(step.method) \(peer.resource.path.joined(separator: "/"))"
            case .signal(_, let content): "signal \(content.type ?? "") \(content.data ?? "")"
            case .archiveCreated(let archive): "+a \(archive.id)"
            case .archiveUpdated(let archive): "~a \(archive.id) \(archive.status)"
            case .streamMuted(let id): "mute \(id)"
            case .muteForced(let mute): "muteForced \(mute.isActive)"
            }
        }
    }
}
