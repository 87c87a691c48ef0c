/// What a server says about one call: which provider carries it, where, and with which credentials.
///
/// The provider belongs to the call, not to the client: call N may go through one and call N + 1 through another.
public struct CallDescriptor: Sendable, Hashable, Codable {
    /// What the provider needs to let us in. Kept out of logs.
    public struct Credentials: Sendable, Hashable, Codable {
        /// An access token in the provider's form.
        public var token: String?

        /// - Parameter token: the provider's access token.
        public init(token: String?) { self.token = token }
    }

    /// A STUN or TURN server.
    public struct ICEServer: Sendable, Hashable, Codable {
        /// `stun:` and `turn:` URLs.
        public var urls: [String]
        /// The TURN user name.
        public var username: String?
        /// The TURN password.
        public var credential: String?

        /// A server of the given URLs.
        public init(urls: [String], username: String? = nil, credential: String? = nil) {
            self.urls = urls
            self.username = username
            self.credential = credential
        }
    }

    /// Which media the call is for.
    public enum MediaKinds: String, Sendable, Hashable, Codable {
        /// Sound only.
        case audio = "AUDIO"
        /// Pictures only.
        case video = "VIDEO"
        /// Both.
        case audioVideo = "AUDIO_VIDEO"
        /// Only watching and listening.
        case none = "NONE"
    }

    /// The call's own id.
    public var callId: String
    /// The conversation that the call belongs to.
    public var conversationId: String
    /// The provider that carries it.
    public var provider: ProviderKind
    /// The provider's id of the call, a room name for example.
    public var serviceProviderCallId: String
    /// The provider's URL.
    public var endpoint: String
    /// What the provider asks for.
    public var credentials: Credentials
    /// STUN and TURN servers beside those the provider names itself.
    public var iceServers: [ICEServer]
    /// What the call is for.
    public var mediaKind: MediaKinds
    /// What the person who accepts the call hears until it is connected; nil for nothing.
    public var greeting: VoiceGreeting?
    /// What the server's configuration says besides, by name.
    public var features: [String: FeatureValue]

    /// A descriptor from its parts.
    public init(
        callId: String, conversationId: String, provider: ProviderKind, serviceProviderCallId: String, endpoint: String,
        credentials: Credentials, iceServers: [ICEServer] = [], mediaKind: MediaKinds = .audioVideo,
        greeting: VoiceGreeting? = nil, features: [String: FeatureValue] = [:]
    ) {
        self.callId = callId
        self.conversationId = conversationId
        self.provider = provider
        self.serviceProviderCallId = serviceProviderCallId
        self.endpoint = endpoint
        self.credentials = credentials
        self.iceServers = iceServers
        self.mediaKind = mediaKind
        self.greeting = greeting
        self.features = features
    }

    private enum CodingKeys: String, CodingKey {
        case callId, conversationId, provider, serviceProviderCallId, endpoint, credentials, iceServers, mediaKind,
            greeting, features
    }

    /// Decodes a descriptor; `iceServers`, `mediaKind`, `greeting` and `features` may be absent.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            callId: try values.decode(String.self, forKey: .callId),
            conversationId: try values.decode(String.self, forKey: .conversationId),
            provider: try values.decode(ProviderKind.self, forKey: .provider),
            serviceProviderCallId: try values.decode(String.self, forKey: .serviceProviderCallId),
            endpoint: try values.decode(String.self, forKey: .endpoint),
            credentials: try values.decode(Credentials.self, forKey: .credentials),
            iceServers: try values.decodeIfPresent([ICEServer].self, forKey: .iceServers) ?? [],
            mediaKind: try values.decodeIfPresent(MediaKinds.self, forKey: .mediaKind) ?? .audioVideo,
            greeting: try values.decodeIfPresent(VoiceGreeting.self, forKey: .greeting),
            features: try values.decodeIfPresent([String: FeatureValue].self, forKey: .features) ?? [:])
    }
}
