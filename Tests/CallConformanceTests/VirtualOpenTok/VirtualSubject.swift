import CallBridge
import CallConformance
import MediaCore
import OpenTokSignalling
import RTCSim
import Synchronization

@testable import ProviderOpenTokLike

/// The provider for the OpenTok-style dialect in virtual time: its own shell over a simulated network, which cuts off
/// messages and media alike.
struct VirtualOpenTokSubject: ConformanceSubject {
    let mode: MediaMode

    var name: String { "OpenTok-like in virtual time, \(mode == .routed ? "routed" : "relayed")" }
    /// A session has no end of its own: it is there for as long as somebody is.
    var faults: Set<ConformanceFault.Kind> { Set(ConformanceFault.Kind.allCases).subtracting([.roomEnded]) }

    func makeWorld(seed: UInt64) async throws -> any ConformanceWorld {
        VirtualConformanceWorld(try VirtualWorld(mode: mode, seed: seed), mode: mode)
    }
}

final class VirtualConformanceWorld: ConformanceWorld {
    let world: VirtualWorld
    let provider: any CallProvider
    private let mode: MediaMode
    private let sessions = Mutex<[String: OpenTokSessionID]>([:])

    init(_ world: VirtualWorld, mode: MediaMode) {
        self.world = world
        self.mode = mode
        provider = VirtualProvider(world: world, provider: OpenTokLikeProvider(ground: VirtualGround(world: world)))
    }

    var clock: MediaClock { world.clock }

    private func session(_ room: String) -> OpenTokSessionID {
        sessions.withLock { sessions in
            let number = UInt64(sessions.count)
            let session =
                sessions[room]
                ?? OpenTokSessionID(project: "12345", mediaMode: mode, createdAt: 0, random: number)
            sessions[room] = session
            return session
        }
    }

    func descriptor(identity: String, room: String) throws -> CallDescriptor {
        let token = OpenTokToken(
            project: "12345", sessionID: session(room).text, created: 1_800_000_000, connectionData: identity)
        return describe(room, try token.signed(secret: VirtualHouse.secrets["12345"] ?? ""))
    }

    func refusedDescriptor() -> CallDescriptor? { describe("any", "no.real.token") }

    private func describe(_ room: String, _ token: String) -> CallDescriptor {
        CallDescriptor(
            callId: room, conversationId: room, provider: .openTok, serviceProviderCallId: session(room).text,
            endpoint: "http://virtual.example", credentials: .init(token: token))
    }

    func configure(_ configuration: inout CallBridge.Configuration, for identity: String) {
        configuration.logger.logLevel = .error
    }

    func inject(_ fault: ConformanceFault) async throws {
        switch fault {
        case .networkCut(let identity): await world.perform { $0.setCut(true, identity) }
        case .networkRestored(let identity): await world.perform { $0.setCut(false, identity) }
        case .removed(let identity, _): await world.perform { $0.disconnect(identity) }
        case .serverStopped: await world.perform { $0.stop() }
        case .badNetwork(let loss, let delay):
            let conditions = NetworkConditions(
                delay: .milliseconds(delay), jitter: .milliseconds(2), loss: loss / 100)
            await world.perform { $0.setConditions(conditions) }
        case .roomEnded: throw ConformanceFailure("a session has no end of its own")
        }
    }

    func pass(milliseconds: Int) async { await world.pass(milliseconds: milliseconds) }
}

/// The provider as it is: time goes by while it is waited for.
private struct VirtualProvider: CallProvider {
    let world: VirtualWorld
    let provider: OpenTokLikeProvider

    var kind: ProviderKind { provider.kind }
    var capabilities: ProviderCapabilities { provider.capabilities }

    func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        let session = try await world.meanwhile { try await provider.connect(descriptor, context: context) }
        return VirtualSession(world: world, session: session)
    }
}

private struct VirtualSession: ProviderSession {
    let world: VirtualWorld
    let session: any ProviderSession

    var localParticipant: Participant { get async { await session.localParticipant } }
    var events: AsyncStream<ProviderEvent> { session.events }

    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        try await world.meanwhile { try await session.publish(track, source: source) }
    }

    func publish(_ tracks: [(track: LocalTrack, source: Track.Source)]) async throws -> [Track] {
        try await world.meanwhile { try await session.publish(tracks) }
    }

    func unpublish(trackID: String) async throws {
        try await world.meanwhile { try await session.unpublish(trackID: trackID) }
    }

    func setMuted(_ muted: Bool, trackID: String) async throws {
        try await world.meanwhile { try await session.setMuted(muted, trackID: trackID) }
    }

    func setSubscribed(_ subscribed: Bool, trackID: String) async throws {
        try await world.meanwhile { try await session.setSubscribed(subscribed, trackID: trackID) }
    }

    func setTrackSettings(_ settings: TrackSettings, trackID: String) async throws {
        try await world.meanwhile { try await session.setTrackSettings(settings, trackID: trackID) }
    }

    func moderate(_ action: Moderation) async throws {
        try await world.meanwhile { try await session.moderate(action) }
    }

    func send(_ message: DataMessage, to identities: [String]) async throws {
        try await world.meanwhile { try await session.send(message, to: identities) }
    }

    func statistics() async -> SessionStatistics { await session.statistics() }
    func leave() async { await world.meanwhile { await session.leave() } }
}
