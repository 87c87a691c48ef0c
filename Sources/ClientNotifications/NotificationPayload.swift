public import Foundation

/// What the service hands to push services.
public enum NotificationPayload {
    /// For APNs, on the channel that the kind is made for.
    public static func apns(_ content: NotificationContent, key: NotificationKey?) -> Data? {
        apns(content, key: key, channel: content.kind == .incomingCall ? .call : .remote)
    }

    /// For APNs: `aps` tells the system to let the extension change what is shown; what comes as a call shows nothing by itself. A
    /// call that comes as an ordinary notification is shown as one.
    public static func apns(_ content: NotificationContent, key: NotificationKey?, channel: PushChannel) -> Data? {
        guard let fields = fields(content, key) else { return nil }
        var payload: [String: Any] = fields
        payload["aps"] =
            channel == .call
            ? [:]
            : [
                "alert": [
                    "title": key == nil ? content.title ?? "" : "", "body": key == nil ? content.text ?? "" : "",
                ],
                "mutable-content": 1, "sound": "default",
            ] as [String: Any]
        return try? JSONSerialization.data(withJSONObject: payload, options: .sortedKeys)
    }

    /// For FCM: data alone, so that the application is asked.
    public static func fcm(_ content: NotificationContent, key: NotificationKey?) -> Data? {
        guard let message = message(content, key: key) else { return nil }
        return try? JSONSerialization.data(withJSONObject: message, options: .sortedKeys)
    }

    /// The same, as the `message` of a request to FCM's API (HTTP v1): with the device's token and how long it is of use.
    public static func fcmRequest(
        _ content: NotificationContent, key: NotificationKey?, token: String, now: Int64
    ) -> Data? {
        guard var message = message(content, key: key) else { return nil }
        let seconds = max(0, (content.expiresAt - now) / 1_000)
        message["token"] = token
        message["android"] = ["priority": "high", "ttl": "\(seconds)s"]
        return try? JSONSerialization.data(
            withJSONObject: ["message": message], options: [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func message(_ content: NotificationContent, key: NotificationKey?) -> [String: Any]? {
        fields(content, key).map { ["data": $0, "android": ["priority": "high"]] }
    }

    private static func fields(_ content: NotificationContent, _ key: NotificationKey?) -> [String: String]? {
        if let key {
            return NotificationEnvelope.seal(content, with: key).map { [NotificationReceiver.encryptedField: $0] }
        }
        guard let json = try? JSONEncoder().encode(content) else { return nil }
        return [NotificationReceiver.plainField: String(decoding: json, as: UTF8.self)]
    }
}
