public import CallBridge
import MediaCore

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
    /// Audio, video, listening only, the server's speakers, selective subscription.
    public let capabilities: ProviderCapabilities = [.video, .listenOnly, .serverSpeakers, .selectiveSubscription]
    private let mode: Mode

    /// - Parameter mode: which signalling mode to ask for.
    public init(mode: Mode = .automatic) { self.mode = mode }

    /// Joins the room that the token names. Throws `CallError`.
    public func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        guard let token = descriptor.credentials.token, !token.isEmpty else {
            throw CallError(
                .configuration, .invalidArgument,
                "the call descriptor has no access token for \(descriptor.endpoint); the server's configuration must give one"
            )
        }
        let target = try SignalTarget(serverURL: descriptor.endpoint)
        if mode != .twoConnections {
            if let session = try await LiveKitSession.join(
                target, token: token, single: true, context: context, mayFallBack: mode == .automatic)
            {
                return session
            }
        }
        guard
            let session = try await LiveKitSession.join(
                target, token: token, single: false, context: context, mayFallBack: false)
        else {
            throw CallError(
                .provider, .protocolViolation, "the server at \(descriptor.endpoint) speaks no LiveKit protocol")
        }
        return session
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
