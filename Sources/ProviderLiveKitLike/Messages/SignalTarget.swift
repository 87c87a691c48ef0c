import CallBridge
import Foundation
import NIOHTTP1
import TransportSecurity
import WebClient

/// Where a signalling request goes: address, path with query, and whom we believe there.
struct SignalTarget: Sendable, Hashable {
    var address: WebAddress
    var path: String
    var trust: TLSTrust

    /// Reads a server URL: `ws://host[:port][/path]`, `wss://...`, `http://...` or `https://...`. Throws `CallError` that
    /// names it.
    init(serverURL: String, trust: TLSTrust = .environment) throws(CallError) {
        guard let parts = URLComponents(string: serverURL) else { throw Self.refusal(serverURL, .notAURL) }
        do throws(WebAddress.Fault) {
            address = try WebAddress(parts)
        } catch {
            throw Self.refusal(serverURL, error)
        }
        let base = parts.path
        path = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.trust = trust
    }

    private static func refusal(_ url: String, _ fault: WebAddress.Fault) -> CallError {
        let remedy = "write it as ws://host:port or wss://host"
        let why =
            switch fault {
            case .notAURL: "\"\(url)\" is no server URL; \(remedy)"
            case .scheme(let scheme): "\"\(url)\" begins with \(scheme)://; \(remedy)"
            case .port(let port): "\"\(url)\" has the port \(port); use 1 to 65535"
            }
        return CallError(.caller, .invalidArgument, why)
    }

    var host: String { address.host }

    /// Host and port, for people and for the `Host` header.
    var authority: String { address.authority }

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
