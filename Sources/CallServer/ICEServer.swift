import LiveKitProtocol
import RTCCore

/// A STUN or TURN server that clients are told to use (RFC 7064, RFC 7065).
public struct ICEServer: Sendable, Hashable {
    /// `stun:host:port`, `turn:host:port?transport=udp` and the like.
    public var urls: [String]
    /// For TURN; empty where none is needed. With a shared secret it stands behind the time, in place of the participant.
    public var username: String
    /// For TURN; kept out of logs. Empty where `sharedSecret` makes it.
    public var credential: String
    /// What this server and the TURN server both know (coturn's `static-auth-secret`): each participant gets a user name and
    /// a credential of its own, which expire. Kept out of logs, and told to nobody.
    public var sharedSecret: String?
    /// How long credentials that are made from the shared secret are good for, in seconds from the join or resume; 60 or more.
    public var lifetime: Int

    /// - Parameters:
    ///   - urls: one server's addresses, `stun:`, `stuns:`, `turn:` or `turns:`.
    ///   - username: for TURN.
    ///   - credential: for TURN.
    public init(urls: [String], username: String = "", credential: String = "") {
        self.urls = urls
        self.username = username
        self.credential = credential
        lifetime = ICEServer.defaultLifetime
    }

    /// A TURN server that takes time-limited credentials, as coturn does with `use-auth-secret`.
    ///
    /// - Parameters:
    ///   - urls: the server's addresses, `turn:` or `turns:`.
    ///   - sharedSecret: what both servers know.
    ///   - lifetime: of each credential, in seconds.
    public init(urls: [String], sharedSecret: String, lifetime: Int = ICEServer.defaultLifetime) {
        self.init(urls: urls)
        self.sharedSecret = sharedSecret
        self.lifetime = lifetime
    }

    /// A day: a relay is refreshed with the credentials that it was made with.
    public static let defaultLifetime = 86_400

    /// What is wrong with it; nil where nothing is.
    package var fault: String? {
        guard !urls.isEmpty else { return "it has no URL" }
        guard sharedSecret == nil || lifetime >= 60 else {
            return "credentials of \(lifetime) s expire before they are used; give them 60 s or more"
        }
        for url in urls {
            let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, ICEServer.schemes.contains(parts[0].lowercased()), !parts[1].isEmpty else {
                return "\"\(url)\" is no stun:, stuns:, turn: or turns: URL"
            }
            guard parts[0].lowercased().hasPrefix("turn") else { continue }
            if let sharedSecret {
                if sharedSecret.isEmpty { return "\"\(url)\" has an empty shared secret" }
            } else if username.isEmpty || credential.isEmpty {
                return "\"\(url)\" needs a user name and a credential"
            }
        }
        return nil
    }

    private static let schemes: Set<String> = ["stun", "stuns", "turn", "turns"]

    /// The server as one participant is told of it: with credentials of its own where there is a shared secret.
    ///
    /// The user name is the time at which they expire, in seconds since 1970, and who they were made for; the credential is
    /// base64 of the user name's HMAC-SHA1 with the secret ("A REST API for access to TURN services", section 2.2).
    ///
    /// - Parameters:
    ///   - participant: what the TURN server's log knows it by.
    ///   - now: milliseconds since 1970.
    package func issued(to participant: String, at now: Int64) -> ICEServer {
        guard let sharedSecret else { return self }
        var result = self
        result.sharedSecret = nil
        result.username = "\(now / 1000 + Int64(lifetime)):\(username.isEmpty ? participant : username)"
        result.credential = ICEServer.credential(of: result.username, secret: sharedSecret)
        return result
    }

    private static func credential(of username: String, secret: String) -> String {
        let message = Array(username.utf8)
        var code = [UInt8](repeating: 0, count: HMACSHA1.byteCount)
        message.withUnsafeBytes { message in
            code.withUnsafeMutableBytes { HMACSHA1(password: secret).authenticate(message, into: $0) }
        }
        return Base64.encode(code)
    }

    var wire: Livekit_ICEServer {
        .with {
            $0.urls = urls
            $0.username = username
            $0.credential = credential
        }
    }
}

extension [ICEServer] {
    /// The servers as one participant is told of them.
    package func issued(to participant: String, at now: Int64) -> [ICEServer] {
        map { $0.issued(to: participant, at: now) }
    }
}
