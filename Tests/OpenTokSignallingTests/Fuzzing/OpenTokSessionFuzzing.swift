import OpenTokSignalling

/// What everybody in a session has been told, which must make sense to each.
private struct SessionListeners {
    /// By listener: the connections and streams that it knows.
    private var connections: [String: Set<String>] = [:]
    private var streams: [String: Set<String>] = [:]

    mutating func joins(_ id: String, _ state: RaptorSessionState) {
        connections[id] = Set(state.connections.map(\.id))
        streams[id] = Set(state.streams.map(\.id))
    }

    mutating func hear(_ actions: [OpenTokSession.Action]) {
        for case .tell(let id, let event, _) in actions { hear(event, id) }
    }

    private mutating func hear(_ event: RaptorEvent, _ id: String) {
        switch event {
        case .connectionCreated(let connection):
            precondition(connections[id]?.insert(connection.id).inserted != false)
        case .connectionDeleted(let gone, _):
            precondition(connections[id] == nil || connections[id]?.remove(gone) != nil)
        case .streamCreated(let stream):
            precondition(connections[id]?.contains(stream.connection ?? "") != false)
            precondition(streams[id]?.insert(stream.id).inserted != false)
        case .streamDeleted(let stream, _): precondition(streams[id] == nil || streams[id]?.remove(stream) != nil)
        case .streamUpdated(let stream, _, _), .streamMuted(let stream):
            precondition(streams[id]?.contains(stream) != false)
        default: break
        }
    }
}

extension OpenTokFuzzing {
    private static let roles: [OpenTokRole] = [.publisher, .moderator, .subscriber, .publisherOnly]

    /// Three bytes a step: what, who, about what. Whatever is asked for, everybody hears of each stream's beginning and end
    /// once and in order, and when all have left nothing is held.
    package static func session(_ input: UnsafeRawBufferPointer) {
        guard let first = input.first else { return }
        let id = OpenTokSessionID(
            project: "12345", mediaMode: first % 2 == 0 ? .routed : .relayed, createdAt: 0, random: 1)
        var bounds = OpenTokSession.Bounds()
        bounds.connections = 6
        bounds.streamsPerConnection = 3
        bounds.subscribersPerConnection = 4
        var session = OpenTokSession(id, project: "12345", bounds: bounds)
        var listeners = SessionListeners()
        var rest = input.dropFirst()
        var count = 0
        while rest.count >= 3, count < 600 {
            count += 1
            let (what, who, about) = (rest.removeFirst(), rest.removeFirst(), rest.removeFirst())
            step(&session, &listeners, what, "c\(who % 8)", about)
            precondition(session.connectionIDs.count <= bounds.connections)
        }
        let state = session.state(for: "c0")
        precondition((try? RaptorSessionState(payload: state.payload)) == state)
        var actions: [OpenTokSession.Action] = []
        for id in session.connectionIDs { session.leave(id, .networkDisconnected, at: 0, into: &actions) }
        listeners.hear(actions)
        precondition(session.isEmpty && session.streamIDs.isEmpty && session.state(for: "c0").archives.count <= 256)
    }

    private static func step(
        _ session: inout OpenTokSession, _ listeners: inout SessionListeners, _ what: UInt8, _ who: String,
        _ about: UInt8
    ) {
        var actions: [OpenTokSession.Action] = []
        switch what % 20 {
        case 0, 1:
            let role = roles[Int(about) % roles.count]
            let token = OpenTokToken(project: "12345", sessionID: session.id.text, role: role, created: 0)
            let admission = OpenTokServerConnection.Admission(
                connection: who, token: token, permissions: role.permissions(), join: RaptorJoin())
            let isHidden = about >= 200
            if session.join(admission, isHidden: isHidden, at: 0, into: &actions) == .done {
                listeners.joins(who, session.state(for: who))
            }
        case 2: session.leave(who, .clientDisconnected, at: 0, into: &actions)
        case 3:
            let archive = RaptorArchive(id: "a\(about % 4)", status: .allCases[Int(about / 4) % 7])
            session.archiveChanged(archive, into: &actions)
        case 4: session.routerSays(.answer(sdp: "v"), to: .stream("s\(about % 6)"), into: &actions)
        case 5:
            let change = VideoFallbackChange.disabled(about % 2 == 0)
            session.videoChanged(change, stream: "s\(about % 6)", subscriber: "u\(about / 6 % 4)", into: &actions)
        case 6: _ = session.perform(.forceDisconnect(session: session.id, connection: who), at: 0, into: &actions)
        case 7:
            let mute = ForceMute(isActive: about % 2 == 0, excludedStreams: ["s\(about / 2 % 6)"])
            _ = session.perform(.forceMute(session: session.id, mute), at: 0, into: &actions)
        default: _ = session.handle(request(what, about), from: who, at: 0, into: &actions)
        }
        listeners.hear(actions)
    }

    private static func request(_ what: UInt8, _ about: UInt8) -> RaptorRequest {
        let stream = "s\(about % 6)"
        let subscriber = "u\(about / 6 % 4)"
        let channel = about % 2 == 0 ? "audio1" : "video1"
        let properties = RaptorChannelProperties(isActive: about % 4 < 2)
        let preferences = RaptorSubscriberPreferences(isActive: about % 4 < 2)
        switch what % 20 {
        case 8, 9:
            let channels = [RaptorChannel(id: "audio1", kind: .audio), RaptorChannel(id: "video1", kind: .video)]
            return .publish(RaptorStream(id: stream, channels: channels))
        case 10: return .unpublish(stream: stream)
        case 11: return .updateStream(stream: stream, channel: channel, properties)
        case 12: return .subscribe(stream: stream, RaptorSubscriber(id: subscriber))
        case 13: return .unsubscribe(stream: stream, subscriber: subscriber)
        case 14: return .updateSubscriber(stream: stream, subscriber: subscriber, channel: channel, preferences)
        case 15: return .negotiate(.subscriber(stream: stream, id: subscriber), .answer(sdp: "v"))
        case 16: return .signal(to: about % 2 == 0 ? nil : "c\(about % 8)", id: "\(about)", SignalContent(data: "d"))
        case 17: return .forceDisconnect(connection: "c\(about % 8)")
        case 18: return .muteStream(stream)
        default: return .forceMute(ForceMute(isActive: about % 2 == 0, excludedStreams: [stream]))
        }
    }
}
