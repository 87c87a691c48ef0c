import CallBridge
import Foundation
import NIOHTTP1

/// Where a signalling request goes: host, port, path with query.
struct SignalTarget: Sendable, Hashable {
    var host: String
    var port: Int
    var path: String

    /// Reads a server URL: `ws://host[:port][/path]` or `http://...`. Throws `CallError` that names it.
    init(serverURL: String) throws(CallError) {
        guard let parts = URLComponents(string: serverURL), let scheme = parts.scheme?.lowercased(),
            let host = parts.host, !host.isEmpty
        else {
            throw CallError(
                .caller, .invalidArgument, "\"\(serverURL)\" is no server URL; write it as ws://host:port")
        }
        switch scheme {
        case "ws", "http": break
        case "wss", "https":
            throw CallError(
                .configuration, .invalidArgument,
                "\(serverURL): TLS signalling (\(scheme)://) is not part of this version; use ws:// to the server or to a TLS proxy on this machine"
            )
        default:
            throw CallError(
                .caller, .invalidArgument, "\"\(serverURL)\" begins with \(scheme)://; write it as ws://host:port")
        }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? 80
        guard (1...65_535).contains(port) else {
            throw CallError(.caller, .invalidArgument, "\"\(serverURL)\" has the port \(port); use 1 to 65535")
        }
        let base = parts.path
        path = base.hasSuffix("/") ? String(base.dropLast()) : base
    }

    /// Host and port, for people and for the `Host` header.
    var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The headers of a request.
    func headers(token: String) -> HTTPHeaders {
        ["Host": authority, "Authorization": "Bearer \(token)"]
    }

    /// The same host with `suffix` after the URL's own path.
    func at(_ suffix: String, query: [(String, String)]) -> SignalTarget {
        var result = self
        let text = query.map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
        result.path = path + suffix + (text.isEmpty ? "" : "?" + text)
        return result
    }

    private static func escaped(_ value: String) -> String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        return value.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}
