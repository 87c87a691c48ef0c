import Foundation
import Testing

@testable import ClientNotifications

private func key(_ id: String, _ byte: UInt8 = 1) throws -> NotificationKey {
    try #require(NotificationKey(id: id, bytes: [UInt8](repeating: byte, count: 32)))
}

private func content(_ id: String) -> NotificationContent {
    NotificationContent(
        id: id, kind: .message, conversationId: "c1", title: "Ada", text: "hello", expiresAt: 10_000)
}

@Suite struct PushMessageTests {
    @Test func tokens() {
        func fault(_ token: String, _ carrier: PushCarrier) -> String? {
            PushTokenRequest(token: token, carrier: carrier, encryption: .encrypted).fault
        }
        #expect(fault("00fcAB12", .apns) == nil && fault("a:b_C-1", .fcm) == nil)
        for token in ["", "a", "zz", "../etc", "00 11", String(repeating: "a", count: 401)] {
            #expect(fault(token, .apns) != nil, "\(token.prefix(10))")
        }
        for token in ["", "a b", "ä", "a\r\nb", String(repeating: "a", count: 4_097)] {
            #expect(fault(token, .fcm) != nil, "\(token.prefix(10))")
        }
        var request = PushTokenRequest(token: "00", carrier: .apns, encryption: .none)
        request.encryption = "NotEncrypted"
        #expect(request.fault == nil)
        request.encryption = "Rot13"
        #expect(request.fault != nil)
    }

    @Test func keysOnTheirWay() throws {
        let key = try key("k1", 9)
        #expect(NotificationKeyAnswer(key).value == key)
        var short = NotificationKeyAnswer(key)
        short.key = "AAAA"
        #expect(short.value == nil)
    }

    /// A call that has no channel of its own is shown by the system; one that has shows nothing by itself.
    @Test func payloads() throws {
        var call = content("n1")
        call.kind = .incomingCall
        let quiet = try #require(NotificationPayload.apns(call, key: nil, channel: .call))
        #expect(String(decoding: quiet, as: UTF8.self).hasPrefix(#"{"aps":{},"#))
        let shown = try #require(NotificationPayload.apns(call, key: nil, channel: .remote))
        #expect(String(decoding: shown, as: UTF8.self).contains(#""alert":{"body":"hello","title":"Ada"}"#))
        let sealed = try #require(NotificationPayload.apns(call, key: try key("k"), channel: .remote))
        #expect(String(decoding: sealed, as: UTF8.self).contains(#""alert":{"body":"","title":""}"#))
        let fcm = try #require(NotificationPayload.fcmRequest(call, key: nil, token: "t:1", now: 4_000))
        let text = String(decoding: fcm, as: UTF8.self)
        #expect(text.contains(#""token":"t:1""#) && text.contains(#""ttl":"6s""#) && text.hasPrefix(#"{"message":"#))
    }
}
