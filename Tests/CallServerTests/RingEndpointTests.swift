import CallModel
import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// Ringing over HTTP, as bytes.
@Suite(.timeLimit(.minutes(10))) struct RingEndpointTests {
    private static let basic = "Authorization: Basic " + Data("key:secret".utf8).base64EncodedString()

    private static func withEndpoint(
        journal: CallJournal = .init(), _ body: (Int) async throws -> Void
    ) async throws {
        let hub = RingHub(journal: journal)
        var router = HTTPRouter()
        RingEndpoint(hub: hub, keys: ["key": "secret"]).add(to: &router)
        try await withHTTPServer(router) { try await body($0.port) }
        hub.close()
    }

    private static func post(
        _ port: Int, _ person: String, _ body: String, credentials: String = basic
    ) async throws -> HTTPTestClient.Response {
        let client = try await HTTPTestClient.connect(port)
        client.send(
            "POST \(RingEndpoint.commandsPath)?person=\(person)&device=\(person)-1 HTTP/1.1\r\nHost: h\r\n\(credentials)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let response = try await client.response()
        client.close()
        return response
    }

    private static func expect(
        _ status: Int, _ port: Int, _ person: String, _ body: String, credentials: String = basic,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let response = try await post(port, person, body, credentials: credentials)
        #expect(response.status == status, sourceLocation: location)
    }

    private static func listen(_ port: Int, _ person: String) async throws -> HTTPTestClient {
        let client = try await HTTPTestClient.connect(port)
        client.send(
            "GET \(RingEndpoint.eventsPath)?person=\(person)&device=\(person)-1 HTTP/1.1\r\nHost: h\r\n\(basic)\r\n\r\n"
        )
        let head = try await client.response()
        #expect(head.status == 200 && head.fields["content-type"] == "text/event-stream")
        return client
    }

    private static let place =
        #"{"type":"place","request":{"callId":"c","conversationId":"v","callType":"AUDIO","callerName":"Ada","groups":[["bob"]]}}"#

    @Test func aWholeCall() async throws {
        let journal = CallJournal()
        try await Self.withEndpoint(journal: journal) { port in
            let bob = try await Self.listen(port, "bob")
            let ada = try await Self.listen(port, "ada")
            #expect(try await Self.post(port, "ada", Self.place).body == #"{"callId":"c"}"#)
            #expect(try await bob.text(until: "ringsUntil").contains("event: offer"))
            try await Self.expect(200, port, "bob", #"{"type":"answer","callId":"c"}"#)
            #expect(try await bob.text(until: #""type":"granted"}"#).contains("event: granted"))
            #expect(try await ada.text(until: "ACTIVE").contains("event: progress"))
            for person in ["ada", "bob"] {
                try await Self.expect(200, port, person, #"{"type":"connected","callId":"c"}"#)
            }
            try await Self.expect(200, port, "bob", #"{"type":"hangUp","callId":"c"}"#)
            _ = try await ada.text(until: "LAST_MANDATORY_PARTICIPANT_LEFT")
            let late = try await Self.post(port, "bob", #"{"type":"hangUp","callId":"c"}"#)
            #expect(late.status == 404 && late.body.contains("\"c\""))
            bob.close()
            ada.close()
        }
        #expect(journal.finish().violations == [])
        #expect(journal.events.contains { $0.eventType == .established })
    }

    @Test(arguments: ["", "{", "[]", #"{"type":"dance","callId":"c"}"#, #"{"type":"answer"}"#])
    func whatIsNoCommandIsToldSo(body: String) async throws {
        try await Self.withEndpoint { port in
            try await Self.expect(400, port, "ada", body)
        }
    }

    @Test func wrongCredentialsAreRefusedWithoutADemand() async throws {
        try await Self.withEndpoint { port in
            for credentials in ["X: y", "Authorization: Basic a2V5OndyaW5n", "Authorization: Bearer nonsense"] {
                let response = try await Self.post(port, "ada", Self.place, credentials: credentials)
                #expect(response.status == 403 && response.fields["www-authenticate"] == nil)
            }
        }
    }

    @Test func aTokenSpeaksForItsIdentityOnly() async throws {
        let token = AccessToken.join(
            room: "v", identity: "ada", key: "key", secret: "secret", now: Int64(Date().timeIntervalSince1970))
        try await Self.withEndpoint { port in
            let bearer = "Authorization: Bearer \(token)"
            try await Self.expect(403, port, "bob", Self.place, credentials: bearer)
            try await Self.expect(200, port, "ada", Self.place, credentials: bearer)
        }
    }

    @Test func boundsAreKept() async throws {
        try await Self.withEndpoint { port in
            let crowd = (0...100).map { "\"p\($0)\"" }.joined(separator: ",")
            let body = Self.place.replacing("\"bob\"", with: crowd)
            try await Self.expect(400, port, "ada", body)
            try await Self.expect(400, port, String(repeating: "x", count: 257), Self.place)
            try await Self.expect(200, port, "ada", Self.place)
            try await Self.expect(400, port, "ada", Self.place)
        }
    }
}
