import LiveKitProtocol

/// A STUN or TURN server that clients are told to use (RFC 7064, RFC 7065).
public struct ICEServer: Sendable, Hashable {
    /// `stun:host:port`, `turn:host:port?transport=udp` and the like.
    public var urls: [String]
    /// For TURN; empty where none is needed.
    public var username: String
    /// For TURN; kept out of logs.
    public var credential: String

    /// - Parameters:
    ///   - urls: one server's addresses, `stun:`, `stuns:`, `turn:` or `turns:`.
    ///   - username: for TURN.
    ///   - credential: for TURN.
    public init(urls: [String], username: String = "", credential: String = "") {
        self.urls = urls
        self.username = username
        self.credential = credential
    }

    /// What is wrong with it; nil where nothing is.
    var fault: String? {
        guard !urls.isEmpty else { return "it has no URL" }
        for url in urls {
            let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, ICEServer.schemes.contains(parts[0].lowercased()), !parts[1].isEmpty else {
                return "\"\(url)\" is no stun:, stuns:, turn: or turns: URL"
            }
            if parts[0].lowercased().hasPrefix("turn"), username.isEmpty || credential.isEmpty {
                return "\"\(url)\" needs a user name and a credential"
            }
        }
        return nil
    }

    private static let schemes: Set<String> = ["stun", "stuns", "turn", "turns"]

    var wire: Livekit_ICEServer {
        .with {
            $0.urls = urls
            $0.username = username
            $0.credential = credential
        }
    }
}
