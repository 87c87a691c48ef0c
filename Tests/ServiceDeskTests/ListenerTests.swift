import Foundation
import NIOCore
import NIOPosix
import ServiceDesk
import ServiceDeskCore
import TransportSecurity
import WebClient
import Testing

/// What clients that are none make of the listener.
@Suite(.timeLimit(.minutes(10))) struct ListenerTests {
    private static func listen(connections: Int = 256) async throws -> DeskListener {
        var limits = DeskListener.Limits()
        limits.connections = connections
        return try await DeskListener.listen(
            host: "127.0.0.1", port: 0, limits: limits,
            DeskListener.Service(
                bodyLimit: { method, path throws(DeskRefusal) in
                    guard path == "/echo" else { throw DeskRefusal(404, "nothing here") }
                    return 1_000
                },
                answer: { DeskHTTPResponse(200, contentType: "text/plain", $0.body) }))
    }

    private static func ask(
        _ port: Int, _ path: String, _ body: [UInt8], headers: [(String, String)] = []
    ) async throws -> WebAnswer {
        let url = try #require(URLComponents(string: "http://127.0.0.1:\(port)\(path)"))
        var request = WebRequest(.post, url, trust: .environment)
        request.body = body
        request.headers = headers
        return try await WebClient.send(request)
    }

    @Test func requestsAreAnswered() async throws {
        let listener = try await Self.listen()
        let body = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        let answer = try await Self.ask(listener.port, "/echo?x=1", body)
        #expect(answer.status == 200 && answer.body == body)
        #expect(try await Self.ask(listener.port, "/other", []).status == 404)
        await listener.close()
    }

    @Test func bodiesAreBoundedByTheHead() async throws {
        let listener = try await Self.listen()
        #expect(try await Self.ask(listener.port, "/echo", [UInt8](repeating: 0, count: 1_001)).status == 413)
        #expect(try await Self.ask(listener.port, "/other", [UInt8](repeating: 0, count: 100_000)).status == 404)
        let long = [("X-Long", String(repeating: "x", count: 20_000))]
        #expect(try await Self.ask(listener.port, "/echo", [1], headers: long).status == 400)
        #expect(try await Self.ask(listener.port, "/echo", [1]).status == 200)
        await listener.close()
    }

    @Test func connectionsAreBounded() async throws {
        let listener = try await Self.listen(connections: 0)
        await #expect(throws: WebFailure.self) { try await Self.ask(listener.port, "/echo", [1]) }
        await listener.close()
    }

    @Test func aPortIsHadOnce() async throws {
        let listener = try await Self.listen()
        var configuration = ServiceDeskServer.Configuration()
        configuration.port = listener.port
        let server = try ServiceDeskServer(configuration)
        do throws(DeskError) {
            try await server.start()
            Issue.record("two on one port")
        } catch { #expect(error.code == .portUnavailable && error.message.contains("\(listener.port)")) }
        await listener.close()
        try await server.start()
        await server.stop()
        configuration.port = 70_000
        let impossible = try ServiceDeskServer(configuration)
        await #expect(throws: DeskError.self) { try await impossible.start() }
        configuration.webhookURL = "nonsense"
        #expect(throws: DeskError.self) { try ServiceDeskServer(configuration) }
    }

    /// Bytes as they are, until the other side closes.
    private static func raw(_ port: Int, _ text: String) async throws -> String {
        let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RawReader(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        // The other side may have closed already, for want of it; what it said counts.
        try? await channel.writeAndFlush(ByteBuffer(string: text))
        var answer = ""
        for await bytes in stream { answer += String(buffer: bytes) }
        return answer
    }

    private final class RawReader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let bytes: AsyncStream<ByteBuffer>.Continuation

        init(_ bytes: AsyncStream<ByteBuffer>.Continuation) { self.bytes = bytes }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes.yield(unwrapInboundIn(data)) }

        func channelInactive(context: ChannelHandlerContext) { bytes.finish() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    @Test func whatIsNoRequest() async throws {
        let listener = try await Self.listen()
        let port = listener.port
        #expect(try await Self.raw(port, "nonsense\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
        #expect(
            try await Self.raw(port, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n").contains("400"))
        let chunked = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try await Self.raw(port, chunked + "3\r\nabc\r\n0\r\n\r\n").hasSuffix("\r\n\r\nabc"))
        let endless = chunked + String(repeating: "ff\r\n\(String(repeating: "x", count: 255))\r\n", count: 5)
        #expect(try await Self.raw(port, endless).hasPrefix("HTTP/1.1 413 "))
        // Of two requests at once the first is answered, and the connection ends.
        let one = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na"
        let both = try await Self.raw(port, one + one)
        #expect(both.components(separatedBy: "HTTP/1.1 200").count == 2 && both.contains("Connection: close"))
        let expecting = "POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nb"
        #expect(try await Self.raw(port, expecting).hasPrefix("HTTP/1.1 100 "))
        await listener.close()
    }

    /// Who says nothing, or half of something, is sent away.
    @Test func slowClients() async throws {
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        let service = DeskListener.Service(
            bodyLimit: { _, _ in 10 },
            answer: { _ in
                // Ends when the listener no longer waits for it.
                for await _ in never {}
                return DeskHTTPResponse(200)
            })
        var (hasty, calm, patient) = (DeskListener.Limits(), DeskListener.Limits(), DeskListener.Limits())
        // On a busy machine half a request takes its time, and a whole one.
        (hasty.requestTimeout, calm.requestTimeout) = (.milliseconds(500), .seconds(5))
        (patient.requestTimeout, patient.answerTimeout) = (.seconds(60), .milliseconds(500))
        let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n"
        var listener = try await DeskListener.listen(host: "127.0.0.1", port: 0, limits: hasty, service)
        #expect(try await Self.raw(listener.port, "").isEmpty)
        await listener.close()
        listener = try await DeskListener.listen(host: "127.0.0.1", port: 0, limits: calm, service)
        #expect(try await Self.raw(listener.port, head + "a").hasPrefix("HTTP/1.1 408 "))
        await listener.close()
        listener = try await DeskListener.listen(host: "127.0.0.1", port: 0, limits: patient, service)
        #expect(try await Self.raw(listener.port, head + "ab").hasPrefix("HTTP/1.1 503 "))
        continuation.finish()
        await listener.close()
    }
}
