import NIOCore
import NIOPosix
import Testing

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct HTTPServerTests {
    private static let router: HTTPRouter = {
        var router = HTTPRouter()
        router.get("/") { _ in HTTPResponse(.ok, "OK") }
        router.any("/echo", body: HTTPBodyGate(bytes: 2 << 20)) {
            HTTPResponse(.ok, contentType: "application/octet-stream", $0.body.readableBytesView)
        }
        router.any(
            "/late",
            later: { request, eventLoop in
                // On another loop, and not at once.
                let other = MultiThreadedEventLoopGroup.singleton.next()
                return other.submit { HTTPResponse(.ok, request["n"] ?? "") }
            })
        router.any("/never", later: { _, eventLoop in eventLoop.makePromise(of: HTTPResponse.self).futureResult })
        router.any("/fails", later: { _, eventLoop in eventLoop.makeFailedFuture(ChannelError.eof) })
        return router
    }()

    private func get(_ target: String, _ more: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: h\r\n\(more)\r\n"
    }

    @Test func aConnectionServesManyRequests() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            for _ in 0..<3 {
                client.send(get("/"))
                let response = try await client.response()
                #expect(response.status == 200 && response.body == "OK")
                #expect(response.fields["content-type"] == "text/plain; charset=utf-8")
                #expect(response.fields["connection"] == nil)
            }
            client.send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            let response = try await client.response(toHead: true)
            #expect(response.status == 200 && response.fields["content-length"] == "2")
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send((0..<50).map { get($0 % 3 == 0 ? "/" : "/late?n=\($0)") }.joined())
            for index in 0..<50 {
                #expect(try await client.response().body == (index % 3 == 0 ? "OK" : "\(index)"))
            }
        }
    }

    @Test func thousandsOfPipelinedRequestsDoNotNest() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send(String(repeating: "GET / HTTP/1.1\r\nHost:h\r\n\r\n", count: 2_000) + get("/late?n=last"))
            for _ in 0..<2_000 { #expect(try await client.response().status == 200) }
            #expect(try await client.response().body == "last")
        }
    }

    @Test func bodiesArriveWhole() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            let body = String(repeating: "0123456789", count: 20_000)
            client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(try await client.response().body == body)
            client.send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            client.send("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
            #expect(try await client.response().body == "hello world")
        }
    }

    @Test func aClientThatAsksMaySendItsBody() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.response().status == 100)
            client.send("hi")
            #expect(try await client.response().body == "hi")
        }
    }

    @Test func unknownPathsAndMethodsAreTold() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send(get("/nowhere"))
            #expect(try await client.response().status == 404)
            client.send("DELETE / HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try await client.response()
            #expect(response.status == 405 && response.fields["allow"] == "GET")
        }
    }

    @Test func aRouteThatFailsOrTakesTooLongIsNotWaitedFor() async throws {
        var limits = HTTPLimits()
        limits.answerTimeout = .milliseconds(30)
        try await withHTTPServer(Self.router, limits: limits) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send(get("/fails"))
            let failed = try await client.response()
            #expect(failed.status == 500 && failed.body == "internal error")
            client.send(get("/never"))
            #expect(try await client.response().status == 503)
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test func anotherProtocolIsNotOffered() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send(get("/", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"))
            let response = try await client.response()
            #expect(response.status == 200 && response.fields["connection"] == "close")
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test func aPortInUseIsNamed() async throws {
        try await withHTTPServer(Self.router) { server in
            let port = server.port
            let error = try await #require(throws: HTTPBindError.self) {
                _ = try await HTTPServer.listen(
                    group: MultiThreadedEventLoopGroup.singleton, host: "127.0.0.1", port: port, router: Self.router,
                    logger: .init(label: "test")
                ).get()
            }
            #expect(error.reason == .inUse)
            #expect(error.description.hasPrefix("port \(port) on 127.0.0.1 is in use"))
        }
    }

    @Test(arguments: [("192.0.2.1", 0, HTTPBindError.Reason.noSuchAddress), ("127.0.0.1", 70_000, .noSuchPort)])
    func anAddressThatCannotBeBoundIsNamed(host: String, port: Int, reason: HTTPBindError.Reason) async throws {
        let error = try await #require(throws: HTTPBindError.self) {
            _ = try await HTTPServer.listen(
                group: MultiThreadedEventLoopGroup.singleton, host: host, port: port, router: Self.router,
                logger: .init(label: "test")
            ).get()
        }
        #expect(error.reason == reason)
    }

    @Test func closingEndsIdleConnections() async throws {
        let client = try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send(get("/"))
            #expect(try await client.response().status == 200)
            return client
        }
        #expect(try await client.untilClosed().isEmpty)
    }

    /// Two are in use, and a third finds no place.
    @Test func connectionsInUseAreBounded() async throws {
        var limits = HTTPLimits()
        limits.connections = 2
        limits.closeTimeout = .milliseconds(50)
        let (held, reached) = AsyncStream.makeStream(of: EventLoopPromise<HTTPResponse>.self)
        var router = Self.router
        router.any(
            "/held",
            later: { _, eventLoop in
                let promise = eventLoop.makePromise(of: HTTPResponse.self)
                reached.yield(promise)
                return promise.futureResult
            })
        try await withHTTPServer(router, limits: limits) { server in
            var promises: [EventLoopPromise<HTTPResponse>] = []
            var requests = held.makeAsyncIterator()
            var clients: [HTTPTestClient] = []
            for _ in 0..<2 {
                let client = try await HTTPTestClient.connect(server.port)
                client.send(get("/held"))
                let promise = await requests.next()
                promises.append(try #require(promise))
                clients.append(client)
            }
            let third = try await HTTPTestClient.connect(server.port)
            #expect(try await third.response().status == 503)
            #expect(try await third.untilClosed().isEmpty)
            for promise in promises { promise.succeed(HTTPResponse(.ok, "")) }
            for client in clients { #expect(try await client.response().status == 200) }
            // One of them rests, and makes room: as soon as the server knows that its answer has gone. Who is refused and
            // asks later than the server listens to it hears of nothing but the end.
            var status = 503
            while status == 503 {
                let fourth = try await HTTPTestClient.connect(server.port)
                fourth.send(get("/"))
                do { status = try await fourth.response().status } catch HTTPTestClient.Failure.closed {}
            }
            #expect(status == 200)
        }
    }
}
