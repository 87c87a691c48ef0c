import ClientStorage
import Foundation
import Testing

@testable import ClientNotifications

private func key(_ id: String, _ byte: UInt8 = 1) throws -> NotificationKey {
    try #require(NotificationKey(id: id, bytes: [UInt8](repeating: byte, count: 32)))
}

private func content(_ id: String, title: String? = "Ada", until: Int64 = 10_000) -> NotificationContent {
    NotificationContent(
        id: id, kind: .message, conversationId: "c1", title: title, text: "hello", expiresAt: until)
}

@Suite struct NotificationStoreTests {
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "notifications-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    /// Two stores of one folder, as two processes have them.
    @Test func twoOpenOne() throws {
        try Self.withFolder { path in
            let application = NotificationStore(try FilePreferenceStore(directory: path))
            let beside = NotificationStore(try FilePreferenceStore(directory: path))
            let sealed = try #require(NotificationPayload.apns(content("n1"), key: try key("k1")))
            #expect(try beside.decrypt(sealed, now: 0) == .blank(.unknownKey("k1")))
            try application.rotate(to: try key("k1"), now: 0)
            #expect(try beside.knows("k1", now: 0))
            #expect(try beside.decrypt(sealed, now: 0) == .opened(content("n1")))
            #expect(throws: NotificationFault.replayed) { try application.receive(sealed, .encrypted, now: 0) }
            try application.rotate(to: try key("k2", 2), now: 100)
            let late = try #require(NotificationPayload.fcm(content("n2"), key: try key("k1")))
            #expect(try application.receive(late, .encrypted, now: 200).id == "n2", "the key before, for a while")
            try application.clear()
            #expect(try !beside.knows("k2", now: 200))
        }
    }

    @Test func sealedFiles() throws {
        try Self.withFolder { path in
            let files = try FilePreferenceStore(directory: path)
            let secret = [UInt8](repeating: 8, count: 32)
            let store = NotificationStore(try EncryptedPreferenceStore(files, key: secret))
            try store.rotate(to: try key("a-key-of-mine"), now: 0)
            let kept = try #require(try files.value("notifications"))
            #expect(!String(decoding: kept, as: UTF8.self).contains("a-key-of-mine"))
            #expect(try store.knows("a-key-of-mine", now: 0))
        }
    }

    /// A refused one changes nothing, and a file of something else is no reason to trap.
    @Test func refusals() throws {
        try Self.withFolder { path in
            let files = try FilePreferenceStore(directory: path)
            let store = NotificationStore(files)
            #expect(throws: NotificationFault.foreign) { try store.receive(Data("{}".utf8), .encrypted, now: 0) }
            #expect(try files.value("notifications") == nil)
            try files.set([1, 2, 3], "notifications")
            try store.rotate(to: try key("k1"), now: 0)
            #expect(try store.knows("k1", now: 0))
        }
    }
}

@Suite struct NotificationExtensionTests {
    private static let payload = Data(
        #"{"aps":{"alert":{"title":"New","body":"open the app"},"sound":"ding"},"callbridge.encrypted":"x"}"#.utf8)

    /// Each outcome, as the system shows it.
    @Test func golden() throws {
        func shown(_ outcome: NotificationExtensionOutcome, _ payload: Data = NotificationExtensionTests.payload) throws
            -> String
        {
            var run = NotificationExtension(payload)
            let shown = run.opened(outcome)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(try #require(shown)), as: UTF8.self)
        }
        #expect(
            try shown(.opened(content("n1")))
                == #"{"body":"hello","sound":"default","title":"Ada","userInfo":{"conversationId":"c1","expiresAt":10000,"#
                + #""id":"n1","kind":"MESSAGE","text":"hello","title":"Ada"}}"#)
        #expect(try shown(.original) == #"{"body":"open the app","sound":"ding","title":"New"}"#)
        #expect(try shown(.blank(.malformed)) == #"{"body":"","sound":"ding","title":""}"#)
        #expect(try shown(.original, Data("no JSON".utf8)) == #"{"body":"","title":""}"#)
        let short = Data(#"{"aps":{"alert":"one line"}}"#.utf8)
        #expect(try shown(.original, short) == #"{"body":"one line","title":""}"#)
        let fcm = Data(#"{"notification":{"title":"F","body":"cm"}}"#.utf8)
        #expect(try shown(.original, fcm) == #"{"body":"cm","title":"F"}"#)
    }

    @Test func itIsShownOnce() {
        var inTime = NotificationExtension(Self.payload)
        let first = inTime.opened(.blank(.expired))
        #expect(first?.title == "")
        let (second, third) = (inTime.timeWillExpire(), inTime.opened(.original))
        #expect(second == nil && third == nil)
        var late = NotificationExtension(Self.payload)
        let best = late.timeWillExpire()
        #expect(best?.body == "open the app", "the best attempt")
        let again = late.opened(.opened(content("n1")))
        #expect(again == nil)
    }

    @Test func words() {
        let faults: [NotificationFault] = [
            .foreign, .malformed, .unknownVersion(7), .unknownKey("secret-name"), .notAuthentic, .expired, .replayed,
        ]
        #expect(
            faults.map(\.description) == [
                "foreign", "malformed", "unknown version 7", "unknown key", "not authentic", "expired", "replayed",
            ])
        #expect(
            [.opened(content("n")), .original, .blank(.foreign)].map(\NotificationExtensionOutcome.name)
                == ["opened", "original", "blank"])
    }
}
