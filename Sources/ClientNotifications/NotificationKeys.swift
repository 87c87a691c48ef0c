import RTCCore

/// How notifications are kept from those who carry them.
public enum NotificationEncryption: String, Sendable, Hashable, Codable, CaseIterable {
    /// The client opens them.
    case encrypted = "Encrypted"
    /// A process beside the application opens them, which shares its keys.
    case encryptedService = "EncryptedService"
    /// They are plain.
    case none = "None"

    /// By its name; the unencrypted mode has two.
    public init?(name: String) {
        if name == "NotEncrypted" { self = .none } else { self.init(rawValue: name) }
    }
}

/// A key that notifications are sealed with.
public struct NotificationKey: Sendable, Hashable, Codable {
    /// Names the key; 1 to 64 bytes.
    public var id: String
    /// 32 bytes, for AES-256-GCM.
    public var bytes: [UInt8]

    /// A key of 32 bytes and an id of 1 to 64; nil for others.
    public init?(id: String, bytes: [UInt8]) {
        guard bytes.count == 32, (1...64).contains(id.utf8.count) else { return nil }
        self.id = id
        self.bytes = bytes
    }

    /// A new key.
    package static func random(id: String) -> NotificationKey? {
        NotificationKey(id: id, bytes: SecureRandom.bytes(32))
    }
}

/// The keys that a device knows: the present one, and the one before it for a while, since notifications may be on their way.
public struct NotificationKeyring: Sendable, Hashable, Codable {
    /// How long the former key opens notifications, milliseconds.
    public static let grace: Int64 = 24 * 3_600_000

    private var current: NotificationKey?
    private var former: NotificationKey?
    private var formerUntil: Int64 = 0

    /// No key.
    public init() {}

    /// The service gave a key. A key of the present one's name is no rotation.
    ///
    /// - Parameter now: milliseconds of Unix time.
    public mutating func rotate(to key: NotificationKey, now: Int64) {
        guard key != current else { return }
        if let current, current.id != key.id {
            former = current
            formerUntil = now + Self.grace
        }
        current = key
    }

    /// The key of that name, while it opens notifications.
    public func key(_ id: String, now: Int64) -> NotificationKey? {
        if let current, current.id == id { return current }
        guard let former, former.id == id, now < formerUntil else { return nil }
        return former
    }
}
