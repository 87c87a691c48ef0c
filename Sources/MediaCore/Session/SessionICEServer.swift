import RTCCore

/// A STUN or TURN server (RFC 7064, RFC 7065).
public struct SessionICEServer: Sendable, Hashable {
    /// `stun:host[:port]`, `turn:host[:port][?transport=udp|tcp]`, `turns:host[:port]`.
    public var urls: [String]
    /// The TURN user name.
    public var username: String
    /// The TURN password. Kept out of logs.
    public var credential: String

    /// - Parameters:
    ///   - urls: one server's addresses.
    ///   - username: for TURN.
    ///   - credential: for TURN.
    public init(urls: [String], username: String = "", credential: String = "") {
        self.urls = urls
        self.username = username
        self.credential = credential
    }

    /// What is wrong with it and what to write instead, in one sentence; nil where it can be used.
    public var fault: String? {
        urls.isEmpty ? "an ICE server has no URL; write stun:HOST or turn:HOST" : urls.lazy.compactMap(fault(of:)).first
    }

    func fault(of text: String) -> String? {
        guard let url = ICEServerURL(text) else {
            return
                "\"\(text)\" is no STUN or TURN URL; write stun:HOST[:PORT], turn:HOST[:PORT][?transport=udp|tcp] or turns:HOST[:PORT]"
        }
        switch url.kind {
        case .stun where url.transport != .udp:
            return "\(text): STUN over TLS tells nothing about UDP; write stun:\(url.host)"
        case .turn where username.isEmpty || credential.isEmpty:
            return "\(text): TURN needs a user name and a credential"
        case .stun, .turn: return nil
        }
    }
}

/// Which candidates a media session may use (W3C's `RTCIceTransportPolicy`).
public enum ICETransportPolicy: String, Sendable, Hashable, CaseIterable {
    /// All: the best path that works.
    case all
    /// Relayed ones only: the other side does not learn our address.
    case relay
}
