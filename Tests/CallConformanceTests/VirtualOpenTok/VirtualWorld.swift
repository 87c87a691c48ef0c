import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling
import RTCCore
import RTCSim
import RTCWire

@testable import ProviderFake
@testable import ProviderOpenTokLike
@testable import WebClient

/// OpenTok-style sessions in virtual time: the provider's own shells on one side, the server's values and the simulated
/// server's media on the other, a seeded network in between. All of it happens in this actor's turns.
actor VirtualWorld {
    nonisolated let clock: MediaClock
    private let time: ManualClock
    // Touched in this actor's turns alone: sessions have them, too.
    nonisolated let house: VirtualHouse
    private var waiting = 0
    private var isTicking = false

    init(mode: MediaMode, seed: UInt64) throws {
        let start = Instant(nanoseconds: 1_000_000_000)
        house = try VirtualHouse(mode: mode, seed: seed, now: start)
        time = ManualClock(now: MediaTime(nanoseconds: start.nanoseconds))
        clock = time.clock
    }

    // MARK: Time

    /// Lets time go by, and returns when all calls have dealt with what happened meanwhile.
    func pass(milliseconds: Int) async {
        let end = house.simulation.now + .milliseconds(max(0, milliseconds))
        repeat {
            await settle()
            advance(to: min(end, house.simulation.now + Self.step))
        } while house.simulation.now < end
        await settle()
    }

    /// Lets time go by while somebody waits for what takes time.
    func meanwhile<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        waiting += 1
        defer { waiting -= 1 }
        if !isTicking {
            isTicking = true
            Task { await self.tick() }
        }
        return try await body()
    }

    private func tick() async {
        while waiting > 0 {
            // Whoever has got what they waited for goes first.
            await settle()
            if waiting > 0 { advance(to: house.simulation.now + Self.step) }
            await Task.yield()
        }
        isTicking = false
    }

    private func advance(to instant: Instant) {
        house.simulation.run(until: instant)
        time.advance(to: MediaTime(nanoseconds: house.simulation.now.nanoseconds))
    }

    /// Sessions have had their turns, calls have heard what there was to hear.
    private func settle() async {
        await Task.yield()
        for queue in house.queues where !queue.isSettled { await queue.settle() }
    }

    private static let step = Interval.milliseconds(10)

    /// Has something done in this actor's turn.
    func perform<Result: Sendable>(_ body: @Sendable (VirtualHouse) -> Result) -> Result { body(house) }

    // MARK: The API's server

    func answer(_ request: WebRequest) throws(WebFailure) -> WebAnswer {
        guard !house.isStopped else { throw .unreachable("the simulated server was stopped") }
        let headers = request.headers.map { RESTRequest.Header(name: $0.name, value: $0.value) }
        let asked = RESTRequest(
            method: request.method.name, path: request.url.percentEncodedPath,
            query: request.url.percentEncodedQuery ?? "", headers: headers)
        guard SessionInfoRequest.matches(asked) else { return WebAnswer(status: 404, body: []) }
        let response: RESTResponse
        do throws(SessionInfoRefusal) {
            let asked = try SessionInfoRequest(asked, secrets: VirtualHouse.secrets, now: house.timeOfDay)
            let info = SessionInfo(
                session: asked.session, project: asked.token.project, messagingURL: "ws://virtual.example/messaging",
                serverAddress: VirtualHouse.serverAddress)
            response = info.response
        } catch { response = error.response }
        return WebAnswer(status: response.status, body: response.body)
    }
}

/// What the provider's sessions stand on in a virtual world.
struct VirtualGround: SessionGround {
    let world: VirtualWorld

    func send(_ request: WebRequest, maximumBody: Int) async throws(WebFailure) -> WebAnswer {
        try await world.answer(request)
    }

    func footing(_ settings: ClientSettings, context: ProviderContext) throws(CallError) -> SessionFooting {
        let place = VirtualPlace(world.house, settings)
        return SessionFooting(
            home: world, outlet: place.queue, sockets: place, media: VirtualPeers(place, context.media),
            time: VirtualTime(world.house))
    }
}

extension FakeEventQueue: EventOutlet {}

/// The simulation's time, and a session's timer in it.
// Touched in the world's turns alone, which are the session's.
private final class VirtualTime: SessionTime, @unchecked Sendable {
    private let house: VirtualHouse
    private var due: Instant?

    init(_ house: VirtualHouse) { self.house = house }

    var now: Instant { house.simulation.now }

    func set(_ deadline: Instant?, for session: OpenTokLikeSession) {
        guard let deadline, deadline < due ?? .distantFuture else { return }
        due = deadline
        house.simulation.schedule(at: deadline) { [weak session, self] in
            guard due == deadline else { return }
            session?.assumeIsolated { $0.timePassed() }
        }
    }

    func fired() { due = nil }
}
