import ClientNotifications
import ConversationService
import Foundation

/// A notification as its carrier takes it: one POST.
struct PushRequest: Sendable, Hashable {
    struct Field: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// Below the carrier's URL.
    var path = ""
    var fields: [Field] = []
    var body: [UInt8]

    /// For APNs ("Sending notification requests to APNs"): `/3/device/TOKEN`, what it is and how long it is of use in the header.
    /// Nil where it can't be sealed.
    ///
    /// - Parameters:
    ///   - topic: the application's identifier; calls have one of their own.
    ///   - id: a UUID by which the carrier names it in its log.
    static func apns(_ order: PushOrder, topic: String, id: String) -> PushRequest? {
        let isCall = order.target.channel == .call
        guard let body = NotificationPayload.apns(order.content, key: order.key, channel: order.target.channel) else {
            return nil
        }
        return PushRequest(
            path: "/3/device/" + order.target.token,
            fields: [
                Field(name: "apns-topic", value: isCall ? topic + ".voip" : topic),
                Field(name: "apns-push-type", value: isCall ? "voip" : "alert"),
                Field(name: "apns-priority", value: "10"),
                Field(name: "apns-expiration", value: "\(max(0, order.content.expiresAt / 1_000))"),
                Field(name: "apns-id", value: id),
            ], body: Array(body))
    }

    /// For FCM (HTTP v1, `messages:send`). Nil where it can't be sealed.
    ///
    /// - Parameter now: milliseconds of Unix time.
    static func fcm(_ order: PushOrder, now: Int64) -> PushRequest? {
        NotificationPayload.fcmRequest(order.content, key: order.key, token: order.target.token, now: now)
            .map { PushRequest(body: Array($0)) }
    }
}

/// What a carrier answered, or why it did not.
struct PushAnswer: Sendable, Hashable {
    /// 0 where there was no answer.
    var status: Int
    var body: [UInt8] = []
    /// The field `Retry-After`.
    var retryAfter: String?
    /// Where there was none.
    var failure: String?

    static func none(_ failure: String) -> PushAnswer { PushAnswer(status: 0, failure: failure) }
}

/// What becomes of a notification.
enum PushOutcome: Sendable, Hashable {
    case delivered
    /// Nothing is behind the token any more, since that time where the carrier says so (milliseconds of Unix time).
    case unregistered(since: Int64?)
    /// The carrier has understood and does not want it: sent again it would not either.
    case refused(String)
    /// To be sent again, in so many seconds at the earliest.
    case later(String, seconds: Int)

    /// Reads an answer of a carrier's.
    init(_ answer: PushAnswer, of carrier: PushCarrier) {
        if let failure = answer.failure {
            self = .later(failure, seconds: 0)
            return
        }
        let reason = Self.reason(answer.body, carrier)
        // At most an hour: a notification is of no use any more then.
        let seconds = answer.retryAfter.flatMap { Int($0) }.map { min(max($0, 0), 3_600) } ?? 0
        let words = "status \(answer.status)" + (reason.name.isEmpty ? "" : ", \(reason.name)")
        switch answer.status {
        case 200..<300: self = .delivered
        case _ where Self.isGone(answer.status, reason.name, carrier): self = .unregistered(since: reason.timestamp)
        // Our own credentials: their file is read again for the next attempt.
        case 401,
            403 where reason.name != "SENDER_ID_MISMATCH":
            self = .later(words, seconds: max(seconds, 1))
        case 408, 425, 429, 500...599: self = .later(words, seconds: seconds)
        default: self = .refused(words)
        }
    }

    private static func isGone(_ status: Int, _ reason: String, _ carrier: PushCarrier) -> Bool {
        switch carrier {
        case .apns: status == 410 || (status == 400 && ["BadDeviceToken", "DeviceTokenNotForTopic"].contains(reason))
        case .fcm:
            (status == 404 && ["UNREGISTERED", "NOT_FOUND", ""].contains(reason))
                || (status == 403 && reason == "SENDER_ID_MISMATCH")
        }
    }

    /// APNs says `{"reason", "timestamp"}`, FCM `{"error": {"status", "details": [{"errorCode"}]}}`. The words are a carrier's: at
    /// most 64 letters of them are kept.
    private static func reason(_ body: [UInt8], _ carrier: PushCarrier) -> (name: String, timestamp: Int64?) {
        guard body.count <= 64 * 1024,
            let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
        else { return ("", nil) }
        switch carrier {
        case .apns: return (word(object["reason"]), (object["timestamp"] as? NSNumber)?.int64Value)
        case .fcm:
            let error = object["error"] as? [String: Any]
            let details = error?["details"] as? [[String: Any]]
            let code = details?.lazy.compactMap { $0["errorCode"] }.first
            return (word(code ?? error?["status"]), nil)
        }
    }

    private static func word(_ value: Any?) -> String {
        guard let text = value as? String else { return "" }
        let letters = text.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0 == "_") }
        return String(String.UnicodeScalarView(letters.prefix(64)))
    }
}
