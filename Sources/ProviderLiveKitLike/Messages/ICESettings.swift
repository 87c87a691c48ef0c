import LiveKitProtocol
import MediaCore

/// Which STUN and TURN servers a server wants us to use, and whether nothing else.
struct ICESettings: Sendable, Hashable {
    var servers: [SessionICEServer]
    /// Our own address must not be told.
    var relayOnly: Bool

    init(_ response: Livekit_JoinResponse) {
        self.init(response.iceServers, response.clientConfiguration)
    }

    init(_ response: Livekit_ReconnectResponse) {
        self.init(response.iceServers, response.clientConfiguration)
    }

    private init(_ servers: [Livekit_ICEServer], _ configuration: Livekit_ClientConfiguration) {
        self.servers = servers.map {
            SessionICEServer(urls: $0.urls, username: $0.username, credential: $0.credential)
        }
        relayOnly = configuration.forceRelay == .enabled
    }

    /// Waits for no server.
    func apply(to media: MediaSession) async { await media.setICEServers(servers, relayOnly: relayOnly) }
}
