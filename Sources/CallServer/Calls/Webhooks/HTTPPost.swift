import Foundation
import TransportSecurity
import WebClient

/// One POST request (RFC 9110 section 9.3.3), and the status of its answer.
struct HTTPPost: Sendable {
    var url: WebhookURL
    var trust: TLSTrust
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    /// Seconds for connection, request and answer together.
    var timeout: Double

    /// Sends the request. The answer's body is dropped.
    func send() async throws(WebFailure) -> Int {
        guard let parts = URLComponents(string: url.text) else { throw .notAURL }
        var request = WebRequest(.post, parts, trust: trust)
        request.headers = headers
        request.body = body
        request.timeout = timeout
        let answer = try await WebClient.open(request)
        answer.cancel()
        return answer.status
    }
}
