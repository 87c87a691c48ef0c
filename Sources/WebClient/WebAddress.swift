import Foundation

/// Where a server of the web is: whether it speaks TLS, its host and port.
package struct WebAddress: Sendable, Hashable {
    package var isSecure: Bool
    /// Without the brackets of an IPv6 address.
    package var host: String
    /// 1...65535.
    package var port: Int

    /// Why a URL has no address.
    package enum Fault: Error, Hashable {
        case notAURL
        case scheme(String)
        case port(Int)
    }

    /// From a URL's parts; `https` and `wss` are secure, `http` and `ws` are not.
    package init(_ parts: URLComponents) throws(Fault) {
        guard let scheme = parts.scheme?.lowercased(), let host = parts.host, !host.isEmpty else { throw .notAURL }
        switch scheme {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: throw .scheme(scheme)
        }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else { throw .port(port) }
    }

    /// Host and port, for people and for the `Host` field.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Scheme and authority, what a URL over HTTP begins with.
    package var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }
}
