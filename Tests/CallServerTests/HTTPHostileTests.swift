import NIOCore
import Testing

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct HTTPHostileTests {
    private static let router: HTTPRouter = {
        var router = HTTPRouter()
        router.get("/") { _ in HTTPResponse(.ok, "OK") }
        router.any("/echo", body: HTTPBodyGate(bytes: 2 << 20)) {
            HTTPResponse(.ok, contentType: "text/plain", $0.body.readableBytesView)
        }
        return router
    }()

    /// What the server says to `bytes`, and that it closes afterwards and still serves others.
    private func status(of text: String, limits: HTTPLimits = .init()) async throws -> Int {
        try await withHTTPServer(Self.router, limits: limits) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send(text)
            let status = try await client.response().status
            _ = try await client.untilClosed()
            try await expectServes(server)
            return status
        }
    }

    private func expectServes(_ server: HTTPServer) async throws {
        let client = try await HTTPTestClient.connect(server.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        // Where the times are short, a loaded machine may be late with its request.
        #expect([200, 408].contains(try await client.response().status))
    }

    @Test(arguments: [
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}\u{3}", 400),
        ("hello\r\n\r\n", 400),
        ("GET  HTTP/1.1\r\n\r\n", 400),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        ("GET / HTTP/9.9\r\nHost: h\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\n: novalue\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nA b: c\r\n\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999\r\n\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9223372036854775807\r\n\r\n", 413),
        ("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2097153\r\n\r\n", 413),
    ])
    func malformedRequestsAreRefused(text: String, expected: Int) async throws {
        #expect(try await status(of: text) == expected)
    }

    @Test func headsAreBounded() async throws {
        let fields = (0..<200).map { "X-\($0): a\r\n" }.joined()
        #expect(try await status(of: "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n") == 431)
        let long = String(repeating: "a", count: 300 * 1024)
        #expect(try await status(of: "GET / HTTP/1.1\r\nHost: h\r\nX: \(long)\r\n\r\n") == 431)
        #expect(try await status(of: "GET /\(long) HTTP/1.1\r\nHost: h\r\n\r\n") == 431)
        // A head that never ends is refused when it is too long, not when it ends.
        let endless = (0..<60).map { "X-\($0): \(String(repeating: "a", count: 5_000))\r\n" }.joined()
        #expect(try await status(of: "GET / HTTP/1.1\r\nHost: h\r\n\(endless)") == 431)
    }

    @Test func longTargetsAreServed() async throws {
        try await withHTTPServer(Self.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            let query = String(repeating: "a", count: 100 * 1024)
            client.send("GET /?join_request=\(query) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response().status == 200)
        }
    }

    @Test func chunkedBodiesAreBounded() async throws {
        var limits = HTTPLimits()
        limits.bodyBytes = 1_000
        let chunk = "200\r\n\(String(repeating: "a", count: 0x200))\r\n"
        let head = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try await status(of: head + chunk + chunk + chunk + chunk, limits: limits) == 413)
    }

    @Test(arguments: [
        "", "GET / HT", "GET / HTTP/1.1\r\nHost: h\r\nX: ",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ])
    func slowRequestsAreNotWaitedFor(text: String) async throws {
        var limits = HTTPLimits()
        limits.requestTimeout = .milliseconds(50)
        #expect(try await status(of: text, limits: limits) == 408)
    }

    @Test func idleConnectionsAreClosedSilently() async throws {
        var limits = HTTPLimits()
        limits.keepAliveTimeout = .milliseconds(20)
        try await withHTTPServer(Self.router, limits: limits) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response().status == 200)
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test func clientsThatLeaveAnywhereDoNoHarm() async throws {
        try await withHTTPServer(Self.router) { server in
            let text = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody"
            for length in stride(from: 0, through: text.utf8.count, by: 5) {
                let client = try await HTTPTestClient.connect(server.port)
                client.send(Array(text.utf8.prefix(length)))
                client.close()
            }
            try await expectServes(server)
        }
    }

    @Test func randomBytesDoNoHarm() async throws {
        var limits = HTTPLimits()
        limits.requestTimeout = .milliseconds(50)
        limits.closeTimeout = .milliseconds(50)
        try await withHTTPServer(Self.router, limits: limits) { server in
            var random = SplitMix(state: 42)
            let valid = Array("GET /?a=b HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n".utf8)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<60 {
                    var bytes = valid
                    if round % 2 == 0 {
                        bytes = (0..<Int.random(in: 1...2_000, using: &random)).map { _ in
                            UInt8.random(in: 0...255, using: &random)
                        }
                    } else {
                        for _ in 0...Int.random(in: 0...3, using: &random) {
                            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                                in: 0...255, using: &random)
                        }
                    }
                    group.addTask { [bytes] in
                        let client = try await HTTPTestClient.connect(server.port)
                        client.send(bytes)
                        _ = try? await client.response()
                        client.close()
                    }
                }
                try await group.waitForAll()
            }
            try await expectServes(server)
        }
    }
}

/// SplitMix64: the same bytes in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
