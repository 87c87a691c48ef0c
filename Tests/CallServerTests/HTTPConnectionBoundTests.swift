import NIOCore
import Testing

@testable import CallServer

/// Who asks for nothing makes room for who does.
@Suite(.timeLimit(.minutes(10))) struct HTTPConnectionBoundTests {
    private static let router: HTTPRouter = {
        var router = HTTPRouter()
        router.get("/") { _ in HTTPResponse(.ok, "OK") }
        router.any("/open", body: HTTPBodyGate(bytes: 1_000)) { HTTPResponse(.ok, "\($0.body.readableBytes)") }
        router.any(
            "/guarded",
            body: HTTPBodyGate(bytes: 2 << 20) { request in
                request.bearerToken == "good" ? nil : HTTPResponse(.unauthorized, "no")
            }
        ) { HTTPResponse(.ok, "\($0.body.readableBytes)") }
        router.webSocket("/ws", plain: { _ in .notFound }) { _ in .refuse(.notFound) }
        return router
    }()

    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    private func limits(_ connections: Int) -> HTTPLimits {
        var limits = HTTPLimits()
        limits.connections = connections
        limits.requestTimeout = .minutes(10)
        limits.keepAliveTimeout = .minutes(10)
        return limits
    }

    /// Heads that never end fill the server, and whoever comes with a whole one is served all the same.
    @Test func slowRequestsMakeRoom() async throws {
        try await withHTTPServer(Self.router, limits: limits(8)) { server in
            var slow: [HTTPTestClient] = []
            for _ in 0..<40 {
                let client = try await HTTPTestClient.connect(server.port)
                try await client.deliver(Array("GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ".utf8))
                slow.append(client)
            }
            // The oldest are gone: of one address a quarter of all may be without a request.
            for client in slow.prefix(30) { #expect(try await client.untilClosed().isEmpty) }
            for _ in 0..<20 {
                let honest = try await HTTPTestClient.connect(server.port)
                honest.send(Self.get)
                #expect(try await honest.response().status == 200)
                honest.close()
            }
        }
    }

    /// Connections that rest between two requests give way too, but none that is in use.
    @Test func restingConnectionsMakeRoom() async throws {
        try await withHTTPServer(Self.router, limits: limits(8)) { server in
            var resting: [HTTPTestClient] = []
            for _ in 0..<20 {
                let client = try await HTTPTestClient.connect(server.port)
                client.send(Self.get)
                #expect(try await client.response().status == 200)
                resting.append(client)
            }
            for client in resting.prefix(12) { _ = try await client.untilClosed() }
            resting[19].send(Self.get)
            #expect(try await resting[19].response().status == 200)
        }
    }

    /// Hundreds of clients behind one address, all there before the first has sent its request.
    @Test func hundredsOfHonestClientsOfOneAddressAreServed() async throws {
        try await withHTTPServer(Self.router, limits: limits(HTTPLimits().connections)) { server in
            var clients: [HTTPTestClient] = []
            for _ in 0..<400 { clients.append(try await HTTPTestClient.connect(server.port)) }
            for client in clients { client.send(Self.get) }
            for client in clients {
                #expect(try await client.response().status == 200)
                client.close()
            }
        }
    }

    /// The head decides: not one byte of these bodies is sent, and the answer is there.
    @Test(arguments: [
        ("POST /nowhere", "", 404), ("POST /", "", 405), ("POST /guarded", "", 401),
        ("POST /guarded", "Authorization: Bearer bad\r\n", 401), ("POST /open", "", 413), ("POST /ws", "", 413),
    ])
    func refusalsDoNotWaitForTheBody(line: String, fields: String, status: Int) async throws {
        try await withHTTPServer(Self.router) { server in
            for framing in ["Content-Length: 2000000", "Content-Length: 2000000\r\nExpect: 100-continue"] {
                let client = try await HTTPTestClient.connect(server.port)
                client.send("\(line) HTTP/1.1\r\nHost: h\r\n\(fields)\(framing)\r\n\r\n")
                #expect(try await client.response().status == status)
                _ = try await client.untilClosed()
            }
        }
    }

    @Test func aChunkedBodyIsBoundedByItsRoute() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send("POST /open HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            client.send("400\r\n" + String(repeating: "x", count: 1_024) + "\r\n")
            #expect(try await client.response().status == 413)
            let good = try await HTTPTestClient.connect(server.port)
            good.send("POST /guarded HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer good\r\nContent-Length: 5000\r\n\r\n")
            good.send([UInt8](repeating: 7, count: 5_000))
            let answer = try await good.response()
            #expect(answer.status == 200 && answer.body == "5000")
        }
    }

    /// The server's own routes: without credentials nobody has a body read.
    @Test(arguments: [
        ("POST /twirp/livekit.RoomService/CreateRoom", "Content-Type: application/json\r\n", 401),
        ("POST /twirp/livekit.RoomService/Nothing", "Content-Type: application/json\r\n", 404),
        ("PUT /callbridge/v1/configuration", "", 401),
        ("POST /callbridge/v1/ring/commands?person=a&device=b", "", 403),
        ("POST /callbridge/v1/descriptor?conversation=c", "", 413), ("POST /rtc", "", 413), ("POST /x", "", 404),
    ])
    func strangersSendNoBodies(line: String, fields: String, status: Int) async throws {
        try await withCallServer { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send("\(line) HTTP/1.1\r\nHost: h\r\n\(fields)Content-Length: 2000000\r\n\r\n")
            #expect(try await client.response().status == status)
            _ = try await client.untilClosed()
        }
    }
}
