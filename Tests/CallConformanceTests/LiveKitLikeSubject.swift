import CallBridge
import CallConformance
import CallServer
import Foundation
import LiveKitProtocol
import Logging
import MediaCore
import ProviderLiveKitLike
import RTCSim
import RTCTransport
import Synchronization
import TransportSecurity
import WebClient

/// The provider for LiveKit's protocol, over sockets, against the embedded server; everybody's media takes the way through
/// relays of their own.
struct LiveKitLikeSubject: ConformanceSubject {
    let mode: LiveKitLikeProvider.Mode
    /// How the server speaks on the wire of the media.
    var plane = MediaPlane.standard

    var name: String { "LiveKit-like, \(mode.rawValue), \(plane.rawValue) media" }
    /// A loss for good takes minutes of the machine's time here.
    var faults: Set<ConformanceFault.Kind> { Set(ConformanceFault.Kind.allCases).subtracting([.permanentLoss]) }

    func makeWorld(seed: UInt64) async throws -> any ConformanceWorld {
        var configuration = CallServerConfiguration(keys: ["key": LiveKitLikeWorld.secret])
        configuration.port = 0
        configuration.media.plane = plane
        // Other tests may keep every thread busy for seconds.
        configuration.timing.request = 120_000
        configuration.logger.logLevel = .error
        let server = CallServer(configuration: configuration)
        try await server.start()
        return LiveKitLikeWorld(server: server, port: server.port, mode: mode, seed: seed)
    }
}

private final class LiveKitLikeWorld: ConformanceWorld {
    static let secret = "a-secret-of-thirty-two-characters"

    private struct State {
        var relays: [String: UDPRelayPool] = [:]
        var conditions = NetworkConditions()
    }

    let provider: any CallProvider
    private let server: CallServer
    private let port: Int
    private let seed: UInt64
    private let state = Mutex(State())

    init(server: CallServer, port: Int, mode: LiveKitLikeProvider.Mode, seed: UInt64) {
        self.server = server
        self.port = port
        self.seed = seed
        provider = LiveKitLikeProvider(mode: mode)
    }

    // MARK: Descriptors

    func descriptor(identity: String, room: String) async throws -> CallDescriptor {
        if state.withLock({ $0.relays[identity] }) == nil { try await makeRelays(identity) }
        return describe(
            room,
            AccessToken.join(
                room: room, identity: identity, key: "key", secret: Self.secret,
                now: Int64(Date().timeIntervalSince1970)))
    }

    func refusedDescriptor() -> CallDescriptor? { describe("any", "no.real.token") }

    private func describe(_ room: String, _ token: String) -> CallDescriptor {
        CallDescriptor(
            callId: room, conversationId: room, provider: .liveKit, serviceProviderCallId: room,
            endpoint: "ws://127.0.0.1:\(port)", credentials: .init(token: token))
    }

    // MARK: Network

    private func makeRelays(_ identity: String) async throws {
        var configuration = RelayConfiguration()
        configuration.seed = seed
        let conditions = state.withLock { $0.conditions }
        configuration.up = conditions
        configuration.down = conditions
        let pool = try await UDPRelayPool.start(
            on: try DatagramLoop(name: "relays"), configuration: configuration
        ).get()
        state.withLock { $0.relays[identity] = pool }
    }

    func configure(_ configuration: inout CallBridge.Configuration, for identity: String) {
        configuration.logger.logLevel = .error
        guard let pool = state.withLock({ $0.relays[identity] }) else { return }
        configuration.media.bindAddress = "127.0.0.1"
        configuration.media.remoteAddressMap = { pool.address(leadingTo: $0) }
    }

    private func setConditions(_ conditions: NetworkConditions, for identity: String) async throws {
        try await state.withLock { $0.relays[identity] }?.setConditions(conditions).get()
    }

    func inject(_ fault: ConformanceFault) async throws {
        switch fault {
        case .networkCut(let identity):
            try await setConditions(NetworkConditions(delay: .zero, loss: 1), for: identity)
        case .networkRestored(let identity):
            try await setConditions(state.withLock { $0.conditions }, for: identity)
        case .removed(let identity, let room):
            try await ask("RemoveParticipant", #"{"room": "\#(room)", "identity": "\#(identity)"}"#, room: room)
        case .roomEnded(let room): try await ask("DeleteRoom", #"{"room": "\#(room)"}"#, room: room)
        case .serverStopped: await server.stop()
        case .badNetwork(let loss, let delay):
            let conditions = NetworkConditions(delay: .milliseconds(delay), loss: loss / 100)
            state.withLock { $0.conditions = conditions }
            for identity in state.withLock({ Array($0.relays.keys) }) {
                try await setConditions(conditions, for: identity)
            }
        }
    }

    /// A request to the room API.
    private func ask(_ method: String, _ body: String, room: String) async throws {
        var claims = TokenClaims(issuer: "key", subject: "moderator")
        claims.expires = Date().timeIntervalSince1970 + 600
        claims.video = .join(room: room)
        claims.video?.roomAdmin = true
        claims.video?.roomCreate = true
        let address = "http://127.0.0.1:\(port)/twirp/livekit.RoomService/\(method)"
        guard let url = URLComponents(string: address) else { return }
        var request = WebRequest(.post, url, trust: .environment)
        request.timeout = 60
        request.headers = [
            ("Content-Type", "application/json"),
            ("Authorization", "Bearer \(AccessToken.mint(claims, secret: Self.secret))"),
        ]
        request.body = Array(body.utf8)
        let answer = try await WebClient.send(request)
        guard answer.status == 200 else {
            throw ConformanceFailure("\(method) was refused: \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    func close() async {
        await server.stop()
        for pool in state.withLock({ Array($0.relays.values) }) {
            try? await pool.close().get()
            try? await pool.loop.shutdownGracefully()
        }
    }
}
