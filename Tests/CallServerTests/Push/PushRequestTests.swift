import CallModel
import ClientNotifications
import ConversationService
import Foundation
import Testing

@testable import CallServer

extension PushOrder {
    /// An order to a device of APNs or FCM.
    static func test(
        _ kind: NotificationKind = .message, _ channel: PushChannel = .remote, _ carrier: PushCarrier = .apns,
        token: String = "00ff", id: String = "n1", until: Int64 = 9_000_000, key: NotificationKey? = nil
    ) -> PushOrder {
        let target = PushTarget(
            device: PushDevice(person: "vera", device: "phone"), channel: channel, carrier: carrier, token: token,
            encryption: key == nil ? .none : .encrypted, registeredAt: 0)
        let content = NotificationContent(
            id: id, kind: kind, conversationId: "c1", title: "Ada", text: "hello", expiresAt: until)
        return PushOrder(target: target, content: content, key: key)
    }
}

@Suite struct PushRequestTests {
    @Test func apnsShape() throws {
        let alert = try #require(PushRequest.apns(.test(), topic: "example.app", id: "u1"))
        #expect(alert.path == "/3/device/00ff")
        let fields = Dictionary(alert.fields.map { ($0.name, $0.value) }) { $1 }
        #expect(
            fields == [
                "apns-topic": "example.app", "apns-push-type": "alert", "apns-priority": "10",
                "apns-expiration": "9000", "apns-id": "u1",
            ])
        #expect(String(decoding: alert.body, as: UTF8.self).contains(#""mutable-content":1"#))
        let call = try #require(PushRequest.apns(.test(.incomingCall, .call), topic: "example.app", id: "u1"))
        #expect(call.fields.contains(.init(name: "apns-topic", value: "example.app.voip")))
        #expect(call.fields.contains(.init(name: "apns-push-type", value: "voip")))
        #expect(String(decoding: call.body, as: UTF8.self).hasPrefix(#"{"aps":{},"#))
    }

    /// The longest that a client can be made to tell fits into what a carrier takes.
    @Test func sealedOnesFit() throws {
        let key = try #require(NotificationKey(id: "k", bytes: [UInt8](repeating: 1, count: 32)))
        var order = PushOrder.test(key: key)
        order.content.text = String(repeating: "\u{1F600}", count: 240)
        order.content.title = String(repeating: "é", count: 128)
        let request = try #require(PushRequest.apns(order, topic: "t", id: "u"))
        #expect(request.body.count < 4_096)
        #expect(!String(decoding: request.body, as: UTF8.self).contains("é"))
        let fcm = try #require(PushRequest.fcm(order, now: 0))
        #expect(fcm.body.count < 4_096 && String(decoding: fcm.body, as: UTF8.self).contains(#""token":"00ff""#))
    }

    private static func outcome(
        _ carrier: PushCarrier, _ status: Int, _ body: String = "", retryAfter: String? = nil
    ) -> PushOutcome {
        PushOutcome(PushAnswer(status: status, body: Array(body.utf8), retryAfter: retryAfter), of: carrier)
    }

    @Test func answersOfAPNs() {
        #expect(Self.outcome(.apns, 200) == .delivered)
        #expect(
            Self.outcome(.apns, 410, #"{"reason":"Unregistered","timestamp":1700000000000}"#)
                == .unregistered(since: 1_700_000_000_000))
        #expect(Self.outcome(.apns, 410) == .unregistered(since: nil))
        #expect(Self.outcome(.apns, 400, #"{"reason":"BadDeviceToken"}"#) == .unregistered(since: nil))
        #expect(Self.outcome(.apns, 400, #"{"reason":"BadTopic"}"#) == .refused("status 400, BadTopic"))
        #expect(Self.outcome(.apns, 413) == .refused("status 413"))
        #expect(
            Self.outcome(.apns, 403, #"{"reason":"ExpiredProviderToken"}"#)
                == .later("status 403, ExpiredProviderToken", seconds: 1))
        #expect(Self.outcome(.apns, 429, retryAfter: "30") == .later("status 429", seconds: 30))
        #expect(Self.outcome(.apns, 503, retryAfter: "-5") == .later("status 503", seconds: 0))
        #expect(Self.outcome(.apns, 503, retryAfter: "999999999") == .later("status 503", seconds: 3_600))
        #expect(Self.outcome(.apns, 302) == .refused("status 302"))
        #expect(PushOutcome(.none("no route"), of: .apns) == .later("no route", seconds: 0))
    }

    @Test func answersOfFCM() {
        let gone = #"{"error":{"status":"NOT_FOUND","details":[{"@type":"x"},{"errorCode":"UNREGISTERED"}]}}"#
        #expect(Self.outcome(.fcm, 200, #"{"name":"projects/p/messages/1"}"#) == .delivered)
        #expect(Self.outcome(.fcm, 404, gone) == .unregistered(since: nil))
        #expect(
            Self.outcome(.fcm, 403, #"{"error":{"details":[{"errorCode":"SENDER_ID_MISMATCH"}]}}"#)
                == .unregistered(since: nil))
        #expect(
            Self.outcome(.fcm, 400, #"{"error":{"status":"INVALID_ARGUMENT"}}"#)
                == .refused("status 400, INVALID_ARGUMENT"))
        #expect(
            Self.outcome(.fcm, 401, #"{"error":{"status":"UNAUTHENTICATED"}}"#)
                == .later("status 401, UNAUTHENTICATED", seconds: 1))
        #expect(Self.outcome(.fcm, 429, retryAfter: "10") == .later("status 429", seconds: 10))
    }

    /// A carrier's words are few, and none of them steers a terminal.
    @Test func hostileAnswers() {
        let bodies = [
            "", "[", "5", #"{"reason":5}"#, #"{"reason":"\u001b[31m\n"}"#, #"{"error":[]}"#,
            #"{"error":{"details":5}}"#,
            #"{"error":{"details":[5]}}"#, #"{"timestamp":"x"}"#, String(repeating: "[", count: 70_000),
            #"{"reason":""# + String(repeating: "A", count: 1_000) + #""}"#,
        ]
        for body in bodies {
            for carrier in PushCarrier.allCases {
                for status in [0, 200, 400, 403, 404, 410, 500, 999] {
                    switch Self.outcome(carrier, status, body) {
                    case .refused(let words), .later(let words, _):
                        #expect(words.utf8.count < 100 && words.utf8.allSatisfy { $0 >= 0x20 }, "\(body.prefix(20))")
                    case .delivered: #expect(status == 200)
                    case .unregistered: #expect(status == 410 || status == 404)
                    }
                }
            }
        }
    }
}

