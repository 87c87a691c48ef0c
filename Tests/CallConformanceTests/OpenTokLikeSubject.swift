import CallBridge
import CallConformance
import CallServer
import Foundation
import MediaCore
import OpenTokClient
import OpenTokSignalling
import ProviderOpenTokLike
import RTCSim
import RTCTransport
import RTCWire
import Synchronization
import TransportSecurity
import WebClient

/// The provider for the OpenTok-style dialect, over sockets, against the embedded server. Media takes the way through relays
/// of everybody's own in a routed session; in a relayed one through those of bob alone, for a relay hides its owner's
/// candidates, and two who hide theirs never meet.
struct OpenTokLikeSubject: ConformanceSubject {
    let mode: MediaMode

    var name: String { "OpenTok-like, \(mode == .routed ? "routed" : "relayed")" }
    /// A session has no end of its own: it is there for as long as somebody is. A loss for good takes a minute here.
    var faults: Set<ConformanceFault.Kind> {
        Set(ConformanceFault.Kind.allCases).subtracting([.permanentLoss, .roomEnded])
    }

    func makeWorld(seed: UInt64) async throws -> any ConformanceWorld {
        var configuration = CallServerConfiguration(keys: ["12345": OpenTokLikeWorld.secret])
        configuration.port = 0
        // Other tests may keep every thread busy for seconds.
        configuration.timing.request = 120_000
        configuration.logger.logLevel = .error
        let server = CallServer(configuration: configuration)
        try await server.start()
        return OpenTokLikeWorld(server: server, port: server.port, mode: mode, seed: seed)
    }
}

final class OpenTokLikeWorld: ConformanceWorld {
    static let secret = "a-secret-of-thirty-two-characters"

    private struct State {
        var relays: [String: UDPRelayPool] = [:]
        var conditions = NetworkConditions()
        /// By the name of a room.
        var sessions: [String: OpenTokSessionID] = [:]
    }

    let provider: any CallProvider
    private let server: CallServer
    private let port: Int
    private let mode: MediaMode
    private let seed: UInt64
    private let state = Mutex(State())

    init(server: CallServer, port: Int, mode: MediaMode, seed: UInt64) {
        self.server = server
        self.port = port
        self.mode = mode
        self.seed = seed
        // A server that is gone is given up sooner than the protocol's minute.
        provider = OpenTokLikeProvider(limits: .init(), patience: 20)
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970) }

    // MARK: Descriptors

    private func session(_ room: String) -> OpenTokSessionID {
        state.withLock { state in
            if let session = state.sessions[room] { return session }
            let session = OpenTokSessionID(project: "12345", mediaMode: mode, createdAt: now * 1000)
            state.sessions[room] = session
            return session
        }
    }

    func descriptor(identity: String, room: String) async throws -> CallDescriptor {
        if hasRelay(identity), state.withLock({ $0.relays[identity] }) == nil { try await makeRelays(identity) }
        let token = OpenTokToken(
            project: "12345", sessionID: session(room).text, created: now, connectionData: identity)
        return describe(room, try token.signed(secret: Self.secret))
    }

    func refusedDescriptor() -> CallDescriptor? { describe("any", "no.real.token") }

    private func describe(_ room: String, _ token: String) -> CallDescriptor {
        CallDescriptor(
            callId: room, conversationId: room, provider: .openTok, serviceProviderCallId: session(room).text,
            endpoint: "http://127.0.0.1:\(port)", credentials: .init(token: token))
    }

    // MARK: Network

    private func hasRelay(_ identity: String) -> Bool { mode == .routed || identity == "bob" }

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
        configuration.media.bindAddress = "127.0.0.1"
        guard let pool = state.withLock({ $0.relays[identity] }) else { return }
        configuration.media.remoteAddressMap = { pool.address(leadingTo: $0) }
    }

    private func setConditions(_ conditions: NetworkConditions, for identity: String) async throws {
        // In a relayed session of two the way between them is one, whoever is cut off.
        let pool = state.withLock { $0.relays[hasRelay(identity) ? identity : "bob"] }
        try await pool?.setConditions(conditions).get()
    }

    /// Lets so many bits a second through to and from somebody; nil for all.
    func setRate(_ rate: Int?, of identity: String) async throws {
        var conditions = state.withLock { $0.conditions }
        conditions.rate = rate
        try await setConditions(conditions, for: identity)
    }

    func inject(_ fault: ConformanceFault) async throws {
        switch fault {
        case .networkCut(let identity):
            try await setConditions(NetworkConditions(delay: .zero, loss: 1), for: identity)
        case .networkRestored(let identity):
            try await setConditions(state.withLock { $0.conditions }, for: identity)
        case .removed(let identity, let room): try await disconnect(identity, room)
        case .serverStopped: await server.stop()
        case .badNetwork(let loss, let delay):
            let conditions = NetworkConditions(delay: .milliseconds(delay), loss: loss / 100)
            state.withLock { $0.conditions = conditions }
            for identity in state.withLock({ Array($0.relays.keys) }) {
                try await setConditions(conditions, for: identity)
            }
        case .roomEnded: throw ConformanceFailure("a session has no end of its own")
        }
    }

    /// A moderator of the session sends somebody away.
    private func disconnect(_ identity: String, _ room: String) async throws {
        let id = session(room)
        let token = try OpenTokToken(
            project: "12345", sessionID: id.text, role: .moderator, created: now, connectionData: "moderator"
        ).signed(secret: Self.secret)
        var descriptor = describe(room, token)
        descriptor.mediaKind = .none
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [ProviderRegistration(provider)])
        configuration.logger.logLevel = .error
        let bridge = CallBridge(configuration: configuration)
        let call = try await bridge.join(
            conversation: room, as: "moderator", subscribesAutomatically: false)
        var target: String?
        while target == nil {
            target = await call.participants.first { $0.identity == identity }?.id
            await pass(milliseconds: 20)
        }
        try await call.moderate(.remove(participantID: target ?? ""))
        await call.leave()
        await bridge.shutdown()
    }

    func close() async {
        await server.stop()
        for pool in state.withLock({ Array($0.relays.values) }) {
            try? await pool.close().get()
            try? await pool.loop.shutdownGracefully()
        }
    }
}
