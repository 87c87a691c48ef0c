import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// What a server's rooms tell a webhook receiver.
@Suite(.timeLimit(.minutes(10))) struct RoomWebhookTests {
    private func withReceiver(
        _ body: (CallServer, WebhookReceiver) async throws -> Void
    ) async throws {
        let receiver = WebhookReceiver()
        try await withHTTPServer(receiver.router) { http in
            try await withCallServer({ $0.webhooks.rooms = ["http://127.0.0.1:\(http.port)/hooks"] }) { server in
                try await body(server, receiver)
            }
        }
    }

    @Test func aRoomsLifeIsToldInOrderAndSigned() async throws {
        try await withReceiver { server, receiver in
            let api = RoomAPI.admin(server)
            let made = try await api.call("CreateRoom", #"{"name":"r","metadata":"m"}"#)
            let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("alice"))
            _ = try await client.next(\.joining)
            _ = try await api.call("DeleteRoom", #"{"room":"r"}"#)
            let requests = await receiver.count(3)
            let events = receiver.events
            // Her media never was connected.
            #expect(events.map(\.event) == ["room_started", "participant_connection_aborted", "room_finished"])
            #expect(events[0].room.metadata == "m" && made.json["sid"] == .string(events[0].room.sid))
            #expect(events[1].participant.identity == "alice")
            #expect(events[1].participant.disconnectReason == .roomDeleted)
            #expect(events[2].roomEndReason == .roomEndApiDelete)
            #expect(Set(events.map(\.id)).count == 3 && events.allSatisfy { $0.id.hasPrefix("EV_") })
            for request in requests {
                #expect(request.contentType == "application/webhook+json")
                let claims = try AccessToken.verify(
                    request.authorization, secrets: ["key": "secret"], now: Date().timeIntervalSince1970)
                #expect(claims.issuer == "key" && claims.sha256 == BodyHash.sha256(request.body))
                #expect((claims.expires ?? 0) - (claims.notBefore ?? 0) == 300 && claims.issuedAt != nil)
                #expect(request.text.contains(#""createdAt":""#))
                // Defaults are left out.
                #expect(!request.text.contains("numDropped") && !request.text.contains(#""track""#))
            }
        }
    }

    @Test func whatWaitsIsDeliveredWhenTheServerStops() async throws {
        let receiver = WebhookReceiver { $0 < 2 ? .serviceUnavailable : .ok }
        try await withHTTPServer(receiver.router) { http in
            try await withCallServer({
                $0.webhooks.rooms = ["http://127.0.0.1:\(http.port)/hooks"]
                $0.timing.webhookFlush = 60_000
            }) { server in
                _ = try await RoomAPI.admin(server).call("CreateRoom", #"{"name":"r"}"#)
            }
            #expect(Set(receiver.events.suffix(2).map(\.event)) == ["room_started", "room_finished"])
            #expect(receiver.events.last?.roomEndReason == .roomEndServerShutdown)
        }
    }

    @Test func whatNoServerCanSendIsSaidAtOnce() async throws {
        await #expect(throws: CallServerError.self) {
            try await withCallServer({ $0.webhooks.rooms = ["ftp://h/"] }) { _ in }
        }
        await #expect(throws: CallServerError.self) {
            try await withCallServer({ $0.webhooks.apiKey = "other" }) { _ in }
        }
    }

    /// SHA-256 of "abc" (FIPS 180-4, appendix).
    @Test func theHashIsBase64OfSHA256() {
        #expect(BodyHash.sha256(Array("abc".utf8)) == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    }
}
