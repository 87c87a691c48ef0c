public import CallModel
import Logging
import RTCCore
import TransportSecurity

/// How the embedded call server runs.
///
/// The defaults serve one machine: signalling on 127.0.0.1:7880, media on UDP ports that the system chooses.
public struct CallServerConfiguration: Sendable {
    /// Bounds on what clients can make the server hold.
    public struct Limits: Sendable, Hashable {
        /// Rooms at a time; a join that would open another is answered with 503.
        public var rooms = 1_000
        /// Sessions of one project of the OpenTok-style dialect in which somebody is, at a time, within the bound on all.
        public var sessionsPerProject = 1_000
        /// Archives that are remembered; the oldest that have ended give way.
        public var archives = 1_000
        /// Participants in one room; a further join is answered with 429. 0 leaves it to the bound on all rooms, as LiveKit's
        /// server does.
        public var participantsPerRoom = 0
        /// Participants over all rooms; a further join is answered with 503.
        public var participants = 2_000
        /// Participants that have joined and whose media connection does not stand yet, over all rooms.
        public var pendingParticipants = 256
        /// Tracks that one participant has announced and not yet begun to send.
        public var pendingTracks = 20
        /// Tracks that one participant publishes, with those announced.
        public var tracks = 100
        /// Connections that only publish, beside the one of their participant.
        public var publishConnections = 4
        /// Bytes of one signal message.
        public var signalMessage = 2 * 1024 * 1024
        /// Media connections that have not yet completed their handshake, over the whole server.
        public var halfOpenPeers = 512
        /// TCP connections at a time, signalling and plain requests together.
        public var connections = 2_048
        /// Bytes, as all text is counted in UTF-8, of an identity, of a participant's, a track's or a room's name.
        public var name = 256
        /// Bytes of a participant's or a room's metadata.
        public var metadata = 512 * 1024
        /// Bytes of a participant's attributes, names and values together.
        public var attributes = 64 * 1024
        /// Bytes of everything that a newcomer is told of a room: its metadata and all its participants with their metadata,
        /// attributes and tracks. Clients take messages of 2 MiB; what would make a room longer is refused.
        public var roomDescription = 1_792 * 1024

        /// The default bounds.
        public init() {}
    }

    /// How long things take and may take, in milliseconds.
    public struct Timing: Sendable, Hashable {
        /// Between two WebSocket pings.
        public var webSocketPing = 10_000
        /// A WebSocket client from which nothing has come for so long, pongs included, is gone.
        public var webSocketSilence = 30_000
        /// How long a request's head and its body may take to arrive.
        public var request = 10_000
        /// How long the server waits at its end for webhooks that are not delivered yet.
        public var webhookFlush = 5_000

        /// The default times.
        public init() {}
    }

    /// The files that a server needs to speak TLS.
    public struct TLSFiles: Sendable, Hashable {
        /// PEM: the server's certificate, then those between it and its root.
        public var certificate: String
        /// PEM: the certificate's key, without a passphrase.
        public var key: String

