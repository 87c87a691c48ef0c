import ArgumentParser
import MediaCore

/// Which ways media may take.
struct ConnectivityOptions: ParsableArguments {
    @Option(
        name: .customLong("ice-server"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A STUN or TURN server to use beside those that the server names; may be given more than once.",
            discussion: """
                stun:HOST[:PORT], turn:HOST[:PORT][?transport=udp|tcp] or turns:HOST[:PORT] (TLS). TURN needs a user and a secret:
                  --ice-server stun:stun.example.org
                  --ice-server turn:turn.example.org,ada,open-sesame
                  --ice-server "turn:turn.example.org?transport=tcp,ada,open-sesame"
                """, valueName: "url[,user,secret]"))
    var iceServers: [String] = []

    @Flag(name: .long, help: "Send and receive media through TURN servers only; fail where none gives a relay.")
    var forceRelay = false

    func validate() throws {
        for text in iceServers {
            guard let server = SessionICEServer(argument: text) else {
                throw ValidationError("--ice-server \"\(text)\": write URL, or URL,USER,SECRET.")
            }
            if let fault = server.fault { throw ValidationError("--ice-server \(fault).") }
        }
    }

    /// Puts the wishes into a session's configuration.
    func apply(to media: inout MediaSessionConfiguration) {
        media.iceServers += iceServers.compactMap(SessionICEServer.init(argument:))
        media.iceTransportPolicy = forceRelay ? .relay : .all
    }
}

extension SessionICEServer {
    /// `URL` or `URL,USER,SECRET`; the secret may have commas.
    init?(argument: String) {
        let parts = argument.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count != 2, !parts[0].isEmpty else { return nil }
        self.init(
            urls: [parts[0]], username: parts.count == 3 ? parts[1] : "", credential: parts.count == 3 ? parts[2] : "")
    }
}
