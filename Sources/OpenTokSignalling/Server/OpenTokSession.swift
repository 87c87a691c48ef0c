/// One session as a value: who is connected, what they publish and subscribe to, and what each of them is told. Requests of
/// clients, commands of the REST API and what media do go in; events, commands to the media and notices come out.
///
/// It has no socket, reads no clock and knows no packet. A server drives it with one `OpenTokServerConnection` a client.
package struct OpenTokSession: Sendable {
    /// What clients can make it hold.
    package struct Bounds: Hashable, Sendable {
        package var connections = 1_000
        package var streamsPerConnection = 16
        package var subscribersPerConnection = 200
        /// Bytes of what a newcomer is told of the session, which is one frame.
        package var description = 200 * 1024

        package init() {}
    }

    /// What the shell does.
    package enum Action: Hashable, Sendable {
        /// - Parameter from: the connection that it comes from; nil for the server itself.
        case tell(String, RaptorEvent, from: String?)
        /// Sends a client away that is no longer in the session.
        case remove(connection: String, RaptorReason)
        /// Of routed sessions alone.
        case media(MediaCommand)
        case notice(SessionNotice)
    }

    /// What the media router is to do.
    package enum MediaCommand: Hashable, Sendable {
        /// The publisher has been asked for an offer.
        case publish(stream: String)
        case endStream(String)
        case setChannel(stream: String, RaptorChannel.Kind, isActive: Bool)
        case subscribe(stream: String, subscriber: String)
        case unsubscribe(stream: String, subscriber: String)
        case prefer(stream: String, subscriber: String, RaptorChannel.Kind, RaptorSubscriberPreferences)
        /// What a client says to the router.
        case negotiate(RaptorPeer, RaptorNegotiation)
        /// The sound of a stream of another dialect is to end.
        case orderMute(stream: String)
        /// A signal is for those who speak another dialect: one of them, or all.
        case pass(SignalContent, to: String?, from: String?)
    }

    package let id: OpenTokSessionID
    package let project: String
    let bounds: Bounds
    let iceServers: [RaptorICEServer]
    var members = KeyedList<Member>()
    var streams = KeyedList<LiveStream>()
    /// While force mute is active.
    package internal(set) var forceMute: ForceMute?
    /// Those that are under way.
    var archives = KeyedList<RaptorArchive>()
    /// Bytes of what a newcomer is told of connections and streams.
    var description = 0
    var serverSignals = 0

    package init(
        _ id: OpenTokSessionID, project: String, bounds: Bounds = Bounds(), iceServers: [RaptorICEServer] = []
    ) {
        self.id = id
        self.project = project
        self.bounds = bounds
        self.iceServers = iceServers
    }

    var isRouted: Bool { id.mediaMode == .routed }
    /// Nobody is there but perhaps a recorder.
    package var isEmpty: Bool { members.all.allSatisfy(\.isHidden) }
    package var connectionIDs: [String] { members.ids }
    package var streamIDs: [String] { streams.ids }

    /// A stream as it is now.
    package func stream(_ id: String) -> RaptorStream? { streams[id]?.stream }

    /// The session as somebody finds it who is in it.
    package func state(for id: String) -> RaptorSessionState {
        let seen = members.all.filter { !$0.isHidden || $0.connection.id == id }
        return RaptorSessionState(
            connections: seen.map(\.connection), streams: streams.all.map(\.stream), archives: archives.all,
            iceServers: iceServers)
    }
}

extension OpenTokSession {
    /// Somebody who is connected.
    struct Member: Sendable {
        var connection: RaptorConnection
        /// Nobody hears of it: it records.
        var isHidden = false
        /// Speaks another dialect: what it hears is another's business.
        var isForeign = false
        /// Of the streams that it is going to publish.
        var layoutClasses: [String]
        var streams: [String] = []
        var subscriptions: Set<SubscriberKey> = []

        func may(_ permission: OpenTokPermissions) -> Bool { connection.permissions.contains(permission) }
    }

    /// A stream that is published.
    struct LiveStream: Sendable {
        var stream: RaptorStream
        /// Who publishes it.
        let owner: RaptorConnection
        var layoutClasses: [String]
        var subscribers = KeyedList<RaptorSubscriber>()
        /// Bytes of it when it was published.
        var size = 0

        var publisher: String { owner.id }

        var videoType: OpenTokVideoType {
            stream.channels.first { $0.kind == .video }?.properties.source ?? .camera
        }

        var info: StreamInfo {
            StreamInfo(id: stream.id, videoType: videoType, name: stream.name, layoutClasses: layoutClasses)
        }
    }

    struct SubscriberKey: Hashable, Sendable {
        var stream: String
        var id: String
    }

    func tell(_ connection: String, _ event: RaptorEvent, from: String? = nil, into actions: inout [Action]) {
        if !isForeign(connection) { actions.append(.tell(connection, event, from: from)) }
    }

    func tellAll(_ event: RaptorEvent, from: String? = nil, into actions: inout [Action]) {
        for member in members.all where !member.isForeign {
            actions.append(.tell(member.connection.id, event, from: from))
        }
    }

    /// Has the router do something, where there is one.
    func route(_ command: MediaCommand, into actions: inout [Action]) {
        if isRouted { actions.append(.media(command)) }
    }
}
