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

    /// All of it, as a request over HTTP asks for it.
    var url: String { address.origin + path }

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

    /// All but the unreserved characters of RFC 3986 section 2.3 percent-encoded.
    private static func escaped(_ value: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(value.utf8.count + 8)
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
