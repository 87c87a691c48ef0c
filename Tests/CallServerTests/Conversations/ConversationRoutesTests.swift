import CallModel
import ConversationModel
import ConversationService
import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// Conversations over HTTP, as bytes.
@Suite(.timeLimit(.minutes(10))) struct ConversationRoutesTests {
    private static let keys = ["key": "secret", "other": "another-secret"]

    private static func token(
        _ identity: String, role: String? = nil, key: String = "key", lifetime: Double = 600
    ) -> String {
        let now = Date().timeIntervalSince1970
        var claims = TokenClaims(issuer: key, subject: identity, expires: Int64(now + lifetime))
        claims.attributes = role.map { ["role": $0] }
        return AccessToken.mint(claims, secret: keys[key] ?? "unknown")
    }

    private static func withRoutes(_ body: (Int) async throws -> Void) async throws {
        try await withRoutes(ended: { _ in }, body: body)
    }

    private static func withRoutes(
        ended: @escaping @Sendable (String) -> Void, body: (Int) async throws -> Void
    ) async throws {
        let service = try ConversationService(ConversationService.Settings()) { WallClock.milliseconds }
        var router = HTTPRouter()
        ConversationRoutes(
            service: service, caller: ConversationCaller(keyring: APIKeyring(keys: keys), longestName: 256),
            endCall: ended
        ).add(to: &router)
        try await withHTTPServer(router) { try await body($0.port) }
        service.close()
    }

    private static func ask(
        _ port: Int, _ line: String, as token: String?, _ body: String = "", fields: String = ""
    ) async throws -> HTTPTestClient.Response {
        let words = line.split(separator: " ")
        let client = try await HTTPTestClient.connect(port)
        let credentials = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        client.send(
            "\(words[0]) \(ConversationRoutes.root)\(words.count > 1 ? words[1] : "") HTTP/1.1\r\nHost: h\r\n\(credentials)\(fields)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let response = try await client.response()
        client.close()
        return response
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ response: HTTPTestClient.Response) throws -> Value
    {
        try JSONDecoder().decode(type, from: Data(response.body.utf8))
    }

    @Test func aWholeConversation() async throws {
        let (endings, ended) = AsyncStream.makeStream(of: String.self)
        try await Self.withRoutes(ended: { ended.yield($0) }) { (port: Int) async throws in
            let (vera, ada) = (Self.token("vera"), Self.token("ada", role: "agent"))
            let begun = try await Self.ask(
                port, "POST", as: vera, #"{"clientId":"k","type":"CHAT_REQUEST","data":{"a":"1"}}"#)
            #expect(begun.status == 201)
            let id = try Self.read(Conversation.self, begun).id
            let again = try await Self.ask(port, "POST", as: vera, #"{"clientId":"k","type":"CHAT_REQUEST"}"#)
            #expect(again.status == 200)
            #expect(try Self.read(Conversation.self, again).id == id)
            let first = try await Self.ask(port, "PUT /\(id)/messages/m1", as: vera, #"{"text":"hello"}"#)
            let repeated = try await Self.ask(port, "PUT /\(id)/messages/m1", as: vera, #"{"text":"hello"}"#)
            #expect(first.status == 200 && first.body == repeated.body)
            #expect(try await Self.ask(port, "PUT /\(id)/messages/m1", as: vera, #"{"text":"other"}"#).status == 409)
            #expect(try await Self.ask(port, "POST /\(id)/participants", as: ada).status == 200)
            let snapshot = try Self.read(ConversationSnapshot.self, try await Self.ask(port, "GET", as: ada))
            #expect(snapshot.role == .agent && snapshot.conversations.map(\.unread) == [1])
            #expect(try await Self.ask(port, "PUT /\(id)/read", as: ada, #"{"number":1}"#).status == 200)
            #expect(
                try await Self.ask(port, "PUT /\(id)/call", as: ada, #"{"callType":"AUDIO"}"#).body.contains(
                    #""startedBy":"ada""#))
            #expect(try await Self.ask(port, "DELETE /\(id)/call", as: vera).status == 200)
            let page = try Self.read(
                MessagePage.self, try await Self.ask(port, "GET /\(id)/messages?after=0", as: vera))
            #expect(page.messages.map(\.text) == ["hello"] && !page.hasMore)
            #expect(try await Self.ask(port, "POST /\(id)/end", as: ada).status == 200)
            #expect(await endings.first { _ in true } == id, "its call ends, too")
            #expect(try await Self.ask(port, "PUT /\(id)/messages/m2", as: vera, #"{"text":"late"}"#).status == 409)
            #expect(try await Self.ask(port, "GET /\(id)", as: vera).body.contains(#""state":"ENDED""#))
        }
    }

    /// Who asks, and what they are told.
    @Test func credentials() async throws {
        try await Self.withRoutes { (port: Int) async throws in
            #expect(try await Self.ask(port, "GET", as: nil).status == 401)
            #expect(try await Self.ask(port, "GET", as: "nonsense").status == 401)
            #expect(try await Self.ask(port, "GET", as: Self.token("vera", lifetime: -600)).status == 401)
            #expect(try await Self.ask(port, "GET", as: Self.token("vera", key: "unknown")).status == 401)
            #expect(try await Self.ask(port, "GET", as: Self.token("")).status == 400)
            let named = "X-CallBridge-API-Key: key\r\n"
            #expect(try await Self.ask(port, "GET", as: Self.token("vera"), fields: named).status == 200)
            #expect(try await Self.ask(port, "GET", as: Self.token("vera", key: "other"), fields: named).status == 401)
            func basic(_ text: String) -> String { "Authorization: Basic \(Data(text.utf8).base64EncodedString())\r\n" }
            #expect(try await Self.ask(port, "GET ?person=vera", as: nil, fields: basic("key:secret")).status == 200)
            #expect(
                try await Self.ask(port, "GET ?person=ada&role=agent", as: nil, fields: basic("key:secret")).body
                    .contains("AGENT"))
            #expect(
                try await Self.ask(port, "GET ?person=ada&role=boss", as: nil, fields: basic("key:secret")).status
                    == 400)
            #expect(try await Self.ask(port, "GET", as: nil, fields: basic("key:secret")).status == 400)
            #expect(try await Self.ask(port, "GET ?person=vera", as: nil, fields: basic("key:wrong")).status == 403)
            // A body is not even read without them.
            #expect(try await Self.ask(port, "POST", as: nil, "{}").status == 401)
        }
    }

    @Test func othersConversationsAreNotThere() async throws {
        try await Self.withRoutes { (port: Int) async throws in
            let begun = try await Self.ask(
                port, "POST", as: Self.token("vera"), #"{"clientId":"k","type":"CHAT_REQUEST"}"#)
            let id = try Self.read(Conversation.self, begun).id
            let eve = Self.token("eve")
            for line in [
                "GET /\(id)", "GET /\(id)/messages", "POST /\(id)/participants", "POST /\(id)/end",
                "DELETE /\(id)/call",
            ] {
                #expect(try await Self.ask(port, line, as: eve).status == 404, "\(line)")
            }
            #expect(try await Self.ask(port, "PUT /\(id)/messages/m", as: eve, #"{"text":"x"}"#).status == 404)
            #expect(try await Self.ask(port, "PUT /availability", as: eve, #"{"isAvailable":true}"#).status == 403)
        }
    }

    /// What can't be read is refused with its reason, whatever it is.
    @Test(arguments: [
        "POST", "PUT /availability", "PUT /c/messages/m", "PUT /c/read", "PUT /c/call",
    ]) func bodiesThatAreNone(line: String) async throws {
        try await Self.withRoutes { (port: Int) async throws in
            let agent = Self.token("ada", role: "agent")
            let bodies = [
                "", "{", "[]", "null", "{\"clientId\":5}", "\u{0}", String(repeating: "[", count: 10_000),
                #"{"clientId":"../x","type":"CHAT_REQUEST"}"#, #"{"clientId":"k","type":"NONSENSE"}"#,
                #"{"isAvailable":"yes"}"#, #"{"number":1e400}"#, #"{"number":9223372036854775808}"#,
                #"{"callType":"SMELL"}"#,
            ]
            for body in bodies {
                let response = try await Self.ask(port, line, as: agent, body)
                #expect(response.status == 400, "\(line) \(body.prefix(40))")
            }
            #expect(try await Self.ask(port, line, as: agent, String(repeating: "x", count: 70_000)).status == 413)
        }
    }

    @Test func pathsAndMethods() async throws {
        try await Self.withRoutes { (port: Int) async throws in
            let vera = Self.token("vera")
            for (line, status) in [
                ("DELETE", 405), ("GET /availability", 405), ("PUT /c", 405), ("GET /c", 404), ("GET /c/end", 405),
                ("POST /c/read", 405), ("POST /c/call", 405), ("GET /c/nothing", 404), ("POST /c/messages", 405),
                ("GET /c/messages/m", 405), ("GET /c/d/e/f", 404), ("GET /c/messages?after=x", 400),
                ("GET /events", 426),
                ("GET /%00%FF/messages", 404), ("GET /../descriptor", 404),
            ] {
                #expect(try await Self.ask(port, line, as: vera).status == status, "\(line)")
            }
        }
    }

    @Test func theCallOfAConversationEndsInTheHub() throws {
        let hub = RingHub(journal: CallJournal())
        let device = RingDevice(personId: "ada", deviceToken: "1")
        let place = RingCommand.place(
            .init(callId: "c", conversationId: "v", callType: .audio, callerName: "Ada", groups: [["bob"]]))
        _ = try hub.send(place, from: device)
        #expect(hub.call(ofConversation: "v") == "c")
        hub.endCall(ofConversation: "elsewhere")
        #expect(hub.call(ofConversation: "v") == "c")
        hub.endCall(ofConversation: "v")
        #expect(hub.call(ofConversation: "v") == nil)
        hub.close()
    }
}
