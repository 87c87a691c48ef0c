import CallBridge
import CallConformance
import CallServer
import Foundation
import LiveKitProtocol
import OpenTokSignalling
import ProviderLiveKitLike
import ProviderOpenTokLike
import Synchronization
import WebClient

/// One room in both dialects, over sockets, against the embedded server: those who join speak the one and the other in turn.
struct CrossDialectSubject: ConformanceSubject {
    /// What the first one speaks.
    let first: ProviderKind

    var name: String { "both dialects, \(first) first" }
    var faults: Set<ConformanceFault.Kind> { [.removed, .serverStopped] }

    func makeWorld(seed: UInt64) async throws -> any ConformanceWorld {
        var configuration = CallServerConfiguration(keys: ["12345": CrossDialectWorld.secret])
        configuration.port = 0
        // Other tests may keep every thread busy for seconds.
        configuration.timing.request = 120_000
        configuration.logger.logLevel = .error
        let server = CallServer(configuration: configuration)
        try await server.start()
        return CrossDialectWorld(server: server, port: server.port, first: first)
    }
}

/// Either provider, as a descriptor's endpoint says: to the bridge they are one.
private struct EitherProvider: CallProvider {
    let kind = ProviderKind(rawValue: "EITHER")
    let liveKit = LiveKitLikeProvider()
    let openTok = OpenTokLikeProvider()

    /// What both can do; with clients of a session among them nobody takes another's place for sure.
    var capabilities: ProviderCapabilities {
        [.video, .listenOnly, .selectiveSubscription, .sharedIdentities, .mediaOnDemand]
    }

    func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        var descriptor = descriptor
        let isLiveKit = descriptor.endpoint.hasPrefix("ws")
        descriptor.provider = isLiveKit ? .liveKit : .openTok
        return isLiveKit
            ? try await liveKit.connect(descriptor, context: context)
            : try await openTok.connect(descriptor, context: context)
    }
}

private final class CrossDialectWorld: ConformanceWorld {
    static let secret = "a-secret-of-thirty-two-characters"

    private struct State {
        /// By the name of a room.
        var sessions: [String: OpenTokSessionID] = [:]
        /// Who speaks LiveKit's protocol; all others don't.
        var speaksLiveKit: [String: Bool] = [:]
    }

    let provider: any CallProvider = EitherProvider()
    private let server: CallServer
    private let port: Int
    private let first: ProviderKind
    private let state = Mutex(State())

    init(server: CallServer, port: Int, first: ProviderKind) {
        self.server = server
        self.port = port
        self.first = first
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private func session(_ room: String) -> String {
        state.withLock { state in
            if let session = state.sessions[room] { return session.text }
            let session = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: now * 1000)
            state.sessions[room] = session
            return session.text
        }
    }

    func descriptor(identity: String, room: String) async throws -> CallDescriptor {
        let isLiveKit = state.withLock { state in
            if let known = state.speaksLiveKit[identity] { return known }
            let isLiveKit = state.speaksLiveKit.count % 2 == (first == .liveKit ? 0 : 1)
            state.speaksLiveKit[identity] = isLiveKit
            return isLiveKit
        }
        let session = session(room)
        guard isLiveKit else {
            let token = OpenTokToken(project: "12345", sessionID: session, created: now, connectionData: identity)
            return describe(room, "http", try token.signed(secret: Self.secret))
        }
        let token = AccessToken.join(
            room: session, identity: identity, key: "12345", secret: Self.secret, now: now)
        return describe(room, "ws", token)
    }

    func refusedDescriptor() -> CallDescriptor? { describe("any", first == .liveKit ? "ws" : "http", "no.real.token") }

    private func describe(_ room: String, _ scheme: String, _ token: String) -> CallDescriptor {
        CallDescriptor(
            callId: room, conversationId: room, provider: provider.kind, serviceProviderCallId: session(room),
            endpoint: "\(scheme)://127.0.0.1:\(port)", credentials: .init(token: token))
    }

    func configure(_ configuration: inout CallBridge.Configuration, for identity: String) {
        configuration.logger.logLevel = .error
        configuration.media.bindAddress = "127.0.0.1"
    }

    func inject(_ fault: ConformanceFault) async throws {
        switch fault {
        case .removed(let identity, let room): try await remove(identity, from: session(room))
        case .serverStopped: await server.stop()
        default: throw ConformanceFailure("\(fault) is not for this world")
        }
    }

    /// By the room API, whatever they speak.
    private func remove(_ identity: String, from room: String) async throws {
        var claims = TokenClaims(issuer: "12345", subject: "moderator")
        claims.expires = Double(now + 600)
        claims.video = .join(room: room)
        claims.video?.roomAdmin = true
        let address = "http://127.0.0.1:\(port)/twirp/livekit.RoomService/RemoveParticipant"
        guard let url = URLComponents(string: address) else { return }
        var request = WebRequest(.post, url, trust: .environment)
        request.timeout = 60
        request.headers = [
            ("Content-Type", "application/json"),
            ("Authorization", "Bearer \(AccessToken.mint(claims, secret: Self.secret))"),
        ]
        request.body = Array(#"{"room": "\#(room)", "identity": "\#(identity)"}"#.utf8)
        let answer = try await WebClient.send(request)
        guard answer.status == 200 else {
            throw ConformanceFailure("refused: \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    func close() async { await server.stop() }
}
