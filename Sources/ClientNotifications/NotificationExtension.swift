public import Foundation

/// What the system shows in place of a notification that came, after its extension has looked at it.
public struct ShownNotification: Sendable, Hashable, Encodable {
    /// Its first line; empty where it could not be opened.
    public var title: String
    /// Its text; empty where it could not be opened.
    public var body: String
    /// `default` where it was opened; nil leaves what the payload says.
    public var sound: String?
    /// What the application finds with it: the opened content in the payload's place; nil leaves the payload.
    public var userInfo: NotificationContent?
}

/// One notification in a process beside the application: it is shown once, in time, whatever becomes of the opening.
///
///     var run = NotificationExtension(payload)
///     if let shown = run.opened(try store.decrypt(payload, now: now)) { deliver(shown) }
///     // and where the system's time is over before that:
///     if let shown = run.timeWillExpire() { deliver(shown) }
public struct NotificationExtension: Sendable, Hashable {
    private let original: ShownNotification
    private var isDelivered = false

    /// - Parameter payload: as it came: what it shows by itself is the best attempt, should time be over early.
    public init(_ payload: Data) {
        let object = (try? JSONSerialization.jsonObject(with: payload.prefix(16 * 1024))) as? [String: Any]
        let aps = object?["aps"] as? [String: Any]
        let fcm = object?["notification"] as? [String: Any]
        let alert = aps?["alert"] as? [String: Any] ?? fcm
        original = ShownNotification(
            title: alert?["title"] as? String ?? "", body: (alert?["body"] ?? aps?["alert"]) as? String ?? "",
            sound: aps?["sound"] as? String)
    }

    /// The opening is done. Nil where something was shown already.
    public mutating func opened(_ outcome: NotificationExtensionOutcome) -> ShownNotification? {
        switch outcome {
        case .opened(let content):
            deliver(
                ShownNotification(
                    title: content.title ?? "", body: content.text ?? "", sound: "default", userInfo: content))
        case .original: deliver(original)
        case .blank: deliver(ShownNotification(title: "", body: "", sound: original.sound))
        }
    }

    /// The system waits no longer: it is shown as it came. Nil where something was shown already.
    public mutating func timeWillExpire() -> ShownNotification? { deliver(original) }

    private mutating func deliver(_ shown: ShownNotification) -> ShownNotification? {
        guard !isDelivered else { return nil }
        isDelivered = true
        return shown
    }
}

extension NotificationExtensionOutcome {
    /// `opened`, `original`, `blank`: for reports.
    public var name: String {
        switch self {
        case .opened: "opened"
        case .original: "original"
        case .blank: "blank"
        }
    }
}

extension NotificationFault: CustomStringConvertible {
    /// Stable words, without anything of the content.
    public var description: String {
        switch self {
        case .foreign: "foreign"
        case .malformed: "malformed"
        case .unknownVersion(let version): "unknown version \(version)"
        case .unknownKey: "unknown key"
        case .notAuthentic: "not authentic"
        case .expired: "expired"
        case .replayed: "replayed"
        }
    }
}
