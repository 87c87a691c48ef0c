public import CoBrowsingModel
public import ConversationModel
import RTCCore
import TransportSecurity

extension CallServerConfiguration {
    /// Where media goes, and how it is sealed.
    public struct Media: Sendable {
        /// The address to bind media ports on; `nil` means that of signalling. `::` serves every address of this machine, IPv6
        /// and IPv4, `0.0.0.0` every IPv4 address.
        public var host: String?
        /// The UDP port for media of the first event loop, each further loop has the next one; 0 lets the system choose.
        public var port = 0
        /// The TCP port of the first event loop's media, for clients whose network lets no UDP pass (ICE-TCP, RFC 6544); each
        /// further loop has the next one. 0 lets the system choose, nil has none. LiveKit's `rtc.tcp_port`, whose default is
        /// 7881.
        public var tcpPort: Int?
        /// Event loops, 1 or more. Every loop has a UDP port of its own, and a room lives on one loop.
        public var eventLoops = 1
        /// The IP addresses that clients are told to send media to; none means the bound one, or this machine's own. Those of a
        /// family that the media port is not bound for are not told.
        public var advertisedAddresses: [String] = []
        /// The STUN and TURN servers that clients are told of; none by default, for which a machine of its own has no use.
        public var iceServers: [ICEServer] = []
        /// How the server speaks on the wire of the media.
        public var plane = MediaPlane.standard
        /// How the server learns what a subscriber's way bears.
        public var downlinkFeedback = DownlinkFeedback.remb
        /// Who speaks DTLS.
        package var dtlsBackend: DTLSBackend = .own
        /// Who seals and opens media packets.
        package var srtpBackend: SRTPBackend = .libcrypto
        /// How they may be sealed, in order of preference.
        package var srtpProfiles = SRTPProfile.allCases

        /// One port that the system chooses, on the address of signalling.
        public init() {}
    }

    /// What rooms are opened with, and who may open them.
    public struct Rooms: Sendable, Hashable {
        /// How long a room that nobody has joined stays open, in seconds.
        public var emptyTimeout = 300
        /// How long a room stays open after the last participant has left, in seconds.
        public var departureTimeout = 20
        /// A join for a room that does not exist opens it; otherwise it is answered with 404.
        public var autoCreates = true
        /// Whether a track that was muted from here may be unmuted from here; LiveKit's `room.enable_remote_unmute`.
        public var allowsRemoteUnmute = false

        /// As LiveKit's server does it.
        public init() {}
    }

    /// What is kept of conversations, and what they are begun with.
    public struct Conversations: Sendable, Hashable {
        /// The folder that they are kept in; nil keeps them in memory while the server runs.
        public var directory: String?
        /// Whoever begins a conversation starts its call, and whoever comes joins it, where the request says nothing else.
        public var autoJoinsCall = false
        /// Frames a second of shared screens, and which signs of sharing there are.
        public var coBrowsing = CoBrowsingProperties()
        /// Which files people may send one another. They need a folder.
        public var files = FilePolicy()

        /// In memory, and calls begin by hand.
        public init() {}
    }

    /// Who carries notifications to devices that don't listen.
    public struct Push: Sendable, Hashable {
        /// With what the server makes the tokens that a carrier wants to see. The files are read once, when it starts.
        public enum Credentials: Sendable, Hashable {
            /// For APNs: a private key in PEM on the curve P-256 (`AuthKey_ID.p8`), its id and that of its team, ten letters and
            /// digits each.
            case providerKey(file: String, id: String, team: String)
            /// For FCM: the JSON file of a service account.
            case serviceAccount(file: String)
        }

        /// One carrier.
        public struct Carrier: Sendable, Hashable {
            /// `https` or `http`: what is shaped like APNs gets `/3/device/TOKEN` below it, by HTTP/2; what is shaped like FCM gets
            /// all at this URL, by HTTP/1.1.
            public var url: String
            /// A file with the bearer token that is shown to it, which something else keeps up to date; nil for none.
            public var tokenFile: String?
            /// With what the server makes tokens of its own, in place of a token file; nil for none.
            public var credentials: Credentials?

            /// - Parameters:
            ///   - url: where it is.
            ///   - tokenFile: path of the file with the token.
            ///   - credentials: with what tokens are made in its place.
            public init(url: String, tokenFile: String? = nil, credentials: Credentials? = nil) {
                self.url = url
                self.tokenFile = tokenFile
                self.credentials = credentials
            }
        }

        /// Apple's, or what is shaped like it; nil for none.
        public var apns: Carrier?
        /// The application's identifier at APNs; calls go to it with `.voip` behind.
        public var apnsTopic = ""
        /// Google's, or what is shaped like it; nil for none.
        public var fcm: Carrier?

        /// Nobody.
        public init() {}
    }

    /// Who is told what happens, by `http` and `https` requests. Each URL of a list gets every event.
    public struct Webhooks: Sendable {
        /// URLs that are told what happens in rooms, as LiveKit's webhooks.
        public var rooms: [String] = []
        /// URLs that are told what happens in calls, one event of the journal a request.
        public var journal: [String] = []
        /// URLs that are told what happens in sessions of the OpenTok-style dialect.
        public var sessions: [String] = []
        /// The API key that signs; `nil` means the first one in the order of the alphabet.
        public var apiKey: String?
        /// A file of PEM certificates that `https` URLs are believed for, besides the system's roots; nil means what the
        /// environment names in `CALLBRIDGE_CA_FILE`.
        public var trustedRoots: String?
        /// How they are delivered.
        var policy = WebhookPolicy()

        /// Nobody is told.
        public init() {}

        /// Whose certificates are believed.
        var trust: TLSTrust { trustedRoots.map { TLSTrust(rootsFile: $0) } ?? .environment }
    }
}
