import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling
import RTCWire
import WebClient

/// What sessions stand on: the network and the clock of this machine, or simulated ones.
protocol SessionGround: Sendable {
    /// Asks the API's server.
    func send(_ request: WebRequest, maximumBody: Int) async throws(WebFailure) -> WebAnswer
    /// What one session works with. Throws `CallError` where its server's URL can't be used.
    func footing(_ settings: ClientSettings, context: ProviderContext) throws(CallError) -> SessionFooting
}

/// What one session works with. A session calls it in its own turns, and is called back in them.
struct SessionFooting: Sendable {
    /// In whose turns the session runs.
    let home: any Actor
    let outlet: any EventOutlet
    let sockets: any SocketOpener
    let media: any PeerMedia
    let time: any SessionTime
}

/// Where a session's events go.
protocol EventOutlet: Sendable {
    /// Read once.
    var stream: AsyncStream<ProviderEvent> { get }
    func push(_ event: ProviderEvent)
    func finish()
}

/// Opens the sockets of the message transport.
protocol SocketOpener: Sendable {
    /// The session is told by `opened`, of its messages by `take(.message)`, and by `closed`; where none opens, by
    /// `take(.closed)`.
    func open(_ request: RumorSocketRequest, _ number: Int, for session: OpenTokLikeSession)
}

/// One socket.
protocol MessageSocket: AnyObject, Sendable {
    func send(_ bytes: [UInt8])
    /// Closes in order; returns when that is done.
    nonisolated(nonsending) func close(code: Int) async
    func abandon()
    /// The same, where it leads from that address of this machine, which is gone; whether it did.
    @discardableResult func abandon(from address: String) -> Bool
}

/// The media connections of a session.
protocol PeerMedia: Sendable {
    /// What they report goes to that session from now on.
    func report(to session: OpenTokLikeSession)
    /// Does this after everything that was asked for before.
    func perform(_ action: PeerAction, _ peer: RaptorPeer)
    func publish(_ stream: PublishedStream, id: String)
    func withdraw(stream: String)
    nonisolated(nonsending) func statistics() async -> SessionStatistics
    nonisolated(nonsending) func close() async
}

/// The time, and the one timer of a session.
protocol SessionTime: Sendable {
    var now: Instant { get }
    /// Has `timePassed` called when that time comes; it may be too early, and is never late.
    mutating func set(_ deadline: Instant?, for session: OpenTokLikeSession)
    /// The timer has gone off.
    mutating func fired()
}
