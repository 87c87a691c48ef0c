import Foundation
import Testing
import WebClient

/// `serve --metrics`: what Prometheus gets.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MetricsTests {
    @Test func aServerAnswersOnAPortOfItsOwn() async throws {
        let server = try AgentProcess([
            "serve", "--port", "0", "--secret", "a-secret-of-32-characters-or-more", "--metrics", "0", "--json",
        ])
        let line = try await server.line()
        let announced = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let url = try #require((announced["metrics"] as? String).flatMap { URLComponents(string: $0) })
        for _ in 0..<2 {
            let answer = try await WebClient.send(WebRequest(.get, url, trust: .environment))
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == 200)
            #expect(text.contains("# TYPE callbridge_participants gauge\ncallbridge_participants 0\n"))
            #expect(
                text.contains(
                    "# TYPE callbridge_packets_forwarded_total counter\ncallbridge_packets_forwarded_total 0\n"))
            #expect(text.contains("process_resident_memory_bytes ") && !text.contains("metrics_refused"))
        }
        server.send(SIGTERM)
        #expect(try await server.ending().code == 0)
    }

    @Test func aPortThatIsTakenIsNamed() async throws {
        let server = try await ServerProcess.start()
        let port = try #require(server.url.split(separator: ":").last)
        let other = try await AgentProcess.run(
            ["serve", "--port", "0", "--secret", "a-secret-of-32-characters-or-more", "--metrics", String(port)])
        #expect(other.code == 3 && other.errors.contains("port \(port) on 127.0.0.1 is in use"))
        try await server.stop()
    }
}
