import CallModel
import ClientNotifications

/// What devices that sleep are told of calls: that one rings, and that one has rung in vain. A value that reads no clock.
struct RingPushes: Sendable {
    /// How long a missed call is news, milliseconds.
    private static let missedLifetime: Int64 = 7 * 24 * 3_600_000
    /// How long after its ringing a call is remembered.
    private static let grace: Int64 = 60_000
    private static let capacity = 10_000

    private struct Key: Hashable {
        var device: RingDevice
        var callId: String
    }

    /// What rings where, so that its end can be told.
    private var offers: [Key: RingOffer] = [:]

    /// The notification for what a device would hear; nil for what is no news to one that sleeps.
    mutating func content(_ signal: RingSignal, to device: RingDevice, now: CallTime) -> NotificationContent? {
        let key = Key(device: device, callId: signal.callId)
        switch signal {
        case .offer(let offer):
            if offers.count >= Self.capacity {
                offers = offers.filter { now < $0.value.ringsUntil.advanced(by: Self.grace) }
            }
            // Of more the end is not told: that they ring matters more.
            if offers.count < Self.capacity { offers[key] = offer }
            return Self.content(.incomingCall, offer, id: "ring-", until: offer.ringsUntil.rawValue)
        case .withdrawn(_, let reason):
            guard let offer = offers.removeValue(forKey: key), reason == .timeout || reason == .aborted else {
                return nil
            }
            return Self.content(.missedCall, offer, id: "missed-", until: now.rawValue + Self.missedLifetime)
        case .granted, .refused, .progress, .ended: return nil
        }
    }

    private static func content(
        _ kind: NotificationKind, _ offer: RingOffer, id: String, until: Int64
    ) -> NotificationContent {
        let name = offer.callerName.isEmpty ? offer.callerPersonId : offer.callerName
        var content = NotificationContent(
            id: id + offer.callId, kind: kind, conversationId: offer.conversationId, title: name, text: "",
            callId: offer.callId, expiresAt: until)
        content.callType = offer.callType.rawValue
        content.callerId = offer.callerPersonId
        content.callStartedAt = offer.callStartTimestamp.rawValue
        return content
    }
}
