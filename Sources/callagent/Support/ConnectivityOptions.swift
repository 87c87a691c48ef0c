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
                  --ice-server turn:turn.example.org,ada,@secret.txt    (from a file)
                  --ice-server turn:turn.example.org,ada    (from CALLBRIDGE_TURN_CREDENTIAL)
                """, valueName: "url[,user,secret]"))
    var iceServers: [String] = []

    @Flag(name: .long, help: "Send and receive media through TURN servers only; fail where none gives a relay.")
    var forceRelay = false

    func validate() throws {
        for server in try servers {
            if let fault = server.fault { throw ValidationError("--ice-server \(fault).") }
        }
    }

    private var servers: [SessionICEServer] { get throws { try iceServers.map { try ICEServerArgument($0).session } } }

    /// Puts the wishes into a session's configuration. Throws `ValidationError`.
    func apply(to media: inout MediaSessionConfiguration) throws {
        media.iceServers += try servers
        media.iceTransportPolicy = forceRelay ? .relay : .all
    }
}
