import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling
import RTCWire
import WebClient

/// This machine's network and clock.
struct SocketGround: SessionGround {
    func send(_ request: WebRequest, maximumBody: Int) async throws(WebFailure) -> WebAnswer {
        try await WebClient.send(request, maximumBody: maximumBody)
    }

    func footing(_ settings: ClientSettings, context: ProviderContext) throws(CallError) -> SessionFooting {
        let server = try MessagingServer(settings.info.messagingURL, trust: context.trust.roots)
        return SessionFooting(
            home: SessionHome(), outlet: StreamOutlet(), sockets: server,
            media: PeerConnections(context, host: server.address.host), time: ClockTime(clock: context.clock))
    }
}

/// Gives a session turns of its own.
private actor SessionHome {}

/// Events for one reader who takes its time.
private struct StreamOutlet: EventOutlet {
    let stream: AsyncStream<ProviderEvent>
    private let continuation: AsyncStream<ProviderEvent>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: ProviderEvent.self) }

    func push(_ event: ProviderEvent) { continuation.yield(event) }
    func finish() { continuation.finish() }
}

/// The clock of the bridge.
private struct ClockTime: SessionTime {
    let clock: MediaClock
    private var timer: SessionTimer

    init(clock: MediaClock) {
        self.clock = clock
        timer = SessionTimer(clock: clock)
    }

    var now: Instant { Instant(nanoseconds: clock.now.nanoseconds) }

    mutating func set(_ deadline: Instant?, for session: OpenTokLikeSession) {
        timer.set(deadline.map { MediaTime(nanoseconds: $0.nanoseconds) }) { [weak session] in
            await session?.timePassed()
        }
    }

    mutating func fired() { timer.fired() }
}
