import CallBridge
import CallServer
import Foundation
import LiveKitProtocol
import Logging
import MediaCore
import RTCTransport
import Synchronization
import Testing

@testable import ProviderLiveKitLike

/// An embedded server, a proxy before its signalling and relays before its media: everything that can break.
// `bridges` belongs to the test's task.
final class CallHouse: @unchecked Sendable {
    static let secret = "a-secret-of-thirty-two-characters"

    let server: CallServer
    let proxy: SignalProxy
    let engine = MediaEngine()
    private var bridges: [CallBridge] = []
    private let relays: Mutex<UDPRelayPool>

    private init(server: CallServer, proxy: SignalProxy, relays: UDPRelayPool) {
        self.server = server
        self.proxy = proxy
        self.relays = Mutex(relays)
    }

    static func configuration(port: Int = 0) -> CallServerConfiguration {
        var configuration = CallServerConfiguration(keys: ["key": secret])
        configuration.port = port
        // Other tests may keep every thread busy for seconds.
        configuration.timing.request = 600_000
        return configuration
    }

    static func with(_ body: (CallHouse) async throws -> Void) async throws {
        let server = CallServer(configuration: configuration())
        try await server.start()
        let proxy = try await SignalProxy.start(leadingTo: server.port)
        let relays = try await UDPRelayPool.start(
            on: try DatagramLoop(name: "relays"), configuration: RelayConfiguration()
        ).get()
        let house = CallHouse(server: server, proxy: proxy, relays: relays)
        var failure: (any Error)?
        do { try await body(house) } catch { failure = error }
        for bridge in house.bridges { await bridge.shutdown() }
        await proxy.stop()
        await server.stop()
        await house.engine.shutdown()
        let pool = house.relays.withLock { $0 }
        try await pool.close().get()
        try await pool.loop.shutdownGracefully()
        if let failure { throw failure }
    }

    static func token(_ identity: String) -> String {
        AccessToken.join(
            room: "room", identity: identity, key: "key", secret: secret, now: Int64(Date().timeIntervalSince1970))
    }

    /// The relays die, and others take their place for whoever looks for the server anew.
    func moveRelays() async throws {
        let fresh = try await UDPRelayPool.start(
            on: try DatagramLoop(name: "relays"), configuration: RelayConfiguration()
        ).get()
        let old = relays.withLock { relays in
            defer { relays = fresh }
            return relays
        }
        try await old.close().get()
        try await old.loop.shutdownGracefully()
    }

    /// Joins through the proxy; `isRelayed` leads media through the relays.
    func join(
        _ identity: String, mode: LiveKitLikeProvider.Mode = .singleConnection, isRelayed: Bool = false,
        streaming: StreamingOptions = .init(), timeouts: SessionTimeouts = .init()
    ) async throws -> Call {
        let descriptor = CallDescriptor(
            callId: "c", conversationId: "c", provider: .liveKit, serviceProviderCallId: "room",
            endpoint: "ws://127.0.0.1:\(proxy.port)", credentials: .init(token: Self.token(identity)))
        let provider = LiveKitLikeProvider(mode: mode, timeouts: timeouts, policy: .init())
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [ProviderRegistration(provider)])
        configuration.engine = engine
        configuration.streaming = streaming
        if isRelayed {
            configuration.media.bindAddress = "127.0.0.1"
            configuration.media.remoteAddressMap = { [weak self] address in
                self?.relays.withLock { $0.address(leadingTo: address) } ?? address
            }
        }
        let bridge = CallBridge(configuration: configuration)
        bridges.append(bridge)
        return try await bridge.join(conversation: "c")
    }
}

extension AsyncStream<CallEvent>.Iterator {
    /// Reads on until an event fits.
    mutating func first<Result>(_ match: (CallEvent) -> Result?) async -> Result? {
        while let event = await next() {
            if let result = match(event) { return result }
        }
        return nil
    }
}
