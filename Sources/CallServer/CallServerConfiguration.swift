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
        /// Bounds on text, in bytes of UTF-8.
        public struct Text: Sendable, Hashable {
            /// Of an identity, of a participant's, a track's or a room's name.
            public var name = 256
            /// Of a participant's or a room's metadata.
            public var metadata = 512 * 1024
            /// Of a participant's attributes, names and values together.
            public var attributes = 64 * 1024

            /// The default bounds.
            public init() {}
        }

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
        /// Bounds on names and on what applications say of participants and rooms.
        public var text = Text()
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
    /// Where media goes, and how it is sealed.
    public var media = Media()
    /// What rooms are opened with.
    public var rooms = Rooms()
    /// Who is told what happens.
    public var webhooks = Webhooks()
    /// Who records sessions; nil for a server that records nothing.
    package var archiver: (any RoomArchiver)?
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
    /// What plain WebRTC and those who watch the server find: WHIP, WHEP, the dashboard.
    public var watching = Watching()
    /// What is kept of conversations, and what they are begun with.
    public var conversations = Conversations()
    /// Who carries notifications to devices that don't listen.
    public var push = Push()

    /// A server that accepts the tokens of `keys`.
    ///
    /// - Parameter keys: API key to secret.
    public init(keys: [String: String]) { self.keys = keys }

    /// The API key that signs webhooks.
    package var webhookKey: String? { webhooks.apiKey ?? keys.keys.min() }

    /// The address that media is bound to.
    package var mediaHost: String { media.host ?? host }

    /// Throws `CallServerConfigurationError` for values that no server can run with.
    package func validate() throws(CallServerConfigurationError) {
        guard !keys.isEmpty else { throw .noKeys }
        for (key, secret) in keys where key.isEmpty || secret.isEmpty { throw .emptyKey(key) }
        guard (0...65_535).contains(port) else { throw .port(port) }
        guard (1...256).contains(media.eventLoops) else { throw .eventLoops(media.eventLoops) }
        guard (0...65_535).contains(media.port), media.port == 0 || media.port + media.eventLoops <= 65_536 else {
            throw .mediaPort(media.port)
        }
        if let port = media.tcpPort {
            guard (0...65_535).contains(port), port == 0 || port + media.eventLoops <= 65_536 else {
                throw .mediaPort(port)
            }
        }
        for server in media.iceServers { if let fault = server.fault { throw .iceServer(fault) } }
        for url in webhooks.rooms + webhooks.journal + webhooks.sessions {
            do { _ = try WebhookURL(url) } catch { throw .webhook(error.description) }
        }
        for carrier in [push.apns, push.fcm].compactMap(\.self)
        where PushCarrierAddress(carrier.url, tokenFile: nil, trust: webhooks.trust) == nil {
            throw .push(carrier.url)
        }
        if case .serviceAccount = push.apns?.credentials { throw .pushCredentials("APNs", "a provider key") }
        if case .providerKey = push.fcm?.credentials { throw .pushCredentials("FCM", "a service account") }
        guard push.apns == nil || !push.apnsTopic.isEmpty else { throw .pushTopic }
        if let key = webhooks.apiKey, keys[key] == nil { throw .webhookKey(key) }
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
    case push(String)
    case pushTopic
    case pushCredentials(String, String)

    package var description: String {
        switch self {
        case .noKeys: "the call server has no API key; give it at least one key and secret"
        case .emptyKey(let key): "the API key \"\(key)\" or its secret is empty; give both"
        case .webhook(let text): text
        case .push(let url): "\"\(url)\" is no URL of a push service; give one such as https://api.push.apple.com"
        case .pushCredentials(let carrier, let wanted): "\(carrier) takes no such credentials; give \(wanted)"
        case .pushTopic: "APNs needs a topic; give the application's identifier"
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
