/// What a client keeps of one chat.
public struct DeskHistory: Sendable, Hashable, Codable {
    /// The newest 1,000, the oldest first.
    public var comments: [DeskComment] = []
    /// When the chat was last used: the longest unused gives way to a new one.
    package var usedAt = DeskDate.none

    /// An empty one.
    public init() {}

    /// Takes over what a service has; gives the comments that were not known.
    package mutating func merge(_ feed: [DeskComment]) -> [DeskComment] {
        let known = Set(comments.map(\.id))
        let new = feed.filter { !known.contains($0.id) }
        guard !new.isEmpty else { return [] }
        comments = Array((comments + new).sorted { $0.id < $1.id }.suffix(DeskBounds.rememberedComments))
        return new.sorted { $0.id < $1.id }
    }
}

/// The chats of a device, each in a name space of its own: whoever logs in sees theirs, and the others' stay where they are.
public struct DeskLocalStore: Sendable, Hashable, Codable {
    /// Chats of a device; the longest unused gives way.
    package static let largest = 16

    /// Names the device; random.
    public let deviceID: String
    private var chats: [String: DeskHistory] = [:]

    /// A device without chats.
    ///
    /// - Parameter deviceID: 1 to 100 characters that nobody can guess.
    public init(deviceID: String) { self.deviceID = deviceID }

    /// A device without chats and with a random name of 128 bits.
    public init() {
        let halves = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
        deviceID = halves.map { String(repeating: "0", count: 16 - $0.utf8.count) + $0 }.joined()
    }

    /// The chat of an owner within an application; empty where there is none.
    public subscript(credentials: DeskCredentials) -> DeskHistory {
        get { chats[Self.key(credentials)] ?? DeskHistory() }
        set {
            chats[Self.key(credentials)] = newValue
            guard chats.count > Self.largest, let oldest = chats.min(by: { $0.value.usedAt < $1.value.usedAt }) else {
                return
            }
            chats[oldest.key] = nil
        }
    }

    /// How many chats are kept.
    public var count: Int { chats.count }

    private static func key(_ credentials: DeskCredentials) -> String {
        // The length keeps two names from running together.
        "\(credentials.appID.utf8.count):\(credentials.appID)/\(credentials.owner.key)"
    }
}
