import OpenTokSignalling

/// Who is in the session and what they publish, as last told. A connection is known before its streams and signals: what
/// comes too early is held back.
struct SessionRoster: Sendable {
    /// Of others.
    private(set) var connections: [String: RaptorConnection] = [:]
    /// Of others, by id.
    private(set) var streams: [String: RaptorStream] = [:]
    private var early = EarlyEvents()

    static let largestCount = 20_000

    // MARK: Connections

    /// nil where it is known already.
    mutating func add(_ connection: RaptorConnection) -> ClientEvent? {
        guard connections[connection.id] == nil, connections.count < Self.largestCount else { return nil }
        connections[connection.id] = connection
        return .connectionCreated(connection)
    }

    /// What was held back until that connection was known, in order.
    mutating func takeEarly(of connection: String) -> [EarlyEvents.Event] { early.take(of: connection) }

    /// A connection is gone, and its streams before it.
    mutating func removeConnection(_ id: String, _ reason: RaptorReason) -> (streams: [RaptorStream], ClientEvent)? {
        _ = early.take(of: id)
        guard let gone = connections.removeValue(forKey: id) else { return nil }
        let lost = streams.values.filter { $0.connection == id }.sorted { $0.id < $1.id }
        for stream in lost { streams[stream.id] = nil }
        return (lost, .connectionDestroyed(gone, reason))
    }

    // MARK: Streams

    /// A stream is there: true where it is new. It is held back where its connection is not known yet.
    mutating func add(_ stream: RaptorStream) -> Bool {
        guard let owner = stream.connection, streams[stream.id] == nil, streams.count < Self.largestCount else {
            return false
        }
        guard connections[owner] != nil else {
            early.hold(.stream(stream), of: owner)
            return false
        }
        streams[stream.id] = stream
        return true
    }

    mutating func removeStream(_ id: String) -> RaptorStream? {
        early.forget(stream: id)
        return streams.removeValue(forKey: id)
    }

    /// Takes over what is said of a channel; nil where nothing changed.
    mutating func update(
        stream id: String, channel: String, _ news: RaptorChannelProperties
    ) -> (stream: RaptorStream, isActiveChanged: Bool)? {
        guard var stream = streams[id], let index = stream.channels.firstIndex(where: { $0.id == channel }) else {
            return nil
        }
        let before = stream.channels[index].properties
        stream.channels[index].properties.adopt(news)
        let after = stream.channels[index].properties
        guard before != after else { return nil }
        streams[id] = stream
        return (stream, (before.isActive ?? true) != (after.isActive ?? true))
    }

    // MARK: Signals

    /// True where its sender is known; it is held back otherwise.
    mutating func admit(_ content: SignalContent, from connection: String) -> Bool {
        if connections[connection] != nil { return true }
        early.hold(.signal(content), of: connection)
        return false
    }
}

/// What came before the connection that it belongs to; bounded, the oldest go first.
struct EarlyEvents: Sendable {
    enum Event: Hashable, Sendable {
        case stream(RaptorStream)
        case signal(SignalContent)
    }

    static let largestCount = 256
    private var events: [(connection: String, event: Event)] = []

    mutating func hold(_ event: Event, of connection: String) {
        if events.count == Self.largestCount { events.removeFirst() }
        events.append((connection, event))
    }

    mutating func take(of connection: String) -> [Event] {
        guard !events.isEmpty else { return [] }
        defer { events.removeAll { $0.connection == connection } }
        return events.filter { $0.connection == connection }.map(\.event)
    }

    mutating func forget(stream id: String) {
        events.removeAll { if case .stream(let stream) = $0.event { stream.id == id } else { false } }
    }
}

extension RaptorChannelProperties {
    /// Takes over what is said; the rest stays.
    mutating func adopt(_ news: RaptorChannelProperties) {
        isActive = news.isActive ?? isActive
        width = news.width ?? width
        height = news.height ?? height
        orientation = news.orientation ?? orientation
        frameRate = news.frameRate ?? frameRate
        source = news.source ?? source
        fit = news.fit ?? fit
        hasDisableWarning = news.hasDisableWarning ?? hasDisableWarning
    }
}
