/// The URL of a STUN or TURN server, RFC 7064 and RFC 7065: `stun:host[:port]`, `turn:host[:port][?transport=udp|tcp]`,
/// `turns:...` (TLS).
package struct ICEServerURL: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case stun
        case turn
    }

    package enum Transport: Sendable, Hashable {
        case udp
        case tcp
        case tls
    }

    package var kind: Kind
    package var transport: Transport
    /// A name, or an IP address without brackets.
    package var host: String
    package var port: UInt16

    /// Nil for what is no such URL.
    package init?(_ text: String) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, let scheme = Scheme(rawValue: halves[0].lowercased()) else { return nil }
        let parts = halves[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let isSecure = scheme == .stuns || scheme == .turns
        kind = scheme == .stun || scheme == .stuns ? .stun : .turn
        transport = isSecure ? .tls : .udp
        if parts.count == 2 {
            guard kind == .turn else { return nil }
            switch parts[1].lowercased() {
            case "transport=udp": transport = .udp
            case "transport=tcp": transport = isSecure ? .tls : .tcp
            default: return nil
            }
            // TURN over DTLS is spoken by few servers and not by us.
            guard !isSecure || transport == .tls else { return nil }
        }
        guard let (host, port) = ICEServerURL.authority(parts[0]) else { return nil }
        self.host = host
        self.port = port ?? (isSecure ? 5349 : 3478)
    }

    private enum Scheme: String {
        case stun, stuns, turn, turns
    }

    private static func authority(_ text: Substring) -> (String, UInt16?)? {
        var rest = text
        let host: Substring
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
        } else {
            host = rest.prefix { $0 != ":" }
            rest = rest.dropFirst(host.count)
        }
        guard !host.isEmpty, !host.contains(where: { $0 == "/" || $0 == "@" || $0 == " " }) else { return nil }
        if rest.isEmpty { return (String(host), nil) }
        guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
        return (String(host), port)
    }
}
