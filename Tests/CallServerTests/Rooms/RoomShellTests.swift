import LiveKitProtocol
import RTCTransport
import RTCWire
import RoomModel
import Testing
import WHIPSignalling

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

/// Lets nobody in while it is shut.
private final class Doorkeeper: RoomListener {
    var isShut = false
    /// Who was to go for the last one that came.
    private(set) var replaced: String?
    private(set) var forgotten = 0

    func opened(_ room: Room) {}
    func room(_ room: Room, did event: RoomEvent, now: Instant) {}
    func closed(_ room: Room, because reason: RoomEndReason) {}

    func room(_ room: Room, admits record: RoomParticipant, replacing earlier: String?) -> Bool {
        replaced = earlier
        return !isShut
    }

    func room(_ room: Room, forgets participant: String) { forgotten += 1 }
}

/// The room's shell on a loop, with members of no dialect that it knows.
@Suite(.timeLimit(.minutes(10))) struct RoomShellTests {
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

    /// A publisher by WHIP comes again and is refused: the earlier self stays, publishes on, and its session answers.
    @Test func aRefusedSelfTakesNobodysPlace() async throws {
        try await withRoom { room in
            let now = MonotonicClock.now()
            let doorkeeper = room.side { _ in Doorkeeper() }
            let first = room.whip.begin(try Self.ticket(), Self.offer, now: now)
            let earlier = try #require(room.machine.roster.participant(identity: "ann"))
            #expect(first.status == 201 && earlier.tracks.count == 1 && doorkeeper.replaced == nil)
            doorkeeper.isShut = true
            #expect(room.whip.begin(try Self.ticket(), Self.offer, now: now).status == 503)
            #expect(doorkeeper.replaced == earlier.id && doorkeeper.forgotten == 1)
            #expect(room.machine.roster.participants == [earlier] && room.members.count == 1)
            doorkeeper.isShut = false
            #expect(room.whip.begin(try Self.ticket(), Self.offer, now: now).status == 201)
            let later = try #require(room.machine.roster.participant(identity: "ann"))
            #expect(later.id != earlier.id && room.members.count == 1)
            room.end(.deleted, now: now)
        }
    }

    private static func ticket() throws -> WHIPTicket {
        var claims = TokenClaims(issuer: "key", subject: "ann")
        claims.video = .join(room: "r")
        let places = WHIPPlaces(CallServerConfiguration(keys: ["key": "secret"]).watching)
        return WHIPTicket(
            role: .publisher, room: "r", subject: nil, claims: claims,
            place: try #require(places.take(address: "127.0.0.1", viewer: nil)))
    }

    private static let offer = WHIPRequest(
        method: "POST", contentType: "application/sdp",
        body: Array(
            """
            v=0
            o=- 1 1 IN IP4 0.0.0.0
            s=-
            t=0 0
            a=group:BUNDLE 0
            m=audio 9 UDP/TLS/RTP/SAVPF 111
            c=IN IP4 0.0.0.0
            a=mid:0
            a=ice-ufrag:abcd
            a=ice-pwd:abcdefghijklmnopqrstuv
            a=fingerprint:sha-256 \(Array(repeating: "AB", count: 32).joined(separator: ":"))
            a=setup:actpass
            a=rtcp-mux
            a=sendonly
            a=rtpmap:111 opus/48000/2

            """.utf8))

    /// What is to go for another doesn't count beside it.
    @Test func aDescriptionMakesRoomForWhatReplacesIt() {
        var description = RoomDescription(limit: 100)
        #expect(description.describe("a", 60) && description.describe("b", 30))
        #expect(!description.describe("c", 60) && description.describe("c", 60, replacing: "a"))
        #expect(!description.describe("d", 60, replacing: "b") && description.bytes == 150)
        description.remove("a")
        #expect(description.bytes == 90)
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
