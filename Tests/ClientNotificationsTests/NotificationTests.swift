import Foundation
import Testing

@testable import ClientNotifications

private func key(_ id: String, _ byte: UInt8 = 1) -> NotificationKey {
    NotificationKey(id: id, bytes: [UInt8](repeating: byte, count: 32))!
}

private func content(
    _ id: String = "n1", kind: NotificationKind = .message, title: String? = "Ada", text: String? = "hello",
    until: Int64 = 10_000
) -> NotificationContent {
    NotificationContent(id: id, kind: kind, conversationId: "c1", title: title, text: text, expiresAt: until)
}

private func keyring(_ keys: NotificationKey...) -> NotificationKeyring {
    var ring = NotificationKeyring()
    for key in keys { ring.rotate(to: key, now: 0) }
    return ring
}

@Suite struct NotificationPresentationTests {
    @Test(
        arguments: [
            (.background, .message, .notify), (.background, .incomingCall, .notify),
            (.background, .missedCall, .notify),
            (.viewClosed, .message, .notify), (.viewClosed, .incomingCall, .requestView),
            (.viewClosed, .missedCall, .notify),
            (.viewOpen, .message, .nothing), (.viewOpen, .incomingCall, .nothing), (.viewOpen, .missedCall, .nothing),
        ] as [(ApplicationPresence, NotificationKind, NotificationPresentation)])
    func table(row: (ApplicationPresence, NotificationKind, NotificationPresentation)) {
        #expect(NotificationPresentation.decide(row.1, row.0) == row.2)
    }
}

@Suite struct PushTokenRegistryTests {
    @Test func nothingIsSentBeforeTheFirstStart() {
        var registry = PushTokenRegistry()
        #expect(
            registry.set("t1", .remote)
                == [.log(.registeredForRemote), .log(.tokenUpdated), .log(.emissionPrevented)])
        #expect(registry.set("v1", .call).contains(.log(.registeredForCalls)))
        #expect(registry.started() == [.send(.remote, token: "t1"), .send(.call, token: "v1")])
        #expect(registry.started().isEmpty, "once")
    }

    @Test func onlyNewTokensCount() {
        var registry = PushTokenRegistry()
        _ = registry.started()
        #expect(
            registry.set("t1", .remote) == [
                .log(.registeredForRemote), .log(.tokenUpdated), .send(.remote, token: "t1"),
            ])
        #expect(registry.set("t1", .remote).isEmpty && registry.set("", .remote).isEmpty)
        #expect(registry.set(String(repeating: "x", count: 4_097), .remote).isEmpty)
        #expect(registry.set("t2", .remote).last == .send(.remote, token: "t2"))
        #expect(registry.set(nil, .call).isEmpty)
    }

    @Test func aTokenIsInvalidated() {
        var registry = PushTokenRegistry()
        _ = registry.started()
        _ = registry.set("v1", .call)
        #expect(registry.set(nil, .call) == [.log(.tokenInvalidated), .delete(.call, token: "v1")])
        #expect(registry.invalidate(.call).isEmpty)
        #expect(registry.set("v1", .call).last == .send(.call, token: "v1"), "it is new again")
    }

    @Test func switchedOffItIsDeleted() {
        var registry = PushTokenRegistry()
        _ = registry.started()
        _ = registry.set("t1", .remote)
        #expect(registry.setEnabled(false) == [.delete(.remote, token: "t1")])
        #expect(registry.setEnabled(false).isEmpty)
        #expect(!registry.set("t2", .remote).contains(.send(.remote, token: "t2")))
        #expect(registry.setEnabled(true) == [.send(.remote, token: "t2")])
    }

    @Test func theIdsOfLogFactsStay() {
        #expect(PushLogFact.allCases.count == 8)
        #expect(
            PushLogFact.allCases.map(\.rawValue) == [
                "push.registered.remote", "push.registered.voip", "push.token.updated", "push.token.invalidated",
                "push.secret.received", "push.token.emission-prevented", "push.sent.voip", "push.sent.missed-call",
            ])
    }
}

