import Foundation
import NIOCore
import NIOHTTP1

/// A whole request, read into what routes ask for. It stays out of logs: query and header fields carry tokens.
struct HTTPRequest: Sendable {
    let method: HTTPMethod
    /// As sent, percent-encoded, without the query; runs of slashes are one slash.
    let path: String
    let query: HTTPQuery
    /// As sent, percent-encoded: for dialects that read it by rules of their own.
    let rawQuery: String
    let headers: HTTPHeaders
    var body = ByteBuffer()
    /// It came over TLS.
    var isSecure = false
    var remoteAddress: SocketAddress?
    /// The address and port that the client has reached us at.
    var localAddress: SocketAddress?

    init(_ head: HTTPRequestHead) {
        method = head.method
        headers = head.headers
        let target = Self.originForm(head.uri)
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = Self.collapseSlashes(parts.first ?? "")
        query = parts.count > 1 ? HTTPQuery(parsing: parts[1]) : HTTPQuery()
        rawQuery = parts.count > 1 ? String(parts[1]) : ""
    }

    /// The value of a query parameter; the first one counts.
    subscript(name: String) -> String? { query[name] }

    /// `1` or `true`, as LiveKit's clients write it.
    func flag(_ name: String) -> Bool? { query[name].map { $0 == "1" || $0.lowercased() == "true" } }

    /// The `Authorization` field.
    var authorization: String? { headers.first(name: "authorization") }

    /// What the client calls us: the `Host` field.
    var host: String? { headers.first(name: "host") }

    /// True for a WebSocket handshake (RFC 6455 section 4.1), whether the rest of it is right or not.
    var isUpgrade: Bool {
        method == .GET && headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
            && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }

    /// The token of the bearer scheme (RFC 6750).
    var bearerToken: String? { credentials(of: "bearer") }

    /// The credentials of HTTP's basic scheme (RFC 7617).
    var basicCredentials: (user: String, password: String)? {
        guard let encoded = credentials(of: "basic"), let bytes = Data(base64Encoded: encoded),
            let text = String(bytes: bytes, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// `<scheme> <credentials>` (RFC 9110 section 11.4); schemes ignore case.
    private func credentials(of scheme: String) -> String? {
        guard let parts = authorization?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == scheme
        else { return nil }
        return parts[1].trimmingCharacters(in: .whitespaces)
    }

    /// A target without scheme and authority (RFC 9112 section 3.2.2: servers accept the absolute form, too).
    private static func originForm(_ target: String) -> Substring {
        guard !target.hasPrefix("/"), let scheme = target.range(of: "://") else { return Substring(target) }
        let authority = target[scheme.upperBound...]
        return authority.firstIndex { $0 == "/" || $0 == "?" }.map { authority[$0...] } ?? "/"
    }

    private static func collapseSlashes(_ path: Substring) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.utf8.count)
        let slash = UInt8(ascii: "/")
        for byte in path.utf8 where byte != slash || bytes.last != slash { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
