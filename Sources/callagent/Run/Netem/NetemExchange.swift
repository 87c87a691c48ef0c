import Foundation
import NIOCore
import NIOHTTP1
import TransportSecurity
import WebClient

/// One request to the server behind `netem`.
struct NetemExchange: Sendable {
    /// Head and body; a body is 2 MiB at most.
    struct Request: Sendable {
        var head: HTTPRequestHead
        var body: [UInt8]
    }

    struct Response: Sendable {
        var head: HTTPResponseHead
        var body: [UInt8]
    }

    let address: WebAddress
    let trust: TLSTrust

    static let longest = 2 * 1024 * 1024
    private static let timeout = 30.0

    func send(_ request: Request) async throws(WebFailure) -> Response {
        // Anything else could lead to another server.
        guard request.head.uri.hasPrefix("/"),
            let url = URLComponents(string: address.origin + request.head.uri)
        else { throw .notAURL }
        var web = WebRequest(.init(request.head.method.rawValue), url, trust: trust)
        web.headers = request.head.headers.map { (name: $0.name, value: $0.value) }
        web.body = request.body
        web.timeout = Self.timeout
        let answer = try await WebClient.open(web)
        let status = HTTPResponseStatus(statusCode: answer.status)
        return Response(
            head: HTTPResponseHead(version: .http1_1, status: status, headers: answer.headers),
            body: try await answer.collect(atMost: Self.longest))
    }

    /// The head as the server shall have it, in an exchange of its own.
    func head(_ head: HTTPRequestHead, target: String) -> HTTPRequestHead {
        var result = head
        result.uri = target
        for name in [
            "Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Expect", "Accept-Encoding",
        ] {
            result.headers.remove(name: name)
        }
        return result
    }
}
