import Foundation

/// Notifications that came before, so that none is shown twice. Bounded: the oldest give way.
public struct NotificationHistory: Sendable, Hashable, Codable {
    static let capacity = 512

    private var seen: [String: Int64] = [:]

    /// Nothing has come.
    public init() {}

    /// Throws where it is over or came before.
    mutating func admit(_ content: NotificationContent, now: Int64) throws(NotificationFault) {
        guard content.expiresAt > now else { throw .expired }
        // What is over is refused for that reason: it need not be remembered.
        seen = seen.filter { $0.value > now }
        guard seen[content.id] == nil else { throw .replayed }
        if seen.count >= Self.capacity, let oldest = seen.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            seen[oldest.key] = nil
        }
        seen[content.id] = content.expiresAt
    }
}

/// What a process beside the application makes of a notification before the system shows it.
public enum NotificationExtensionOutcome: Sendable, Hashable {
    /// Title and text were opened; the payload gives way to them, with the default sound.
    case opened(NotificationContent)
    /// Title or text is missing: it is shown as it came.
    case original
    /// It could not be opened: title and text are blank.
    case blank(NotificationFault)
}

/// Reads notifications, however they are shaped, and opens them.
public struct NotificationReceiver: Sendable, Hashable {
    /// The field of a payload that holds the envelope.
    public static let encryptedField = "callbridge.encrypted"
    /// The field that holds a content that is plain.
    public static let plainField = "callbridge.notification"

    /// The keys that it opens with.
    public var keys: NotificationKeyring
    /// What came before.
    public var history: NotificationHistory
    private let encryption: NotificationEncryption

    /// - Parameter encryption: what the service was told to send.
    public init(
        _ encryption: NotificationEncryption, keys: NotificationKeyring = .init(),
        history: NotificationHistory = .init()
    ) {
        self.encryption = encryption
        self.keys = keys
        self.history = history
    }

    /// The content of an APNs-shaped (fields beside `aps`) or FCM-shaped (fields in `data`) payload of JSON. Throws
    /// `NotificationFault.foreign` for one that is not ours.
    ///
    /// - Parameter now: milliseconds of Unix time.
    public mutating func receive(_ payload: Data, now: Int64) throws(NotificationFault) -> NotificationContent {
        guard let fields = Self.fields(payload), fields.keys.contains(where: { $0.hasPrefix("callbridge.") }) else {
            throw .foreign
        }
        let content = try content(fields, now: now)
        try history.admit(content, now: now)
        return content
    }

    /// The four outcomes of a notification extension. A payload without the envelope, and one whose envelope is no text, end as
    /// one that can't be opened.
    public mutating func decrypt(_ payload: Data, now: Int64) -> NotificationExtensionOutcome {
        guard let envelope = Self.fields(payload)?[Self.encryptedField] as? String else { return .blank(.malformed) }
        do throws(NotificationFault) {
            let content = try NotificationEnvelope.open(envelope, keys: keys, now: now)
            try history.admit(content, now: now)
            return content.title == nil || content.text == nil ? .original : .opened(content)
        } catch {
            return .blank(error)
        }
    }

    private func content(_ fields: [String: Any], now: Int64) throws(NotificationFault) -> NotificationContent {
        if let envelope = fields[Self.encryptedField] {
            guard let envelope = envelope as? String else { throw .malformed }
            return try NotificationEnvelope.open(envelope, keys: keys, now: now)
        }
        // Whoever asked for sealed ones takes no plain one: anybody could have sent it.
        guard encryption == .none, let plain = fields[Self.plainField] as? String,
            let content = try? JSONDecoder().decode(NotificationContent.self, from: Data(plain.utf8)),
            (1...128).contains(content.id.utf8.count)
        else { throw .malformed }
        return content
    }

    /// The fields of a payload, however it is shaped; nil for what is no JSON object, or too long.
    static func fields(_ payload: Data) -> [String: Any]? {
        guard payload.count <= 16 * 1024,
            let object = (try? JSONSerialization.jsonObject(with: payload)) as? [String: Any]
        else { return nil }
        return object["data"] as? [String: Any] ?? object
    }
}