@Suite struct NotificationKeyTests {
    @Test func keysAndModes() {
        #expect(NotificationKey(id: "k", bytes: [1]) == nil && NotificationKey(id: "", bytes: key("k").bytes) == nil)
        #expect(NotificationKey(id: String(repeating: "k", count: 65), bytes: key("k").bytes) == nil)
        #expect(NotificationEncryption(name: "NotEncrypted") == NotificationEncryption.none)
        #expect(NotificationEncryption(name: "None") == NotificationEncryption.none)
        #expect(NotificationEncryption(name: "EncryptedService") == .encryptedService)
        #expect(NotificationEncryption(name: "Rot13") == nil)
        #expect(NotificationKey.random(id: "a") != NotificationKey.random(id: "a"))
    }

    @Test func theFormerKeyOpensForAWhile() {
        var ring = NotificationKeyring()
        ring.rotate(to: key("k1"), now: 0)
        ring.rotate(to: key("k2"), now: 1_000)
        ring.rotate(to: key("k2"), now: 5_000)
        let end = 1_000 + NotificationKeyring.grace
        #expect(ring.key("k1", now: end - 1) == key("k1") && ring.key("k1", now: end) == nil)
        #expect(ring.key("k2", now: .max) == key("k2") && ring.key("k0", now: 0) == nil)
        ring.rotate(to: key("k3"), now: 2_000)
        #expect(ring.key("k1", now: 2_000) == nil, "two generations")
    }
}

@Suite struct NotificationEnvelopeTests {
    @Test func whatIsSealedOpens() throws {
        let sealed = try #require(NotificationEnvelope.seal(content(), with: key("k1")))
        #expect(try NotificationEnvelope.open(sealed, keys: keyring(key("k1")), now: 0) == content())
        #expect(!sealed.contains("hello"))
        #expect(sealed != NotificationEnvelope.seal(content(), with: key("k1")), "a nonce of its own")
    }

    /// NIST's AES-256-GCM test case 13: no plaintext, a key and a nonce of zeros.
    @Test func theLayoutIsFixed() throws {
        let zero = NotificationKey(id: "k", bytes: [UInt8](repeating: 0, count: 32))!
        let sealed = try #require(
            NotificationEnvelope.seal(content(), with: zero, nonce: [UInt8](repeating: 0, count: 12)))
        let bytes = [UInt8](try #require(Data(base64Encoded: sealed)))
        #expect(Array(bytes.prefix(15)) == [1, 1, 0x6B] + [UInt8](repeating: 0, count: 12))
        #expect(bytes.count == 15 + (try JSONEncoder().encode(content())).count + 16)
    }

    private static func fault(_ text: String, _ keys: NotificationKeyring) -> NotificationFault? {
        do { _ = try NotificationEnvelope.open(text, keys: keys, now: 0) } catch { return error }
        return nil
    }

    @Test func whatIsNoEnvelope() throws {
        let ring = keyring(key("k1"))
        let sealed = [UInt8](
            try #require(Data(base64Encoded: NotificationEnvelope.seal(content(), with: key("k1")) ?? "")))
        func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
        #expect(Self.fault("", ring) == .malformed && Self.fault("%%%", ring) == .malformed)
        #expect(Self.fault(text([2] + sealed.dropFirst()), ring) == .unknownVersion(2))
        #expect(Self.fault(text(sealed), keyring(key("k2"))) == .unknownKey("k1"))
        #expect(Self.fault(text(sealed), keyring(key("k1", 9))) == .notAuthentic)
        #expect(Self.fault(String(repeating: "A", count: 8_196), ring) == .malformed)
        for length in 0..<sealed.count {
            #expect(Self.fault(text(Array(sealed.prefix(length))), ring) != nil, "cut at \(length)")
        }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(Self.fault(text(changed), ring) != nil, "changed at \(index)")
        }
    }
}

@Suite struct NotificationReceiverTests {
    private static func fault(_ receiver: inout NotificationReceiver, _ payload: Data, now: Int64 = 0)
        -> NotificationFault?
    {
        do { _ = try receiver.receive(payload, now: now) } catch { return error }
        return nil
    }

