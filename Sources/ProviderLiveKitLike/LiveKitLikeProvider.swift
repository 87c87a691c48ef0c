public import CallBridge
import MediaCore
import TransportSecurity

/// Carries calls over LiveKit's protocol.
///
/// It asks for the single-connection mode (`/rtc/v1`) and falls back to the older mode with two connections (`/rtc`) where
/// the server answers 404, as LiveKit's own clients do.
public struct LiveKitLikeProvider: CallProvider {
    /// Which signalling mode to ask for.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One connection, or two where the server knows no better.
        case automatic
        /// One connection only.
        case singleConnection
        /// Two connections only.
        case twoConnections
    }

    /// LIVEKIT.
    public let kind = ProviderKind.liveKit
    /// Audio, video, listening only, the server's speakers, selective subscription, data.
    public let capabilities: ProviderCapabilities = [
        .video, .listenOnly, .serverSpeakers, .selectiveSubscription, .data,
    ]
    private let mode: Mode
    private let timeouts: SessionTimeouts
    private let policy: ReconnectPolicy

    /// - Parameter mode: which signalling mode to ask for.
    public init(mode: Mode = .automatic) { self.init(mode: mode, timeouts: .init(), policy: .init()) }

    /// With other times than LiveKit's own clients have.
    init(mode: Mode, timeouts: SessionTimeouts, policy: ReconnectPolicy) {
        self.mode = mode
        self.timeouts = timeouts
        self.policy = policy
    }

    /// Joins the room that the token names. Throws `CallError`.
    public func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        try await inTaskOfItsOwn { try await join(descriptor, context: context) }
    }

    private func join(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> LiveKitSession {
        guard let token = descriptor.credentials.token, !token.isEmpty else {
            throw CallError(
                .configuration, .invalidArgument,
                "the call descriptor has no access token for \(descriptor.endpoint); the server's configuration must give one"
            )
        }
        let target = try SignalTarget(serverURL: descriptor.endpoint, trust: context.trust.roots)
        let joiner = SessionJoiner(
            context: context, triesSingle: mode != .twoConnections, fallsBack: mode == .automatic, timeouts: timeouts)
        do throws(JoinFailure) {
            let joined = try await joiner.join(target, token: token, retries: timeouts.joinRetries)
            let session = LiveKitSession(joined, joiner: joiner, token: token, policy: policy)
            await session.begin(joined)
            return session
        } catch {
            throw error.error
        }
    }
}

extension ProviderRegistration {
    /// The provider for servers that speak LiveKit's protocol.
    public static var liveKitLike: ProviderRegistration { ProviderRegistration(LiveKitLikeProvider()) }

    /// The same with a fixed signalling mode.
    public static func liveKitLike(mode: LiveKitLikeProvider.Mode) -> ProviderRegistration {
        ProviderRegistration(LiveKitLikeProvider(mode: mode))
    }
}
