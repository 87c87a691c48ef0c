import AccessPolicy
import AsyncHTTPClient
import Foundation
import NIOHTTP1
import TransportSecurity

/// A request of HTTP/1.1.
package struct WebRequest: Sendable {
    package struct Method: Sendable, Hashable {
        package let name: String

        /// Any method (RFC 9110 section 9.1).
        package init(_ name: String) { self.name = name }

        package static let get = Method("GET")
        package static let post = Method("POST")
        package static let put = Method("PUT")
        package static let delete = Method("DELETE")
        package static let patch = Method("PATCH")

        /// Made twice it does what it does once (RFC 9110 section 9.2.2).
        var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(name) }
    }

    package var method: Method
    package var url: URLComponents
    /// Beside Host and those of the framing, Content-Length and Transfer-Encoding.
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    /// Seconds until the answer must be complete; of a stream, seconds that it may be silent.
    package var timeout = 10.0
    package var trust: TLSTrust

    package init(_ method: Method, _ url: URLComponents, trust: TLSTrust) {
        self.method = method
        self.url = url
        self.trust = trust
    }

    /// Path and query as the request line has them.
    var target: String {
        let path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
        return path + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// The request that a redirection asks for (RFC 9110 section 15.4); nil where it is not to be followed: only what
    /// changes nothing is repeated elsewhere, and never without TLS what was asked for with it.
    func following(_ location: String) -> WebRequest? {
        guard method == .get, let base = url.url, let next = URL(string: location, relativeTo: base),
            let parts = URLComponents(url: next, resolvingAgainstBaseURL: true), let old = try? WebAddress(url),
            let new = try? WebAddress(parts), new.isSecure || !old.isSecure
        else { return nil }
        var request = self
        request.url = parts
        // Another server has no business with our credentials.
        if new != old { request.headers.removeAll { ["authorization", "cookie"].contains($0.name.lowercased()) } }
        return request
    }
}

/// A complete answer.
package struct WebAnswer: Sendable {
    package var status: Int
    package var body: [UInt8]
}

/// Why there is no answer. The description does not name the server: who asks knows how to call it.
package enum WebFailure: Error, CustomStringConvertible {
    case notAURL
    /// By the policy, before anything was sent.
    case refused(URLRefusal)
    case unreachable(String)
    case tls(TLSError)
    case timedOut
    /// The connection ended before the answer did.
    case closed
    case notHTTP
    case tooLarge
    case tooManyRedirections

    init(_ error: any Error) {
        switch error {
        case let failure as WebFailure: self = failure
        case let failure as TLSError: self = .tls(failure)
        case let refusal as URLRefusal: self = .refused(refusal)
        case let failure as HTTPClientError: self.init(failure)
        case is CancellationError: self = .closed
        case is HTTPParserError: self = .notHTTP
        default: self = .unreachable(WebDialer.reason(error))
        }
    }

    private init(_ failure: HTTPClientError) {
        switch failure {
        case .deadlineExceeded, .connectTimeout, .readTimeout, .getConnectionFromPoolTimeout: self = .timedOut
        case .invalidURL, .emptyHost, .emptyScheme: self = .notAURL
        case .remoteConnectionClosed, .cancelled, .alreadyShutdown, .uncleanShutdown: self = .closed
        default: self = .unreachable(failure.shortDescription)
        }
    }

    package var description: String {
        switch self {
        case .notAURL: "that is no URL"
        case .refused(let refusal): "\(refusal)"
        case .unreachable(let reason): reason
        case .tls(let error): "\(error)"
        case .timedOut: "no answer in time"
        case .closed: "the connection ended without a complete answer"
        case .notHTTP: "what answers does not speak HTTP"
        case .tooLarge: "the answer is too large"
        case .tooManyRedirections: "too many redirections"
        }
    }
}
