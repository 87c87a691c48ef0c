import RTCWire
import Testing

@testable import RoomModel

@Suite struct PresenceTests {
    @Test func somebodyComesAndIsActiveOnce() {
        var room = RoomFixture()
        let someone = RoomParticipant(id: "P_a", identity: "a")
        #expect(room.handle(.join(someone)) == [.joined(someone)])
        #expect(room.handle(.join(someone)).isEmpty, "the same stay")
        guard case .activated(let active) = room.handle(.activate("P_a")).first else {
            Issue.record("not active")
            return
        }
        #expect(active.state == .active && active.version == 1)
        #expect(room.handle(.activate("P_a")).isEmpty)
        #expect(room.handle(.activate("P_x")).isEmpty)
    }

    @Test func whoComesAgainReplacesTheEarlierSelf() {
        var room = RoomFixture("a", "b")
        room.publish(.audio, by: "a")
        let events = room.handle(.join(RoomParticipant(id: "P_a2", identity: "a")))
        guard case .left(let gone, .replaced, let wasActive) = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(gone.id == "P_a" && gone.state == .disconnected && wasActive)
        #expect(events.subscriptions == ["-b a/mic"])
        #expect(room.machine.roster.participant(identity: "a")?.id == "P_a2")
    }

    @Test func whoLeavesTakesTracksAlongOnce() {
        var room = RoomFixture("a", "b", "c")
        room.publish(.audio, by: "a")
        let events = room.handle(.leave("P_a", .left))
        #expect(events.subscriptions == ["-b a/mic", "-c a/mic"])
        #expect(room.machine.track("a/mic") == nil)
        #expect(room.handle(.leave("P_a", .left)).isEmpty)
    }

    @Test func whoNeverWasActiveIsSaidToHaveGoneSo() {
        var room = RoomFixture()
        room.handle(.join(RoomParticipant(id: "P_a", identity: "a")))
        guard case .left(_, .neverConnected, let wasActive) = room.handle(.leave("P_a", .neverConnected)).first else {
            Issue.record("did not leave")
            return
        }
        #expect(!wasActive)
    }

    @Test func aChangeLeavesTheRestAsItIs() throws {
        var room = RoomFixture("a")
        room.handle(.change("P_a", ParticipantChange(name: "A", attributes: ["k": "1", "l": "2"]), by: .participant))
        let events = room.handle(
            .change("P_a", ParticipantChange(metadata: "m", attributes: ["k": ""]), by: .administrator))
        let record = try #require(room.machine.participant("P_a"))
        #expect(events == [.changed(record, by: .administrator)])
        #expect(record.name == "A" && record.metadata == "m" && record.attributes == ["l": "2"])
        #expect(record.version == 3)
    }

    @Test func permissionsEndWhatTheyNoLongerAllow() {
        var room = RoomFixture("a", "b")
        room.publish(.audio, by: "a")
        room.publish(.video, by: "a")
        var permissions = Permissions()
        permissions.sources = [.microphone]
        let events = room.handle(.change("P_a", ParticipantChange(permissions: permissions), by: .administrator))
        #expect(events.subscriptions == ["-b a/cam"])
        #expect(room.machine.participant("P_a")?.tracks.map(\.id) == ["a/mic"])
        permissions.canSubscribe = false
        room.publish(.audio, by: "b")
        let silenced = room.handle(.change("P_a", ParticipantChange(permissions: permissions), by: .administrator))
        #expect(silenced.subscriptions == ["-a b/mic"])
    }

    @Test func whoHidesIsGoneForTheOthers() {
        var room = RoomFixture("a", "b")
        room.publish(.audio, by: "a")
        var permissions = Permissions()
        permissions.isHidden = true
        let hiding = room.handle(.change("P_a", ParticipantChange(permissions: permissions), by: .administrator))
        guard case .concealed(let before) = hiding.first else {
            Issue.record("\(hiding)")
            return
        }
        #expect(!before.permissions.isHidden)
        #expect(hiding.subscriptions == ["-b a/mic"])
        permissions.isHidden = false
        let back = room.handle(.change("P_a", ParticipantChange(permissions: permissions), by: .administrator))
        #expect(back.permissions == ["b a/mic yes"])
        #expect(back.subscriptions == ["+b a/mic"])
    }

    @Test func sourcesNarrowWhatMayBePublished() {
        var permissions = Permissions()
        #expect(permissions.mayPublish(.unknown))
        permissions.sources = [.microphone]
        #expect(permissions.mayPublish(.microphone) && !permissions.mayPublish(.camera))
    }
}
