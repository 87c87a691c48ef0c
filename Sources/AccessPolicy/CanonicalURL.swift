/// A URL in the one spelling that it is judged in. A value.
///
/// Parsed from bytes, strictly: whatever parsers read differently (userinfo, backslashes, dot segments, numbers as hosts, escapes in a host)
/// is refused, not repaired. Scheme and host in lower case, no port that the scheme has anyway, escapes of unreserved characters undone and
/// others in upper case (RFC 3986 section 6.2), no fragment.
public struct CanonicalURL: Sendable, Hashable {
    /// Bytes of a URL.
    public static let longest = 16 * 1024

    /// `http`, `https`, `ws`, `wss`, `stun`, `stuns`, `turn` or `turns`.
    public let scheme: String
    /// A name, an IPv4 address, or an IPv6 address in brackets (RFC 5952).
    public let host: String
    /// 1...65535; the scheme's where the URL has none.
    public let port: Int
    /// Begins with a slash; empty for STUN and TURN.
    public let path: String
    /// Behind the question mark; nil for none.
    public let query: String?

    /// Throws `URLFault` that says what is wrong.
    public init(_ url: String) throws(URLFault) {
        let bytes = Array(url.utf8)
        guard bytes.count <= Self.longest else { throw .tooLong }
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .characters }
        guard !bytes.contains(UInt8(ascii: "\\")) else { throw .backslash }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .scheme }
        scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard let standardPort = Self.ports[scheme] else { throw .scheme }
        var rest = bytes[(colon + 1)...]
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        let isMedia = Self.mediaSchemes.contains(scheme)
        if !isMedia {
            guard rest.starts(with: "//".utf8) else { throw .host }
            rest = rest.dropFirst(2)
        }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userinfo }
        let (host, port) = try URLHost.split(authority)
        self.host = try URLHost.canonical(host)
        self.port = port ?? standardPort
        let tail = rest.dropFirst(authority.count)
        let path = tail.prefix { $0 != UInt8(ascii: "?") }
        guard !isMedia || path.isEmpty else { throw .host }
        self.path = isMedia ? "" : try URLPath.canonical(path)
        query = path.count < tail.count ? String(decoding: tail.dropFirst(path.count + 1), as: UTF8.self) : nil
    }

    private static let ports = [
        "http": 80, "ws": 80, "https": 443, "wss": 443, "stun": 3478, "turn": 3478, "stuns": 5349, "turns": 5349,
    ]
    private static let mediaSchemes: Set = ["stun", "stuns", "turn", "turns"]

    /// Whether it is a STUN or TURN server's.
    public var isMediaServer: Bool { Self.mediaSchemes.contains(scheme) }

    /// Whether what goes there is sealed by TLS.
    public var isSecure: Bool { ["https", "wss", "stuns", "turns"].contains(scheme) }

    /// Host, and the port where the scheme has another.
    public var authority: String { port == Self.ports[scheme] ? host : "\(host):\(port)" }

    /// Without the query, which may hold secrets, and at most 200 bytes.
    public var shown: String {
        String(decoding: Array("\(origin)\(path)".utf8.prefix(200)), as: UTF8.self)
    }

    /// All of it.
    public var text: String { "\(origin)\(path)\(query.map { "?" + $0 } ?? "")" }

    private var origin: String { "\(scheme)\(isMediaServer ? ":" : "://")\(authority)" }

    /// Where the slash behind the authority is in `text`; nil where there is none.
    var pathStart: Int? { isMediaServer ? nil : origin.utf8.count }
}

/// Why a URL is none that can be judged.
public enum URLFault: Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// More than 16 KiB.
    case tooLong
    /// Blanks, control characters, or signs beyond ASCII.
    case characters
    /// A backslash, which some read as a slash.
    case backslash
    /// None of the schemes that a client speaks.
    case scheme
    /// A name or a password before the host.
    case userinfo
    /// No host, or one that is spelled so that others may read another.
    case host
    /// No port in 1...65535.
    case port
    /// A segment `.` or `..`, escaped or not, a control character, or an escape that is none.
    case path

    /// One clause.
    public var description: String {
        switch self {
        case .tooLong: "it is longer than 16 KiB"
        case .characters: "it has blanks or signs beyond ASCII; write names in their xn-- form"
        case .backslash: "it has a backslash"
        case .scheme: "its scheme is none of http, https, ws, wss, stun, stuns, turn, turns"
        case .userinfo: "it has a name or a password before the host"
        case .host: "its host is missing, or in no plain spelling"
        case .port: "its port is none"
        case .path: "its path has dot segments or escapes that can't be read"
        }
    }
}
