import OpenTokSignalling
import RTCWire

/// Our subscription to a stream of somebody else's.
struct Subscriber: Sendable {
    let stream: String
    /// Another one with each attempt.
    var id: String
    /// The channels that the application wants.
    var wanted: Set<String>
    var preferences: [String: RaptorSubscriberPreferences] = [:]
    /// The channels whose media the connection has.
    var media: Set<String> = []
    /// Those of them that the application knows of.
    var told: Set<String> = []
    var video = VideoStanding()
    /// When media must be connected, or a lost path mended; nil while all is well.
    var deadline: Instant?
    /// Attempts in a row.
    var attempts = 1
    /// Wait for the server's answer.
    var commands: [CommandID] = []

    init(stream: String, id: String, wanted: Set<String>, deadline: Instant) {
        self.stream = stream
        self.id = id
        self.wanted = wanted
        self.deadline = deadline
    }

    var peer: RaptorPeer { .subscriber(stream: stream, id: id) }

    /// The request: what is not wanted is not sent.
    func request(channels: [RaptorChannel]) -> RaptorSubscriber {
        let wishes = channels.compactMap { channel -> RaptorSubscriber.Channel? in
            var wish = preferences[channel.id] ?? RaptorSubscriberPreferences()
            if !wanted.contains(channel.id) { wish.isActive = false }
            return wish == RaptorSubscriberPreferences() ? nil : .init(id: channel.id, wish)
        }
        return RaptorSubscriber(id: id, channels: wishes)
    }

    /// What the application has to be told, so that it knows of what is wanted and there.
    mutating func news() -> [SubscriberEvent] {
        let present = media.intersection(wanted)
        defer { told = present }
        return told.subtracting(present).sorted().map { .disconnected(channel: $0) }
            + present.subtracting(told).sorted().map { .connected(channel: $0, peer) }
    }
}

/// Our subscriptions, by stream.
struct Subscribers: Sendable {
    private(set) var streams: [String: Subscriber] = [:]
    private var last = 0

    subscript(stream: String) -> Subscriber? {
        get { streams[stream] }
        set { streams[stream] = newValue }
    }

    /// An id that was not used before.
    mutating func nextID(_ connection: String) -> String {
        last += 1
        return "\(connection)-s\(last)"
    }

    /// The subscription that a connection belongs to; nil for an earlier attempt.
    func subscriber(of peer: RaptorPeer) -> Subscriber? {
        guard let subscriber = streams[peer.stream], subscriber.peer == peer else { return nil }
        return subscriber
    }

    var deadline: Instant? { streams.values.lazy.compactMap(\.deadline).min() }

    func overdue(now: Instant) -> [String] {
        streams.values.filter { ($0.deadline ?? .distantFuture) <= now }.map(\.stream).sorted()
    }

    /// Time without the message transport does not count.
    mutating func postpone(until deadline: Instant) {
        for id in streams.keys where streams[id]?.deadline != nil { streams[id]?.deadline = deadline }
    }

    mutating func removeCommands() -> [CommandID] {
        defer { for id in streams.keys { streams[id]?.commands = [] } }
        return streams.values.flatMap(\.commands).sorted()
    }
}
