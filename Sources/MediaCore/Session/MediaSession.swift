import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// One media connection: descriptions and candidates on one side, tracks on the other.
///
/// A provider signals with it: it carries `SessionDescription` and `SessionCandidate` values to its server and back and
/// never looks inside. Descriptions must be used in the order in which they were made.
public final class MediaSession: Sendable {
    /// A track that we send, as `removeTrack` takes it.
    public struct Sender: Sendable, Hashable {
        /// The media identification of its section.
        public let mid: String
        let line: Int
    }

    private let driver: SocketSession
    private let outlet = SessionEventOutlet()

    /// Binds a UDP port and makes a connection that awaits its first description.
    ///
    /// Throws `MediaError` where no port can be bound.
    public init(engine: MediaEngine, configuration: MediaSessionConfiguration = .init()) async throws {
        let outlet = self.outlet
        driver = try await SocketSession.make(engine: engine, configuration: configuration) { outlet.yield($0) }
        driver.onClose = { outlet.finish() }
    }

    /// What happens on the connection. Read once.
    public var events: AsyncStream<MediaSessionEvent> { outlet.stream }

    /// Hands what happens on the connection to `handler`, in place of `events`; nil is the last.
    ///
    /// - Parameter handler: called on the session's loop, with what has waited at once; one call at a time. Must not call the
    ///   session.
    package func handEvents(to handler: @escaping @Sendable (MediaSessionEvent?) -> Void) { outlet.hand(to: handler) }

    func onLoop<Result: Sendable>(
        _ body: @escaping @Sendable (SocketSession) throws -> Result
    ) async throws -> Result {
        let driver = self.driver
        guard !driver.engine.isStopped else { throw SessionError("the media engine has been shut down") }
        return try await driver.eventLoop.submit { try body(driver) }.get()
    }

    /// Has the machine do something.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (inout SessionMachine, Instant, SessionOutbox) throws -> Result
    ) async throws -> Result {
        try await onLoop { try $0.perform(body) }
    }

    /// Prepares to receive that many more tracks; the next offer says so.
    public func addReceivers(audio: Int, video: Int) async throws {
        try await perform { machine, _, _ in machine.addReceivers(audio: audio, video: video) }
    }

    /// Prepares to send a track; the next offer says so, and media flows when it has been answered.
    public func addTrack(_ track: LocalTrack, streamID: String = "-") async throws -> Sender {
        try await perform { machine, _, _ in try machine.addTrack(track, streamID: streamID) }
    }

    /// Stops sending a track at once; the next offer says so.
    public func removeTrack(_ sender: Sender) async throws {
        try await perform { machine, now, out in try machine.removeTrack(sender, now: now, into: out) }
    }

    /// Sends those streams of a simulcast only whose rids are given; the others encode nothing and cost nothing, and begin
    /// with a key frame when they come back. A track without simulcast has one stream, whose rid is empty.
    public func setActiveLayers(_ rids: Set<String>, of sender: Sender) async {
        try? await perform { machine, _, _ in machine.setActiveLayers(rids, of: sender) }
    }

    /// Keeps a video track to that many bits per second in sum, its smallest streams first; nil lifts the limit.
    public func setTargetBitrate(_ bitrate: Int?, of sender: Sender) async {
        try? await perform { machine, _, _ in machine.setTargetBitrate(bitrate, of: sender) }
    }

    /// An offer of everything that was prepared. Throws `SessionError`.
    ///
    /// An offer that has not been answered is replaced by the next one.
    ///
    /// - Parameter restartingICE: looks for a new path with new credentials (RFC 8445 section 9); media goes on over the
    ///   old path until the new one stands, and the keys stay.
    public func createOffer(restartingICE: Bool = false) async throws -> SessionDescription {
        try await perform { machine, now, out in
            try machine.createOffer(restartingICE: restartingICE, now: now, into: out)
        }
    }

    /// The first offer of a connection that is to receive so many tracks, and to carry data: all in one turn of the loop.
    package func createOffer(receivingAudio audio: Int, video: Int) async throws -> SessionDescription {
        try await perform { machine, now, out in
            machine.addReceivers(audio: audio, video: video)
            machine.addDataSection()
            return try machine.createOffer(now: now, into: out)
        }
    }

    /// Takes the answer to our last offer. Throws `SessionError`.
    public func setAnswer(_ answer: SessionDescription) async throws {
        try await perform { machine, now, out in try machine.setAnswer(answer, now: now, into: out) }
    }

    /// Takes an offer and answers it. Throws `SessionError`.
    public func createAnswer(to offer: SessionDescription) async throws -> SessionDescription {
        try await perform { machine, now, out in try machine.createAnswer(to: offer, now: now, into: out) }
    }

    /// Takes a candidate of the other side. Where its host is a name of the local network (a UUID and `.local`) it counts
    /// once the address is known, if that is within 5 s; others that can't be used are ignored.
    public func addRemoteCandidate(_ candidate: SessionCandidate) async throws {
        try await perform { machine, now, out in machine.addRemoteCandidate(candidate, now: now, into: out) }
    }

    /// Asks further STUN and TURN servers for candidates; those that are known already are not asked again. Returns at
    /// once: what comes of it is told by `MediaSessionEvent.localCandidate`.
    ///
    /// - Parameter relayOnly: from now on only relayed candidates count.
    public func setICEServers(_ servers: [SessionICEServer], relayOnly: Bool = false) async {
        try? await onLoop { driver in
            if relayOnly { driver.gathering.restrictToRelay(driver) }
            driver.gathering.gather(servers, for: driver)
            driver.gathering.serversAreNamed(for: driver)
        }
    }

    /// What has been counted so far.
    public func statistics() async -> SessionStatistics {
        await driver.refreshKernelDrops()
        return (try? await onLoop { $0.statistics() }) ?? SessionStatistics()
    }

    /// Says goodbye to the other side and frees the port. `events` ends.
    public func close() async {
        let driver = self.driver
        guard !driver.engine.isStopped else { return }
        try? await driver.eventLoop.flatSubmit { driver.close() }.get()
    }
}

/// Why a description can't be used.
public struct SessionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence that names the place in the description.
    public let description: String

    init(_ description: String) { self.description = description }
}