@Suite struct RingPushTests {
    private static let device = RingDevice(personId: "bob", deviceToken: "phone")

    private static func offer(_ id: String = "c1", until: Int64 = 31_000) -> RingOffer {
        RingOffer(
            callId: id, conversationId: "v", callType: .video, callerPersonId: "ada", callerName: "Ada L.",
            callStartTimestamp: CallTime(rawValue: 1_000), ringsUntil: CallTime(rawValue: until))
    }

    @Test func aCallRingsAndIsMissed() throws {
        var pushes = RingPushes()
        let now = CallTime(rawValue: 2_000)
        let offered = pushes.content(.offer(Self.offer()), to: Self.device, now: now)
        let ringing = try #require(offered)
        #expect(ringing.kind == .incomingCall && ringing.callId == "c1" && ringing.conversationId == "v")
        #expect(ringing.callType == "VIDEO" && ringing.callerId == "ada" && ringing.title == "Ada L.")
        #expect(ringing.expiresAt == 31_000 && ringing.callStartedAt == 1_000)
        let withdrawn = pushes.content(
            .withdrawn(callId: "c1", .timeout), to: Self.device, now: CallTime(rawValue: 31_000))
        let missed = try #require(withdrawn)
        #expect(missed.kind == .missedCall && missed.id != ringing.id && missed.expiresAt > 31_000)
        let again = pushes.content(.withdrawn(callId: "c1", .timeout), to: Self.device, now: now)
        #expect(again == nil, "once")
    }

    @Test(arguments: RingWithdrawal.allCases) func endings(reason: RingWithdrawal) {
        var pushes = RingPushes()
        let now = CallTime(rawValue: 2_000)
        _ = pushes.content(.offer(Self.offer()), to: Self.device, now: now)
        let content = pushes.content(.withdrawn(callId: "c1", reason), to: Self.device, now: now)
        #expect((content?.kind == .missedCall) == (reason == .timeout || reason == .aborted))
        let granted = pushes.content(.granted(callId: "c1"), to: Self.device, now: now)
        let unknown = pushes.content(.withdrawn(callId: "none", reason), to: Self.device, now: now)
        #expect(granted == nil && unknown == nil)
    }
}
