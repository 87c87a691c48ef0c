import Testing

@testable import CallServer

/// What a browser needs of a server that its page doesn't come from.
@Suite(.timeLimit(.minutes(10))) struct CrossOriginTests {
    private static let router: HTTPRouter = {
        var router = HTTPRouter()
        router.get("/") { _ in HTTPResponse(.ok, "OK") }
        router.any("/twirp/*") { request in HTTPResponse(.ok, request.bearerToken ?? "nobody") }
        return router
    }()

    private let origin = "Origin: https://app.example\r\n"

    @Test func aBrowserThatAsksFirstMaySendItsToken() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send(
                """
                OPTIONS /twirp/livekit.RoomService/ListRooms HTTP/1.1\r
                Host: h\r
                \(origin)Access-Control-Request-Method: POST\r
                Access-Control-Request-Headers: authorization,content-type\r
                \r\n
                """)
            let allowed = try await client.response()
            #expect(allowed.status == 204 && allowed.body.isEmpty && allowed.fields["content-length"] == nil)
            #expect(allowed.fields["access-control-allow-origin"] == "*")
            #expect(allowed.fields["access-control-allow-methods"] == "POST")
            #expect(allowed.fields["access-control-allow-headers"] == "authorization, content-type")
            #expect(allowed.fields["access-control-max-age"] == "86400")
            // Then the request itself, on the same connection.
            client.send(
                "POST /twirp/x HTTP/1.1\r\nHost: h\r\n\(origin)Authorization: Bearer t\r\nContent-Length: 0\r\n\r\n")
            let response = try await client.response()
            #expect(response.body == "t" && response.fields["access-control-allow-origin"] == "*")
        }
    }

    @Test func refusalsMayBeReadToo() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            for (request, status) in [
                ("GET /nowhere", 404), ("DELETE /", 405), ("POST /twirp/x", 413),
            ] {
                let length = status == 413 ? "Content-Length: 999999999\r\n" : ""
                client.send("\(request) HTTP/1.1\r\nHost: h\r\n\(origin)\(length)\r\n")
                let response = try await client.response()
                #expect(response.status == status)
                #expect(response.fields["access-control-allow-origin"] == "*")
            }
        }
    }

    @Test func othersAreToldNothingOfOrigins() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response().fields["access-control-allow-origin"] == nil)
            client.send("OPTIONS / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response().status == 405)
        }
    }
}
