import CallBridge
import Foundation

/// Carries calls without a media server: whoever is in a room has connections with everybody else in it.
public struct TinyProvider: CallProvider {
    /// TINY.
    public let kind = ProviderKind.tiny
    /// Pictures, listening only, and single tracks that are received or not.
    public let capabilities: ProviderCapabilities = [.video, .listenOnly, .selectiveSubscription]
    private let exchange: TinyExchange

    /// - Parameter exchange: where the members of a call find one another.
    public init(_ exchange: TinyExchange) { self.exchange = exchange }

    /// Joins the room that the descriptor names, as the identity in its endpoint: `tiny:ada`. Throws `CallError`.
    public func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        let parts = descriptor.endpoint.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0] == "tiny" else {
            throw CallError(
                .configuration, .configurationUnavailable,
                "\"\(descriptor.endpoint)\" is no endpoint of this provider; write it as tiny:IDENTITY")
        }
        let visit = try await exchange.enter(descriptor, as: String(parts[1]))
        let session = TinySession(visit.own, exchange, context)
        Task { await session.run(visit) }
        return session
    }
}

extension ProviderKind {
    /// The name that a server's configuration has for the tiny provider.
    public static let tiny = ProviderKind(rawValue: "TINY")
}

extension ProviderRegistration {
    /// Installs the tiny provider: `providers: [.tiny(exchange)]`.
    public static func tiny(_ exchange: TinyExchange) -> ProviderRegistration {
        ProviderRegistration(TinyProvider(exchange))
    }
}
