import Foundation

/// Where a webhook's requests go: an `http` URL.
package struct WebhookURL: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: Int
    /// Path and query as the request line has them.
    package let target: String
    /// What the `Host` field says.
    let authority: String

    /// Reads a URL. Throws `WebhookURLError`.
    package init(_ text: String) throws(WebhookURLError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else {
            throw .notAURL(text)
        }
        if scheme == "https" { throw .needsTLS(text) }
        guard scheme == "http", let host = parts.host, !host.isEmpty, (1...65_535).contains(parts.port ?? 80),
            parts.user == nil, parts.fragment == nil
        else { throw .notAURL(text) }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? 80
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        target = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
        let name = self.host.contains(":") ? "[\(self.host)]" : self.host
        authority = parts.port.map { "\(name):\($0)" } ?? name
    }

    /// Without the query, which may carry secrets: for logs.
    package var description: String { "http://\(authority)\(target.prefix { $0 != "?" })" }
}

/// Why a text is no webhook URL. The description names the text and the remedy.
package enum WebhookURLError: Error, Hashable, CustomStringConvertible {
    case notAURL(String)
    case needsTLS(String)

    package var description: String {
        switch self {
        case .notAURL(let text):
            "\"\(text)\" is no webhook URL; give one such as http://127.0.0.1:8080/hooks, without user and fragment"
        case .needsTLS(let text):
            "\"\(text)\" needs TLS, which webhooks are not sent over; give an http URL, for example of a proxy on this "
                + "machine that passes requests on over TLS"
        }
    }
}
