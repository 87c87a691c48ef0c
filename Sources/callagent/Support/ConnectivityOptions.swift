import ArgumentParser
import MediaCore

/// W3C's RTCIceTransportPolicy.
enum ICEPolicyChoice: String, ExpressibleByArgument, CaseIterable {
    case all
    case relay
}

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

    @Option(
        name: .customLong("ice-policy"), parsing: .unconditional,
        help: ArgumentHelp(
            "Which ways media may take: all, or relay, which is TURN servers only and fails where none gives a relay.",
            valueName: "policy"))
    var icePolicy = ICEPolicyChoice.all

    @Flag(name: .long, help: "The same as --ice-policy relay.")
    var forceRelay = false

    /// Whether anything but the ordinary is asked for.
    var isGiven: Bool { !iceServers.isEmpty || isRelayed }

    private var isRelayed: Bool { forceRelay || icePolicy == .relay }

    func validate() throws {
        for server in try servers {
            if let fault = server.fault { throw ValidationError("--ice-server \(fault).") }
        }
    }

    private var servers: [SessionICEServer] { get throws { try iceServers.map { try ICEServerArgument($0).session } } }

    /// Puts the wishes into a session's configuration. Throws `ValidationError`.
    func apply(to media: inout MediaSessionConfiguration) throws {
        media.iceServers += try servers
        media.iceTransportPolicy = isRelayed ? .relay : .all
    }
}
