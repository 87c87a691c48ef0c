import RTCTransport
import RTCWire
import RoomModel
import Testing

@testable import CallServer

/// A client of a dialect of its own: remembers what it is told.
private final class Stranger: RoomMember {
    let id: String
    let connections: [MediaConnection] = []
    let receivers: [MediaConnection] = []
    private(set) var told: [RoomEvent] = []
    private(set) var messages: [RoomMessage] = []
    private(set) var dismissal: DepartureReason?
    /// What it does about an event.
    var react: (RoomEvent) -> Void = { _ in }

    init(_ id: String) { self.id = id }

    var record: RoomParticipant { RoomParticipant(id: id, identity: id) }

    func tell(_ event: RoomEvent, now: Instant) {
        told.append(event)
        react(event)
    }

    func tell(_ pauses: [TrackPause], on connection: MediaConnection, now: Instant) {}
    func pausePolicy(on connection: MediaConnection) -> PausePolicy { .never }
    func receive(_ message: RoomMessage, now: Instant) { messages.append(message) }
    func dismiss(_ reason: DepartureReason, tells: Bool) { dismissal = reason }
}

/// The room's shell on a loop, with members of no dialect that it knows.
@Suite(.timeLimit(.minutes(1))) struct RoomShellTests {
    private func withRoom(_ body: @escaping @Sendable (Room) throws -> Void) async throws {
        let configuration = CallServerConfiguration(keys: ["key": "secret"])
        let loop = try DatagramLoop(name: "room-shell")
        let mux = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0).get()
        let settings = try MediaSettings(configuration)
        let server = try await loop.submit { ServerLoop(mux: mux, settings: settings, meter: StallMeter()) }.get()
        let directory = RoomDirectory(
            configuration: configuration, timing: RoomTiming(), loops: [server], dialects: [{ _ = $0.liveKit }])
        let room = directory.room(named: "r")
        let result = loop.submit { try body(room) }.map { Result<Void, any Error>.success(()) }
            .flatMapErrorThrowing { .failure($0) }
        let outcome = try await result.get()
        try await server.close().get()
        await server.end()
        try outcome.get()
    }

    private static let track = PublishedTrack(
        id: "t", kind: .video, source: .camera, name: "", isMuted: false, media: TrackMedia(codec: "VP8"))

    @Test func eventsReachThoseWhomTheyConcern() async throws {
        try await withRoom { room in
            let now = MonotonicClock.now()
            let (a, b) = (Stranger("a"), Stranger("b"))
            for member in [a, b] { room.enter(member, as: member.record, now: now) }
            #expect(a.told == [.joined(a.record), .joined(b.record)])
            #expect(b.told == [.joined(b.record)])
            room.perform(.publish(Self.track, by: "a"), now: now)
            let subscription = Subscription(subscriber: "b", publisher: "a", track: "t")
            #expect(b.told.contains(.subscriptionBegan(subscription)))
            #expect(!a.told.contains(.subscriptionBegan(subscription)))
            #expect(a.told.contains(.heeded(track: "t", publisher: "a")))
            let info = room.liveKit.info
            #expect(info.numParticipants == 2 && info.numPublishers == 1, "LiveKit's words count everybody")
            #expect(room.outgoingTrack("t", stream: "s") == nil, "nothing feeds it")
        }
    }

    @Test func whoIsRemovedIsDismissedAndTheRestToldOnce() async throws {
        try await withRoom { room in
            let now = MonotonicClock.now()
            let (a, b) = (Stranger("a"), Stranger("b"))
            for member in [a, b] { room.enter(member, as: member.record, now: now) }
            room.remove("a", .removed, now: now)
            room.remove("a", .removed, now: now)
            #expect(a.dismissal == .removed)
            let departures = b.told.filter { if case .left(_, .removed, _) = $0 { true } else { false } }
            #expect(departures.count == 1)
            room.end(.deleted, now: now)
            #expect(b.dismissal == .roomEnded && room.isClosed && room.members.isEmpty)
        }
    }

    /// Who acts on what it is told doesn't make the others hear things in another order.
    @Test func nothingIsOvertaken() async throws {
        try await withRoom { room in
            let now = MonotonicClock.now()
            let members = ["a", "b", "c"].map(Stranger.init)
            for member in members { room.enter(member, as: member.record, now: now) }
            for member in members.dropFirst() {
                member.react = { if case .published = $0 { room.perform(.orderMute("t", true), now: now) } }
            }
            room.perform(.publish(Self.track, by: "a"), now: now)
            for member in members {
                let kinds = member.told.compactMap { event -> String? in
                    switch event {
                    case .published: "published"
                    case .muted: "muted"
                    default: nil
                    }
                }
                #expect(kinds == ["published", "muted"], "\(member.id)")
                member.react = { _ in }
            }
        }
    }
}
