import CallModel
import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// Whose calls may be rung, and how many.
@Suite(.timeLimit(.minutes(10))) struct RingBoundTests {
    private static func withEndpoint(
        busy: Set<String> = [], journal: CallJournal = CallJournal(), _ body: (Int) async throws -> Void
    ) async throws {
        let hub = RingHub(journal: journal)
        var router = HTTPRouter()
        // A minute in which nothing comes back.
        RingEndpoint(hub: hub, keys: ["key": "secret"], isBusy: { busy.contains($0) }, clock: { .zero }).add(
            to: &router)
        try await withHTTPServer(router) { try await body($0.port) }
        hub.close()
    }

    private static func token(_ person: String, room: String) -> String {
        AccessToken.join(
            room: room, identity: person, key: "key", secret: "secret", now: Int64(Date().timeIntervalSince1970))
    }

    private static func ring(
        _ port: Int, _ person: String, conversation: String, room: String, call: String = ""
    ) async throws -> HTTPTestClient.Response {
        let body =
            #"{"type":"place","request":{"callId":"\#(call)","conversationId":"\#(conversation)","callType":"AUDIO","#
            + #""callerName":"x","groups":[["bob"]]}}"#
        let client = try await HTTPTestClient.connect(port)
        defer { client.close() }
        client.send(
            "POST \(RingEndpoint.commandsPath)?person=\(person)&device=d HTTP/1.1\r\nHost: h\r\n"
                + "Authorization: Bearer \(token(person, room: room))\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try await client.response()
    }

    @Test func aTokenRingsForItsOwnRoomOnly() async throws {
        try await Self.withEndpoint { port in
            let stranger = try await Self.ring(port, "mallory", conversation: "theirs", room: "mine")
            #expect(stranger.status == 403 && stranger.body.contains("not for this conversation"))
            #expect(try await Self.ring(port, "ann", conversation: "theirs", room: "theirs").status == 200)
        }
    }

    @Test func aConversationHasOneCall() async throws {
        let journal = CallJournal()
        try await Self.withEndpoint(busy: ["talk"], journal: journal) { port in
            #expect(try await Self.ring(port, "ann", conversation: "v", room: "v").status == 200)
            let second = try await Self.ring(port, "ben", conversation: "v", room: "v")
            #expect(second.status == 409 && second.body.contains("\"v\""))
            #expect(try await Self.ring(port, "ben", conversation: "talk", room: "talk").status == 409)
        }
        #expect(journal.finish().violations == [])
    }

    /// One rings without end: that one is told to wait, and everybody else rings as before.
    @Test func whoRingsWithoutEndKeepsNobodyFromRinging() async throws {
        try await Self.withEndpoint { port in
            var statuses: [Int] = []
            for index in 0..<60 {
                statuses.append(
                    try await Self.ring(port, "mallory", conversation: "m\(index)", room: "m\(index)").status)
            }
            #expect(statuses.filter { $0 == 200 }.count <= 20 && statuses.last == 429)
            for index in 0..<10 {
                #expect(
                    try await Self.ring(port, "p\(index)", conversation: "c\(index)", room: "c\(index)").status == 200)
            }
        }
    }

    @Test func namesAreCountedInBytes() async throws {
        var settings = RingSwitchboard.Settings()
        settings.limits.callsPerPerson = 2
        let hub = RingHub(settings: settings, journal: CallJournal())
        defer { hub.close() }
        let ann = RingDevice(personId: "ann", deviceToken: "a")
        let long = "e" + String(repeating: "\u{301}", count: 200)
        #expect(throws: RingRefusal.self) {
            try hub.send(.place(RingRequest(conversationId: long, groups: [["b"]])), from: ann)
        }
        for index in 0..<2 {
            try hub.send(.place(RingRequest(conversationId: "c\(index)", groups: [["b"]])), from: ann)
        }
        let error = #expect(throws: RingRefusal.self) {
            try hub.send(.place(RingRequest(conversationId: "c2", groups: [["b"]])), from: ann)
        }
        #expect(error?.kind == .tooMany)
        try hub.send(
            .place(RingRequest(conversationId: "c3", groups: [["b"]])),
            from: RingDevice(personId: "ben", deviceToken: "b"))
    }
}

/// What rooms write into the journal.
@Suite struct RoomJournalTests {
    private static func info(_ identity: String) -> Livekit_ParticipantInfo { .with { $0.identity = identity } }
    private static let room = Livekit_Room.with {
        $0.sid = "RM_1"
        $0.name = "v"
    }

