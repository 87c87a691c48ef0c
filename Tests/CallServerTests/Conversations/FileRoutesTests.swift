import ClientNotifications
import ConversationModel
import ConversationService
import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// Files and devices over HTTP, as bytes.
@Suite(.timeLimit(.minutes(10))) struct FileRoutesTests {
    private static let digest = "853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020"

    private static func token(_ identity: String, role: String = "visitor") -> String {
        let now = Date().timeIntervalSince1970
        var claims = TokenClaims(issuer: "key", subject: identity, expires: Int64(now + 600))
        claims.attributes = ["role": role]
        return AccessToken.mint(claims, secret: "secret")
    }

    private static func withRoutes(_ body: (Int) async throws -> Void) async throws {
        let directory = NSTemporaryDirectory() + "routes-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var settings = ConversationService.Settings()
        settings.directory = directory
        let service = try ConversationService(settings) { WallClock.milliseconds }
        let caller = ConversationCaller(keyring: APIKeyring(keys: ["key": "secret"]), longestName: 256)
        var router = HTTPRouter()
        ConversationRoutes(service: service, caller: caller, endCall: { _ in }).add(to: &router)
        FileRoutes(service: service, caller: caller).add(to: &router)
        NotificationRoutes(service: service, caller: caller).add(to: &router)
        try await withHTTPServer(router) { try await body($0.port) }
        service.close()
    }

    /// - Parameter line: method and path below `/callbridge/v1`.
    private static func ask(
        _ port: Int, _ line: String, as token: String?, _ body: String = "", fields: String = ""
    ) async throws -> HTTPTestClient.Response {
        let words = line.split(separator: " ")
        let client = try await HTTPTestClient.connect(port)
        let credentials = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        client.send(
            "\(words[0]) /callbridge/v1\(words[1]) HTTP/1.1\r\nHost: h\r\n\(credentials)\(fields)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let response = try await client.response()
        client.close()
        return response
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ response: HTTPTestClient.Response) throws -> Value
    {
        try JSONDecoder().decode(type, from: Data(response.body.utf8))
    }

    private static func announcement(_ change: [String: Any] = [:]) throws -> String {
        let fields: [String: Any] = [
            "clientId": "f1", "name": "héllo.txt", "type": "text/plain", "size": 13, "sha256": digest,
        ]
        let data = try JSONSerialization.data(withJSONObject: fields.merging(change) { $1 })
        return String(decoding: data, as: UTF8.self)
    }

    @Test func aWholeFile() async throws {
        try await Self.withRoutes { port in
            let (vera, eve) = (Self.token("vera"), Self.token("eve"))
            let begun = try await Self.ask(
                port, "POST /conversations", as: vera, #"{"clientId":"k","type":"CHAT_REQUEST"}"#)
            let files = "/conversations/\(try Self.read(Conversation.self, begun).id)/files"
            let announced = try await Self.ask(port, "POST \(files)", as: vera, try Self.announcement())
            #expect(announced.status == 201)
            #expect(try await Self.ask(port, "POST \(files)", as: vera, try Self.announcement()).status == 200)
            let path = "/files/\(try Self.read(ConversationFile.self, announced).id)"
            #expect(try await Self.ask(port, "GET \(path)/content", as: vera).status == 409, "not whole")
            #expect(try await Self.ask(port, "PUT \(path)/content", as: vera, "hello").status == 400, "from where?")
            let half = try await Self.ask(
                port, "PUT \(path)/content", as: vera, "hello", fields: "Upload-Offset: 0\r\n")
            #expect(try Self.read(ConversationFile.self, half).received == 5)
            let gap = try await Self.ask(port, "PUT \(path)/content", as: vera, "x", fields: "Upload-Offset: 7\r\n")
            #expect(gap.status == 409 && gap.body.contains("5 bytes"))
            let whole = try await Self.ask(
                port, "PUT \(path)/content", as: vera, ", world\n", fields: "Upload-Offset: 5\r\n")
            #expect(try Self.read(ConversationFile.self, whole).state == .ready)
            let all = try await Self.ask(port, "GET \(path)/content", as: vera)
            #expect(all.status == 200 && all.body == "hello, world\n" && all.fields["content-type"] == "text/plain")
            #expect(all.fields["content-disposition"] == "attachment; filename*=UTF-8''h%C3%A9llo%2Etxt")
            #expect(all.fields["x-content-type-options"] == "nosniff")
            let part = try await Self.ask(port, "GET \(path)/content", as: vera, fields: "Range: bytes=7-11\r\n")
            #expect(part.status == 206 && part.body == "world")
            #expect(part.fields["content-range"] == "bytes 7-11/13")
            for (method, place) in [("GET", path), ("GET", path + "/content"), ("GET", files)] {
                #expect(try await Self.ask(port, "\(method) \(place)", as: eve).status == 404, "\(place)")
                #expect(try await Self.ask(port, "\(method) \(place)", as: nil).status == 401, "\(place)")
            }
            let listed = try Self.read(
                ConversationFiles.self, try await Self.ask(port, "GET \(files)", as: vera))
            #expect(listed.files.count == 1 && listed.policy == FilePolicy())
        }
    }

    @Test func refusals() async throws {
        try await Self.withRoutes { port in
            let vera = Self.token("vera")
            let begun = try await Self.ask(
                port, "POST /conversations", as: vera, #"{"clientId":"k","type":"CHAT_REQUEST"}"#)
            let files = "/conversations/\(try Self.read(Conversation.self, begun).id)/files"
            let bodies: [([String: Any], Int)] = [
                (["name": "../../etc/passwd"], 400), (["name": "a\u{0}b"], 400), (["size": -1], 400),
                (["size": "5"], 400), (["sha256": "x"], 400), (["type": "image"], 400), (["clientId": "a/b"], 400),
                (["type": "application/x-executable"], 415), (["size": 1 << 40], 413),
            ]
            for (change, status) in bodies {
                let answer = try await Self.ask(port, "POST \(files)", as: vera, try Self.announcement(change))
                #expect(answer.status == status, "\(change)")
            }
            for path in [
                "/files/../../conversations.sqlite/content", "/files/%2e%2e%2fx/content", "/files/x/content/y",
            ] {
                #expect(try await Self.ask(port, "GET \(path)", as: vera).status == 404, "\(path)")
            }
            #expect(try await Self.ask(port, "DELETE /files/x/content", as: vera).status == 405)
        }
    }

    @Test func devices() async throws {
        try await Self.withRoutes { port in
            let (vera, eve) = (Self.token("vera"), Self.token("eve"))
            let device = "/notifications/devices/phone"
            let body = #"{"token":"00ff","carrier":"APNS","encryption":"EncryptedService"}"#
            let given = try await Self.ask(port, "PUT \(device)/tokens/remote", as: vera, body)
            let key = try Self.read(NotificationKeyAnswer.self, given)
            #expect(given.status == 200 && key.value?.bytes.count == 32)
            #expect(given.fields["cache-control"] == "no-store")
            #expect(try await Self.ask(port, "PUT \(device)/tokens/VOIP", as: vera, body).status == 200)
            let fetched = try await Self.ask(port, "GET \(device)/keys/\(key.id)", as: vera)
            #expect(try Self.read(NotificationKeyAnswer.self, fetched) == key)
            #expect(try await Self.ask(port, "GET \(device)/keys/\(key.id)", as: eve).status == 404)
            let rotated = try await Self.ask(port, "POST \(device)/keys", as: vera)
            #expect(rotated.status == 201)
            #expect(try Self.read(NotificationKeyAnswer.self, rotated).id != key.id)
            #expect(try await Self.ask(port, "POST \(device)/keys", as: eve).status == 404)
            #expect(try await Self.ask(port, "DELETE \(device)/tokens/voip", as: vera).status == 204)
            #expect(try await Self.ask(port, "DELETE \(device)/tokens/voip", as: vera).status == 204)
            let wrong: [(String, String, Int)] = [
                ("PUT \(device)/tokens/sms", body, 404), ("GET \(device)/tokens/remote", "", 405),
                ("PUT \(device)/tokens/remote", "{}", 400),
                ("PUT /notifications/devices/a%20b/tokens/remote", body, 400),
                ("PUT \(device)/tokens/remote", body.replacing("00ff", with: "../x"), 400),
                ("PUT \(device)/tokens/remote", body.replacing("EncryptedService", with: "Rot13"), 400),
                ("GET /notifications/devices", "", 404), ("DELETE \(device)/keys", "", 405),
            ]
            for (line, body, status) in wrong {
                #expect(try await Self.ask(port, line, as: vera, body).status == status, "\(line)")
            }
            #expect(try await Self.ask(port, "PUT \(device)/tokens/remote", as: nil, body).status == 401)
        }
    }
}
