import CallBridge
import CallServer
import MediaCore
import ProviderOpenTokLike
import Synchronization

/// Joins OpenTok-style sessions of this server by the tokens of its orders.
final class SessionRecorders: ArchiveRecorders {
    private struct State {
        var endpoint: String?
        var bridges: [String: CallBridge] = [:]
    }

    private let trust: ServerTrust
    private let media: MediaSessionConfiguration
    private let state = Mutex(State())

    init(trust: ServerTrust, dtls: DTLSBackendChoice = .own, srtp: SRTPBackendChoice = .libcrypto) {
        self.trust = trust
        var media = MediaSessionConfiguration()
        media.dtlsBackend = dtls
        media.srtpBackend = srtp
        // What is recorded as it comes needs no decoder.
        media.reception = .counted
        media.acceptsAllCodecs = true
        self.media = media
    }

    /// Where the server is for ourselves; nil for where its clients have said it is, as TLS needs it: certificates name hosts.
    func reach(_ endpoint: String?) { state.withLock { $0.endpoint = endpoint } }

    func join(_ order: ArchiveOrder) async throws -> Call {
        let descriptor = CallDescriptor(
            callId: order.room, conversationId: order.room, provider: .openTok, serviceProviderCallId: order.room,
            endpoint: state.withLock { $0.endpoint } ?? order.server, credentials: .init(token: order.token))
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [.openTokLike])
        configuration.trust = trust
        configuration.media = media
        let bridge = CallBridge(configuration: configuration)
        state.withLock { $0.bridges[order.id] = bridge }
        return try await bridge.join(descriptor)
    }

    func leave(_ archive: String) {
        let bridge = state.withLock { $0.bridges.removeValue(forKey: archive) }
        if let bridge { Task { await bridge.shutdown() } }
    }
}