    private static func track(_ sid: String, _ type: Livekit_TrackType) -> Livekit_TrackInfo {
        .with {
            $0.sid = sid
            $0.type = type
        }
    }

    /// With one connection the offer comes with the join: tracks are there before the participant is.
    @Test(arguments: [false, true]) func tracksThatComeBeforeTheirParticipantAreWritten(isRung: Bool) throws {
        let journal = CallJournal()
        let hub = RingHub(journal: journal)
        if isRung {
            let ann = RingDevice(personId: "ann", deviceToken: "a")
            let bob = RingDevice(personId: "bob", deviceToken: "b")
            let line = try hub.attach(bob)
            try hub.send(.place(RingRequest(callId: "c", conversationId: "v", groups: [["bob"]])), from: ann)
            try hub.send(.answer(callId: "c"), from: bob)
            withExtendedLifetime(line) {}
        }
        let rooms = RoomJournal(hub: hub, journal: journal)
        rooms.room(Self.room, did: .started)
        rooms.room(Self.room, did: .trackPublished(Self.track("TR_1", .audio), by: Self.info("ann")))
        rooms.room(Self.room, did: .trackPublished(Self.track("TR_2", .video), by: Self.info("ann")))
        rooms.room(Self.room, did: .participantJoined(Self.info("ann")))
        rooms.room(Self.room, did: .participantJoined(Self.info("bob")))
        let published = journal.events.filter { $0.eventType == .publicationChanged && $0.personId == "ann" }
        #expect(published.last?.publishedMedia == .audioVideo)
        rooms.room(Self.room, did: .participantLeft(Self.info("ann")))
        rooms.room(Self.room, did: .participantLeft(Self.info("bob")))
        hub.close()
        #expect(journal.finish().violations == [])
    }

    /// They are no participants to the others, so the call neither begins with them nor lasts for them.
    @Test func whoIsHiddenIsNotInTheCall() {
        let journal = CallJournal()
        let rooms = RoomJournal(hub: RingHub(journal: journal), journal: journal)
        func hidden(_ identity: String) -> Livekit_ParticipantInfo {
            var info = Self.info(identity)
            info.permission.hidden = true
            return info
        }
        rooms.room(Self.room, did: .participantJoined(hidden("ann~whep-12345678")))
        #expect(journal.events.isEmpty && !rooms.hasCall(in: "v"))
        rooms.room(Self.room, did: .participantJoined(Self.info("ann")))
        rooms.room(Self.room, did: .participantJoined(hidden("recorder")))
        rooms.room(Self.room, did: .trackPublished(Self.track("TR_1", .audio), by: hidden("recorder")))
        rooms.room(Self.room, did: .participantLeft(hidden("recorder")))
        #expect(rooms.hasCall(in: "v"))
        // One who hides while in the call leaves it as everybody does.
        rooms.room(Self.room, did: .participantLeft(hidden("ann")))
        #expect(!rooms.hasCall(in: "v"))
        rooms.room(Self.room, did: .participantLeft(hidden("ann~whep-12345678")))
        #expect(Set(journal.events.compactMap(\.personId)) == ["ann"])
        #expect(journal.finish().violations == [])
    }

    /// A call that is rung while a room's own call is under way gets nothing of it.
    @Test func aRoomsEventsStayInItsOwnCall() throws {
        let journal = CallJournal()
        let hub = RingHub(journal: journal)
        let rooms = RoomJournal(hub: hub, journal: journal)
        rooms.room(Self.room, did: .participantJoined(Self.info("ann")))
        rooms.room(Self.room, did: .participantJoined(Self.info("bob")))
        #expect(rooms.hasCall(in: "v") && !rooms.hasCall(in: "w"))
        // Past the endpoint, which would have refused it.
        let mallory = RingDevice(personId: "mallory", deviceToken: "m")
        try hub.send(.place(RingRequest(callId: "stolen", conversationId: "v", groups: [["x"]])), from: mallory)
        rooms.room(Self.room, did: .participantJoined(Self.info("cy")))
        for name in ["ann", "bob", "cy"] { rooms.room(Self.room, did: .participantLeft(Self.info(name))) }
        let stolen = Set(journal.events.filter { $0.callId == "stolen" }.compactMap(\.personId))
        #expect(stolen.isDisjoint(with: ["ann", "bob", "cy"]))
        #expect(!rooms.hasCall(in: "v"))
        hub.close()
        #expect(journal.violations.map(\.rule) == [.oneCallPerConversation], "and the journal says so")
    }
}
