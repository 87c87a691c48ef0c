import CallBridge
import CallServer
import Glibc
import LiveKitProtocol
import Logging
import MediaCore
import ProviderLiveKitLike

/// The embedded call server on a port of the system's choice, and what it takes to join a room of it, token in hand.
struct LocalServer {
    let port: Int

    private static let key = "bench"
    private static let secret = "a-secret-for-benchmarks-of-32-characters"

    static var quiet: Logger { Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() } }

    static func start() async throws -> (CallServer, LocalServer) {
        var configuration = CallServerConfiguration(keys: [key: secret])
        configuration.port = 0
        configuration.logger = quiet
        let server = CallServer(configuration: configuration)
        try await server.start()
        return (server, LocalServer(port: server.port))
    }

    /// How `identity` comes into `room`.
    func descriptor(room: String, identity: String = "ada") -> CallDescriptor {
        let token = AccessToken.join(
            room: room, identity: identity, key: LocalServer.key, secret: LocalServer.secret, now: Int64(time(nil)))
        return CallDescriptor(
            callId: room, conversationId: room, provider: .liveKit, serviceProviderCallId: room,
            endpoint: "ws://127.0.0.1:\(port)", credentials: .init(token: token))
    }

    /// A bridge with threads of its own.
    func bridge(reception: MediaReception = .decoded) -> CallBridge {
        var settings = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor(room: "none")), providers: [.liveKitLike])
        settings.logger = LocalServer.quiet
        settings.media.reception = reception
        return CallBridge(configuration: settings)
    }
}
