import OpenTokSignalling
import RTCWire

/// A stream of ours.
struct Publisher: Sendable {
    var stream: RaptorStream
    /// Waits until others can receive it.
    var command: CommandID?
    /// When that must be; nil once it is.
    var deadline: Instant?
    /// The server has answered the request.
    var isAccepted = false
    /// The server has told that it is there.
    var isCreated = false
    /// The router's connection stands.
    var isConnected = false
    var hasSubscribers = false

    init(_ stream: RaptorStream, _ command: CommandID, deadline: Instant) {
        self.stream = stream
        self.command = command
        self.deadline = deadline
    }

    /// Others can receive it: a relayed one is connected with each of them, when they ask for it.
    func isReady(isRelayed: Bool) -> Bool { isAccepted && isCreated && (isRelayed || isConnected) }

    /// Channels of sound that are being sent.
    var audibleChannels: [String] {
        stream.channels.filter { $0.kind == .audio && $0.properties.isActive ?? true }.map(\.id)
    }

    /// False where there is no such channel.
    mutating func setActive(_ isActive: Bool, channel: String) -> Bool {
        guard let index = stream.channels.firstIndex(where: { $0.id == channel }) else { return false }
        stream.channels[index].properties.isActive = isActive
        return true
    }
}

/// The streams that we publish, by id.
struct Publishers: Sendable {
    private(set) var streams: [String: Publisher] = [:]
    /// Taken back: what is still said of them is old.
    private var withdrawn: Set<String> = []

    subscript(stream: String) -> Publisher? {
        get { streams[stream] }
        set { streams[stream] = newValue }
    }

    var ids: [String] { streams.keys.sorted() }

    /// Ours, or taken back by us.
    func isOurs(_ stream: String) -> Bool { streams[stream] != nil || withdrawn.contains(stream) }

    mutating func withdraw(_ stream: String) -> Publisher? {
        guard let publisher = streams.removeValue(forKey: stream) else { return nil }
        if withdrawn.count >= 1024 { withdrawn = [] }
        withdrawn.insert(stream)
        return publisher
    }

    var deadline: Instant? { streams.values.lazy.compactMap(\.deadline).min() }

    func overdue(now: Instant) -> [String] {
        streams.values.filter { ($0.deadline ?? .distantFuture) <= now }.map(\.stream.id).sorted()
    }

    /// Time without the message transport does not count.
    mutating func postpone(until deadline: Instant) {
        for id in streams.keys where streams[id]?.deadline != nil { streams[id]?.deadline = deadline }
    }

    mutating func removeCommands() -> [CommandID] {
        defer { for id in streams.keys { streams[id]?.command = nil } }
        return streams.values.compactMap(\.command).sorted()
    }
}
