import Foundation
import ServiceDesk
import ServiceDeskCore
import TransportSecurity
import WebClient
import Testing

/// What clients that are none make of the listener.
@Suite(.timeLimit(.minutes(1))) struct ListenerTests {
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
}