        /// - Parameters:
        ///   - certificate: path of the certificate.
        ///   - key: path of its key.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// API key to secret. Tokens name the key as their issuer and are signed with its secret. Kept out of logs.
    public var keys: [String: String]
    /// The address to listen on for signalling: an IP address or a host name of this machine.
    public var host = "127.0.0.1"
    /// The TCP port for signalling, 0...65535; 0 lets the system choose.
    public var port = 7880
    /// Certificate and key for `wss` and `https`; nil for `ws` and `http`.
    public var tls: TLSFiles?
    /// A file of PEM certificates that `https` webhooks are believed for, besides the system's roots; nil means what the
    /// environment names in `CALLBRIDGE_CA_FILE`.
    public var trustedRoots: String?
    /// The address to bind media ports on; `nil` means `host`. `::` serves every address of this machine, IPv6 and IPv4,
    /// `0.0.0.0` every IPv4 address.
    public var udpHost: String?
    /// The UDP port for media of the first event loop, each further loop has the next one; 0 lets the system choose.
    public var mediaPort = 0
    /// The IP addresses that clients are told to send media to; none means the bound one, or this
    /// machine's own. Those of a family that the media port is not bound for are not told.
    public var advertisedAddresses: [String] = []
    /// Event loops, 1 or more. Every loop has a UDP port of its own, and a room lives on one loop.
    public var eventLoops = 1
    /// How long a room that nobody has joined stays open, in seconds.
    public var emptyTimeout = 300
    /// How long a room stays open after the last participant has left, in seconds.
    public var departureTimeout = 20
    /// A join for a room that does not exist opens it; otherwise it is answered with 404.
    public var autoCreatesRooms = true
    /// The STUN and TURN servers that clients are told of; none by default, for which a machine of its own has no use.
    public var iceServers: [ICEServer] = []
    /// `http` and `https` URLs that are told what happens in rooms, as LiveKit's webhooks; each gets every event.
    public var webhooks: [String] = []
    /// `http` and `https` URLs that are told what happens in calls, one event of the journal a request; each gets every event.
    public var journalWebhooks: [String] = []
    /// `http` and `https` URLs that are told what happens in sessions of the OpenTok-style dialect; each gets every event.
    public var sessionCallbacks: [String] = []
    /// Who records sessions; nil for a server that records nothing.
    package var archiver: (any RoomArchiver)?
    /// The API key that signs webhooks; `nil` means the first one in the order of the alphabet.
    public var webhookAPIKey: String?
    /// What the configuration service tells clients about calls. `CallServer.reconfigure` replaces it later.
    public var service = ServiceConfiguration()
    /// Bounds on what clients can make the server hold.
    public var limits = Limits()
    /// How long things take and may take.
    public var timing = Timing()
    /// How calls ring that are placed at the server.
    public var ringing = RingSwitchboard.Settings()
    /// Where the journal of all calls goes; nil hands it to nobody.
    public var journal: CallJournal?
    /// Where the server logs to. It logs no token, no secret and no query.
    public var logger = Logger(label: "callbridge.server")
    /// Who speaks DTLS.
    package var dtlsBackend: DTLSBackend = .own
    /// Who seals and opens media packets.
    package var srtpBackend: SRTPBackend = .libcrypto
    /// How they may be sealed, in order of preference.
    package var srtpProfiles = SRTPProfile.allCases
    /// How the server speaks on the wire of the media.
    public var mediaPlane = MediaPlane.standard
    /// How webhooks are delivered.
    var webhookPolicy = WebhookPolicy()
    /// Whether a track that was muted from here may be unmuted from here; LiveKit's `room.enable_remote_unmute`.
    public var allowsRemoteUnmute = false

    /// A server that accepts the tokens of `keys`.
    ///
    /// - Parameter keys: API key to secret.
    public init(keys: [String: String]) { self.keys = keys }

    /// The API key that signs webhooks.
    package var webhookKey: String? { webhookAPIKey ?? keys.keys.min() }

    /// Whose certificates webhooks believe.
    var webhookTrust: TLSTrust { trustedRoots.map { TLSTrust(rootsFile: $0) } ?? .environment }

    /// The address that media is bound to.
    package var mediaHost: String { udpHost ?? host }

    /// Throws `CallServerConfigurationError` for values that no server can run with.
    package func validate() throws(CallServerConfigurationError) {
        guard !keys.isEmpty else { throw .noKeys }
        for (key, secret) in keys where key.isEmpty || secret.isEmpty { throw .emptyKey(key) }
        guard (0...65_535).contains(port) else { throw .port(port) }
        guard (1...256).contains(eventLoops) else { throw .eventLoops(eventLoops) }
        guard (0...65_535).contains(mediaPort), mediaPort == 0 || mediaPort + eventLoops <= 65_536 else {
            throw .mediaPort(mediaPort)
        }
        for server in iceServers { if let fault = server.fault { throw .iceServer(fault) } }
        for url in webhooks + journalWebhooks + sessionCallbacks {
            do { _ = try WebhookURL(url) } catch { throw .webhook(error.description) }
        }
        if let webhookAPIKey, keys[webhookAPIKey] == nil { throw .webhookKey(webhookAPIKey) }
    }
}

/// What is wrong with a `CallServerConfiguration`.
package enum CallServerConfigurationError: Error, Hashable, CustomStringConvertible {
    case noKeys
    case emptyKey(String)
    case port(Int)
    case mediaPort(Int)
    case eventLoops(Int)
    case iceServer(String)
    case webhook(String)
    case webhookKey(String)

    package var description: String {
        switch self {
        case .noKeys: "the call server has no API key; give it at least one key and secret"
        case .emptyKey(let key): "the API key \"\(key)\" or its secret is empty; give both"
        case .webhook(let text): text
        case .webhookKey(let key):
            "webhooks can't be signed with the API key \"\(key)\", which the server does not have"
        case .port(let port): "\(port) is no TCP port; use 0 to 65535, where 0 lets the system choose"
        case .mediaPort(let port):
            "\(port) can't be the first media port; use 0, or one with a port for each event loop below 65536"
        case .iceServer(let fault): "an ICE server can't be used: \(fault)"
        case .eventLoops(let count): "\(count) event loops are not possible; use 1 to 256"
        }
    }
}