    @Test(arguments: NotificationKind.allCases, [true, false]) func bothShapes(kind: NotificationKind, isSealed: Bool)
        throws
    {
        for make in [NotificationPayload.apns, NotificationPayload.fcm] {
            var receiver = NotificationReceiver(isSealed ? .encrypted : .none, keys: keyring(key("k1")))
            let payload = try #require(make(content(kind: kind), isSealed ? key("k1") : nil))
            #expect(try receiver.receive(payload, now: 0) == content(kind: kind))
        }
    }

    @Test func othersAreForeign() throws {
        var receiver = NotificationReceiver(.encrypted, keys: keyring(key("k1")))
        let payloads = [
            "", "{", "[]", "5", "null", #"{"aps":{"alert":"hello"}}"#, #"{"data":{"other":"x"}}"#,
            #"{"data":"callbridge."}"#,
            String(repeating: "[", count: 20_000),
        ]
        for payload in payloads {
            #expect(Self.fault(&receiver, Data(payload.utf8)) == .foreign, "\(payload.prefix(30))")
        }
        #expect(Self.fault(&receiver, Data(#"{"callbridge.encrypted":5}"#.utf8)) == .malformed)
    }

    @Test func aPlainOneIsNotTakenForASealedOne() throws {
        var receiver = NotificationReceiver(.encrypted, keys: keyring(key("k1")))
        let plain = try #require(NotificationPayload.apns(content(), key: nil))
        #expect(Self.fault(&receiver, plain) == .malformed)
    }

    @Test func replayAndExpiry() throws {
        var receiver = NotificationReceiver(.encrypted, keys: keyring(key("k1")))
        let payload = try #require(NotificationPayload.apns(content(until: 1_000), key: key("k1")))
        #expect(Self.fault(&receiver, payload, now: 1_000) == .expired)
        #expect(Self.fault(&receiver, payload, now: 999) == nil)
        #expect(Self.fault(&receiver, payload, now: 999) == .replayed)
        #expect(Self.fault(&receiver, payload, now: 5_000) == .expired, "never again")
        // What came before is shared with the process beside the application.
        var other = NotificationReceiver(.encryptedService, keys: receiver.keys, history: receiver.history)
        #expect(other.decrypt(payload, now: 999) == .blank(.replayed))
    }

    @Test func theHistoryIsBounded() throws {
        var history = NotificationHistory()
        for number in 0..<1_000 { try history.admit(content("n\(number)", until: 1_000 + Int64(number)), now: 0) }
        let remembered = String(decoding: try JSONEncoder().encode(history), as: UTF8.self)
        #expect(remembered.split(separator: ",").count == NotificationHistory.capacity)
        #expect(throws: NotificationFault.replayed) { try history.admit(content("n999", until: 5_000), now: 0) }
    }

    /// The four outcomes of the extension, and what ends like them.
    @Test func outcomes() throws {
        func outcome(_ payload: Data?) throws -> NotificationExtensionOutcome {
            var receiver = NotificationReceiver(.encryptedService, keys: keyring(key("k1")))
            return receiver.decrypt(try #require(payload), now: 0)
        }
        #expect(try outcome(NotificationPayload.apns(content(), key: key("k1"))) == .opened(content()))
        #expect(try outcome(NotificationPayload.fcm(content(text: nil), key: key("k1"))) == .original)
        #expect(try outcome(NotificationPayload.apns(content(title: nil), key: key("k1"))) == .original)
        #expect(try outcome(NotificationPayload.apns(content(), key: key("k1", 9))) == .blank(.notAuthentic))
        #expect(try outcome(Data(#"{"aps":{}}"#.utf8)) == .blank(.malformed), "a plain push is blanked")
        #expect(try outcome(Data(#"{"callbridge.encrypted":[1]}"#.utf8)) == .blank(.malformed), "no text")
        #expect(try outcome(Data("garbage".utf8)) == .blank(.malformed))
    }
}
