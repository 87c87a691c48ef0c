import NIOCore
import NIOPosix
import Testing

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct HTTPWebSocketTests {
    private let fixture = WebSocketFixture()

    @Test func theHandshakeIsThatOfTheRFC() async throws {
        try await withHTTPServer(fixture.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send(WebSocketBytes.handshake())
            let response = try await client.response()
            #expect(response.status == 101)
            // The example of RFC 6455 section 1.3.
            #expect(response.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(response.fields["upgrade"]?.lowercased() == "websocket")
            #expect(response.fields["connection"]?.lowercased() == "upgrade")
        }
    }

    @Test func messagesGoBothWays() async throws {
        try await withHTTPServer(fixture.router) { server in
            let client = try await HTTPTestClient.webSocket(server.port)
            for size in [0, 1, 125, 126, 65_535, 65_536, 300_000] {
                let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
                client.send(WebSocketBytes.frame(2, payload))
                #expect(try await client.frameAfterPings() == .init(opcode: 2, payload: payload))
            }
            client.send(WebSocketBytes.frame(1, Array("grüß dich".utf8)))
            #expect(try await client.frameAfterPings().text == "grüß dich")
        }
    }

    @Test func theRouteMaySendAtOnceAndFramesBehindTheHandshakeCount() async throws {
        let fixture = WebSocketFixture(onOpen: { $0.send(.text("welcome")) })
        try await withHTTPServer(fixture.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            client.send(Array(WebSocketBytes.handshake().utf8) + WebSocketBytes.frame(1, Array("early".utf8)))
            #expect(try await client.response().status == 101)
            #expect(try await client.frame().text == "welcome")
            #expect(try await client.frame().text == "early")
        }
    }

    @Test func fragmentsAreJoinedAndControlFramesMayComeBetween() async throws {
        try await withHTTPServer(fixture.router) { server in
            let client = try await HTTPTestClient.webSocket(server.port)
            client.send(WebSocketBytes.frame(1, Array("one ".utf8), fin: false))
            client.send(WebSocketBytes.frame(9, Array("ping".utf8)))
            client.send(WebSocketBytes.frame(0, Array("two ".utf8), fin: false))
            client.send(WebSocketBytes.frame(10))
            client.send(WebSocketBytes.frame(0, Array("three".utf8)))
            #expect(try await client.frame() == .init(opcode: 10, payload: Array("ping".utf8)))
            #expect(try await client.frame().text == "one two three")
        }
    }

    @Test func theClientCloses() async throws {
        try await withHTTPServer(fixture.router) { server in
            let client = try await HTTPTestClient.webSocket(server.port)
            client.send(WebSocketBytes.frame(1, Array("last".utf8)))
            client.send(WebSocketBytes.frame(8, [0x0f, 0xa0] + Array("bye".utf8)))
            #expect(try await client.frame().text == "last")
            #expect(try await client.frame().closeCode == 4000)
            #expect(try await client.untilClosed().isEmpty)
            #expect(await fixture.messages() == [.text("last")])
        }
    }

    @Test func theServerCloses() async throws {
        let fixture = WebSocketFixture(onOpen: { channel in
            channel.send(.binary([1, 2, 3]))
            channel.close(.policyViolation, reason: String(repeating: "ü", count: 100))
            channel.send(.text("too late"))
            channel.close()
        })
        try await withHTTPServer(fixture.router) { server in
            let client = try await HTTPTestClient.webSocket(server.port)
            #expect(try await client.frame().payload == [1, 2, 3])
            let close = try await client.frame()
            #expect(close.closeCode == 1008)
            #expect(close.payload.dropFirst(2).elementsEqual(String(repeating: "ü", count: 61).utf8))
            client.send(WebSocketBytes.frame(8, [0x03, 0xf0]))
            #expect(try await client.untilClosed().isEmpty)
            #expect(await fixture.messages() == [])
        }
    }

    @Test func aCloseThatIsNotAnsweredEndsAnyway() async throws {
        var limits = HTTPLimits()
        limits.closeTimeout = .milliseconds(20)
        limits.webSocket.goodbyeTimeout = .milliseconds(20)
        let fixture = WebSocketFixture(onOpen: { $0.close() })
        try await withHTTPServer(fixture.router, limits: limits) { server in
            let client = try await HTTPTestClient.webSocket(server.port)
            #expect(try await client.frame().closeCode == 1000)
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    /// Were the socket closed over what the client still sends, its kernel would throw our last words away.
    @Test func theLastWordReachesAClientThatIsStillSending() async throws {
        let fixture = WebSocketFixture(onOpen: { channel in
            channel.send(.text("the reason"))
            channel.close()
        })
        // The way may be slow: the server must not lose patience before everything is written.
        var limits = HTTPLimits()
        limits.webSocket.goodbyeTimeout = .minutes(5)
        limits.closeTimeout = .minutes(5)
        try await withHTTPServer(fixture.router, limits: limits) { server in
            let client = try await HTTPTestClient.webSocket(server.port, readsOn: false)
            // More than the sockets' buffers hold: it is written only if the server reads on.
            let chunk = WebSocketBytes.frame(2, [UInt8](repeating: 7, count: 500_000))
            for _ in 0..<60 { try await client.deliver(chunk) }
            try await client.setReading(true)
            #expect(try await client.frame().text == "the reason")
            #expect(try await client.frame().closeCode == 1000)
            client.send(WebSocketBytes.frame(8, [0x03, 0xe8]))
            #expect(try await client.untilClosed().isEmpty)
            #expect(await fixture.messages() == [])
        }
    }

    @Test func aServerThatStopsSaysSo() async throws {
        var limits = HTTPLimits()
        limits.closeTimeout = .seconds(1)
        let client = try await withHTTPServer(fixture.router, limits: limits) { server in
            try await HTTPTestClient.webSocket(server.port)
        }
        #expect(try await client.frame().closeCode == 1001)
        #expect(await fixture.messages() == [])
    }

    @Test func aLostConnectionIsReported() async throws {
        try await withHTTPServer(fixture.router) { server in
            let client = try await HTTPTestClient.webSocket(server.port)
            client.close()
            #expect(await fixture.messages() == [])
        }
    }

    @Test func requestsThatAreNotAcceptedGetAnAnswer() async throws {
        try await withHTTPServer(fixture.router) { server in
            for (request, status) in [
                (WebSocketBytes.handshake("/ws?token=bad"), 401),
                (WebSocketBytes.handshake("/elsewhere"), 404),
                (WebSocketBytes.handshake(version: "8"), 426),
                (WebSocketBytes.handshake(key: "short"), 400),
                (WebSocketBytes.handshake(key: ""), 400),
                ("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", 404),
                ("GET /ws HTTP/1.0\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 400),
            ] {
                let client = try await HTTPTestClient.connect(server.port)
                client.send(request)
                let response = try await client.response()
                #expect(response.status == status)
                if status == 401 { #expect(response.body == "wrong token") }
                #expect(try await client.untilClosed().isEmpty)
            }
        }
    }

    @Test func idleClientsArePingedAndSilentOnesDropped() async throws {
        var limits = HTTPLimits()
        limits.webSocket.pingInterval = .milliseconds(10)
        limits.webSocket.silenceLimit = .milliseconds(30)
        try await withHTTPServer(fixture.router, limits: limits) { server in
            let client = try await HTTPTestClient.webSocket(server.port)
            #expect(try await client.frame() == .init(opcode: 9, payload: [UInt8](repeating: 0, count: 8)))
            _ = try await client.untilClosed()
            #expect(await fixture.messages() == [])
        }
    }

    /// Pings carry how many messages have gone before them; pongs that nobody asked for say nothing.
    @Test func pongsConfirmWhatWasSent() async throws {
        var limits = HTTPLimits()
        limits.webSocket.pingInterval = .milliseconds(200)
        try await withHTTPServer(fixture.router, limits: limits) { server in
            let client = try await HTTPTestClient.webSocket(server.port)
            for pong in [[], [1], [0, 0, 0, 0, 0, 0, 0, 3], [UInt8](repeating: 255, count: 8)] {
                client.send(WebSocketBytes.frame(10, pong))
            }
            for _ in 0..<2 { client.send(WebSocketBytes.frame(2, [5])) }
            var echoes = 0
            while true {
                let frame = try await client.frame()
                guard frame.opcode == 9 else {
                    echoes += 1
                    continue
                }
                let sent = [0, 0, 0, 0, 0, 0, 0, UInt8(echoes)]
                #expect(frame.payload == sent)
                if echoes < 2 { continue }
                client.send(WebSocketBytes.frame(10, sent))
                client.send(WebSocketBytes.frame(8))
                break
            }
            #expect(await fixture.confirmations.first { _ in true } == 2)
        }
    }

    @Test func aClientThatDoesNotReadIsDropped() async throws {
        var limits = HTTPLimits()
        limits.webSocket.queuedBytes = 100_000
        let fixture = WebSocketFixture(onOpen: { channel in
            for _ in 0..<64 { channel.send(.binary([UInt8](repeating: 7, count: 1 << 20))) }
        })
        try await withHTTPServer(fixture.router, limits: limits) { server in
            let client = try await HTTPTestClient.connect(server.port, reads: false)
            client.send(WebSocketBytes.handshake())
            #expect(await fixture.messages() == [])
            client.close()
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct HTTPWebSocketHostileTests {
    /// A message limit of 1,000 bytes; what the client sends, and the close code it gets.
    @Test(
        arguments: [
            (WebSocketBytes.frame(2, [1, 2, 3], isMasked: false), 1002),
            (WebSocketBytes.frame(2, [1], reserved: 4), 1002),
            (WebSocketBytes.frame(3, [1]), 1002),
            (WebSocketBytes.frame(11), 1002),
            (WebSocketBytes.frame(0, [1]), 1002),
            (WebSocketBytes.frame(2, [1], fin: false) + WebSocketBytes.frame(2, [1]), 1002),
            (WebSocketBytes.frame(9, [1], fin: false), 1002),
            (WebSocketBytes.frame(9, [UInt8](repeating: 0, count: 126)), 1002),
            (WebSocketBytes.frame(8, [1]), 1002),
            (WebSocketBytes.frame(8, [0x03, 0xee]), 1002),
            (WebSocketBytes.frame(8, [0x03, 0xe8, 0xff]), 1007),
            (WebSocketBytes.frame(1, [0xc3, 0x28]), 1007),
            (WebSocketBytes.frame(2, [UInt8](repeating: 0, count: 1_001)), 1009),
            ([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], 1009),
            ([0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], 1009),
            (
                (0..<4).flatMap {
                    WebSocketBytes.frame($0 == 0 ? 2 : 0, [UInt8](repeating: 0, count: 300), fin: false)
                }, 1009
            ),
            ((0..<9).flatMap { WebSocketBytes.frame($0 == 0 ? 2 : 0, [0], fin: false) }, 1008),
        ] as [([UInt8], Int)])
    func violationsCloseWithTheirCode(bytes: [UInt8], code: Int) async throws {
        var limits = HTTPLimits()
        limits.webSocket.messageBytes = 1_000
        limits.webSocket.messageFragments = 8
        let fixture = WebSocketFixture()
        try await withHTTPServer(fixture.router, limits: limits) { server in
            let client = try await HTTPTestClient.webSocket(server.port)
            client.send(bytes + WebSocketBytes.frame(1, Array("after".utf8)))
            #expect(try await client.frame().closeCode == code)
            #expect(try await client.untilClosed().isEmpty)
            #expect(await fixture.messages() == [])
        }
    }

    @Test func mutatedFramesDoNoHarm() async throws {
        var limits = HTTPLimits()
        limits.webSocket.messageBytes = 10_000
        limits.closeTimeout = .milliseconds(20)
        var router = HTTPRouter()
        router.webSocket("/ws", plain: { _ in .notFound }) { _ in
            .accept { TestReceiver($0) }
        }
        try await withHTTPServer(router, limits: limits) { server in
            var random = SplitMix(state: 7)
            for _ in 0..<40 {
                var bytes = WebSocketBytes.frame(1, Array("hello".utf8), fin: false) + WebSocketBytes.frame(9, [1, 2])
                bytes += WebSocketBytes.frame(0, [UInt8](repeating: 65, count: 200)) + WebSocketBytes.frame(2, [0])
                for _ in 0...Int.random(in: 0...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                let client = try await HTTPTestClient.webSocket(server.port)
                client.send(bytes)
                client.send(WebSocketBytes.frame(8, [0x03, 0xe8]))
                // Either a frame comes back, or the mutation swallowed everything and the client leaves.
                if bytes[0] & 0x8f == 1 { client.close() } else { _ = try? await client.frame() }
                client.close()
            }
            _ = try await HTTPTestClient.webSocket(server.port)
        }
    }
}
