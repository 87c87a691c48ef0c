public import CallBridge
import Foundation
import MediaCore

/// Carries calls through a `FakeWorld`: a provider for tests, whose calls need neither a server nor time.
///
/// A descriptor's endpoint and token are free, unless the world demands a token. Who joins says `?identity=NAME` at the end
/// of the endpoint, as a token would: `fake:world?identity=ada`.
public struct FakeProvider: CallProvider {
    /// FAKE.
    public let kind = ProviderKind.fake
    /// Everything that a `ProviderCapabilities` names.
    public let capabilities: ProviderCapabilities = [.video, .listenOnly, .serverSpeakers, .selectiveSubscription]
    private let world: FakeWorld

    /// - Parameter world: where the calls take place.
    public init(_ world: FakeWorld) { self.world = world }

    /// Joins the room that the descriptor names. Throws `CallError`.
    public func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        try await world.join(
            descriptor, identity: Self.identity(in: descriptor.endpoint), context: context)
    }

    private static func identity(in endpoint: String) -> String {
        let mark = "?identity="
        guard let range = endpoint.range(of: mark), range.upperBound < endpoint.endIndex else {
            return "guest-\(UInt32.random(in: 0...UInt32.max))"
        }
        let name = String(endpoint[range.upperBound...])
        return name.removingPercentEncoding ?? name
    }
}

extension ProviderKind {
    /// The simulated provider.
    public static let fake = ProviderKind(rawValue: "FAKE")
}

extension ProviderRegistration {
    /// Installs the simulated provider.
    public static func fake(_ world: FakeWorld) -> ProviderRegistration { ProviderRegistration(FakeProvider(world)) }
}
