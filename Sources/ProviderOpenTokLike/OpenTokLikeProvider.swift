public import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling

/// Carries calls over an OpenTok-style session: the descriptor's endpoint is the API's URL, its id of the call the session's,
/// its token a client token.
///
/// Routed and relayed sessions, as the session's id says. A participant is a connection; who it is stands in the connection
/// data of its token, see `docs/opentok.md`.
public struct OpenTokLikeProvider: CallProvider {
    /// OPENTOK.
    public let kind = ProviderKind.openTok
    /// Audio, video, listening only, selective subscription, signals; there may be several of one identity, and media is
    /// connected when there is some.
    public let capabilities: ProviderCapabilities = [
        .video, .listenOnly, .selectiveSubscription, .data, .sharedIdentities, .mediaOnDemand,
    ]
    private let limits: ClientSettings.Limits
    private let patience: Double
    private let ground: any SessionGround

    /// Comes back within a minute of a loss, as the client SDKs do.
    public init() { self.init(limits: .init(), patience: 60) }

    /// With other times.
    ///
    /// - Parameter patience: seconds from a loss of the message transport to the end.
    package init(limits: ClientSettings.Limits, patience: Double) {
        self.init(limits: limits, patience: patience, ground: SocketGround())
    }

    init(limits: ClientSettings.Limits = .init(), patience: Double = 60, ground: any SessionGround) {
        self.limits = limits
        self.patience = patience
        self.ground = ground
    }

    /// Joins the session. Throws `CallError`.
    public func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        guard let token = descriptor.credentials.token, !token.isEmpty else {
            throw CallError(
                .configuration, .invalidArgument,
                "the call descriptor has no token for \(descriptor.endpoint); the server's configuration must give one")
        }
        let server = try SessionServer(
            endpoint: descriptor.endpoint, session: descriptor.serviceProviderCallId, context: context,
            ground: ground)
        let info = try await server.information(token: token)
        var settings = ClientSettings(info: info, token: token, connection: Identifiers.random())
        settings.subscribesAutomatically = context.subscribesAutomatically
        settings.limits = limits
        settings.timing.patience = .seconds(patience)
        let session = OpenTokLikeSession(settings, context: context, try ground.footing(settings, context: context))
        try await session.join()
        return session
    }
}

extension ProviderRegistration {
    /// The provider for servers that speak an OpenTok-style session protocol.
    public static var openTokLike: ProviderRegistration { ProviderRegistration(OpenTokLikeProvider()) }
}
