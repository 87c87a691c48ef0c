import Foundation
import Testing

@testable import ConversationModel

@Suite struct ConversationBoundsTests {
    private static func isRefused(_ check: () throws(ConversationFault) -> Void) -> Bool {
        do { try check() } catch { return !error.description.isEmpty }
        return false
    }

    @Test(arguments: ["a", "A-z_09", String(repeating: "x", count: 64)]) func namesThatWillDo(id: String) {
        #expect(!Self.isRefused { () throws(ConversationFault) in try ConversationBounds.check(clientId: id) })
    }

    @Test(arguments: ["", "a b", "../x", "ä", "a/b", "a\0", "%2e", String(repeating: "x", count: 65)])
    func namesThatWillNot(id: String) {
        #expect(Self.isRefused { () throws(ConversationFault) in try ConversationBounds.check(clientId: id) })
        let request = ConversationRequest(clientId: id, type: .chat)
        #expect(Self.isRefused { () throws(ConversationFault) in try ConversationBounds.check(request) })
    }

    /// Bytes of UTF-8 count, not characters.
    @Test func textsAndNames() {
        for (text, isFit) in [
            ("", false), ("x", true), (String(repeating: "x", count: 8_192), true),
            (String(repeating: "x", count: 8_193), false), (String(repeating: "ä", count: 4_097), false),
        ] {
            #expect(
                Self.isRefused { () throws(ConversationFault) in try ConversationBounds.check(text: text) } == !isFit)
        }
        for (area, isFit) in [("", false), ("loans", true), (String(repeating: "ä", count: 65), false)] {
            let request = ConversationRequest(clientId: "k", type: .chat, area: area)
            #expect(Self.isRefused { () throws(ConversationFault) in try ConversationBounds.check(request) } == !isFit)
        }
    }

    @Test func data() {
        func isRefused(_ data: [String: String]) -> Bool {
            let request = ConversationRequest(clientId: "k", type: .chat, data: data)
            return Self.isRefused { () throws(ConversationFault) in try ConversationBounds.check(request) }
        }
        func entries(_ count: Int) -> [String: String] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("n\($0)", "v") })
        }
        #expect(!isRefused([:]) && !isRefused(entries(32)) && isRefused(entries(33)))
        #expect(isRefused(["": "v"]) && isRefused([String(repeating: "n", count: 65): "v"]))
        #expect(!isRefused(["n": ""]) && isRefused(["n": String(repeating: "v", count: 1_025)]))
    }
}

@Suite struct ConversationNoticeTests {
    private static let info: ConversationInfo = {
        var conversation = Conversation(id: "c1", type: .video)
        conversation.call = .init(callType: .audio, startedBy: "ada")
        conversation.participants = [.init(personId: "vera", role: .visitor, read: 3)]
        conversation.data = ["tier": "gold"]
        return ConversationInfo(conversation: conversation, unread: 2)
    }()

    private static let message = ConversationMessage(
        conversationId: "c1", number: 4, clientId: "m", author: "ada", text: "hello", sentAt: 5)

    @Test func whatIsWrittenIsRead() throws {
        let snapshot = ConversationSnapshot(
            personId: "vera", role: .visitor, conversations: [Self.info], isAvailable: true)
        for notice in [
            ConversationNotice.snapshot(snapshot), .conversation(Self.info), .message(Self.message, Self.info),
            .availability(false),
        ] {
            let bytes = try JSONEncoder().encode(notice)
            #expect(try JSONDecoder().decode(ConversationNotice.self, from: bytes) == notice)
        }
    }

    /// The words on the wire are part of the published interface.
    @Test func theWordsStay() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(
            decoding: try encoder.encode(ConversationNotice.message(Self.message, Self.info)), as: UTF8.self)
        #expect(
            text == #"{"info":{"conversation":{"autoJoinsCall":false,"call":{"callType":"AUDIO","startedBy":"ada"},"#
                + #""createdAt":0,"data":{"tier":"gold"},"id":"c1","lastMessage":0,"#
                + #""participants":[{"personId":"vera","read":3,"role":"VISITOR"}],"state":"QUEUED","#
                + #""type":"VIDEO_REQUEST"},"unread":2},"message":{"author":"ada","clientId":"m","#
                + #""conversationId":"c1","number":4,"sentAt":5,"text":"hello"},"type":"MESSAGE"}"#)
    }

    @Test func whatIsUnknownIsLeft() throws {
        let json = #"{"type":"AVAILABILITY","isAvailable":true,"mood":"fine"}"#
        #expect(try JSONDecoder().decode(ConversationNotice.self, from: Data(json.utf8)) == .availability(true))
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(ConversationNotice.self, from: Data(#"{"type":"SMELL"}"#.utf8))
        }
    }
}
