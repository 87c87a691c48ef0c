import Foundation
import WebClient

/// Where a webhook's requests go: an `http` or `https` URL.
package struct WebhookURL: Sendable, Hashable, CustomStringConvertible {
    package let address: WebAddress
    /// Path and query as the request line has them.
    package let target: String

    /// All of it.
    var text: String { address.origin + target }

    /// Reads a URL. Throws `WebhookURLError`.
    package init(_ text: String) throws(WebhookURLError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let address = try? WebAddress(parts), parts.user == nil,
            parts.fragment == nil
        else { throw .notAURL(text) }
        self.address = address
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        target = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// Without the query, which may carry secrets: for logs.
    package var description: String { address.origin + target.prefix { $0 != "?" } }
}

/// Why a text is no webhook URL. The description names the text and the remedy.
package enum WebhookURLError: Error, Hashable, CustomStringConvertible {
    case notAURL(String)

    package var description: String {
        switch self {
        case .notAURL(let text):
            "\"\(text)\" is no webhook URL; give one such as http://127.0.0.1:8080/hooks, without user and fragment"
        }
    }
}
