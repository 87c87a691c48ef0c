import Testing

@testable import SFUCore

@Suite struct RoomModelTests {
    private func room() -> RoomModel {
        var room = RoomModel()
        for name in ["a", "b", "c"] { room.join(RoomParticipant(id: "PA_\(name)", identity: name)) }
        room.update("PA_a") {
            $0.tracks.append(PublishedTrack(id: "TR_1", kind: .audio, source: .microphone, name: "", isMuted: false))
        }
        return room
    }

    @Test func everybodyElseIsSubscribed() {
        var room = room()
        let begun = room.settleSubscriptions()
        #expect(begun.map(\.subscriber) == ["PA_b", "PA_c"])
        let again = room.settleSubscriptions()
        #expect(again.isEmpty)
        #expect(room.subscribers(of: "PA_a") == ["PA_b", "PA_c"])
        #expect(room.track("TR_1")?.publisher.identity == "a")
    }

    @Test func choicesPermissionsAndRules() {
        var room = room()
        room.adjust("PA_b") { $0.choices["TR_1"] = false }
        room.adjust("PA_c") { $0.permissions.canSubscribe = false }
        let none = room.settleSubscriptions()
        #expect(none.isEmpty)
        room.adjust("PA_b") { $0.choices["TR_1"] = true }
        let chosen = room.settleSubscriptions()
        #expect(chosen.map(\.isSubscribed) == [true])
        room.adjust("PA_a") {
            $0.rule = SubscriptionRule(everybody: false, entries: ["c": .init(allTracks: true, tracks: [])])
        }
        room.adjust("PA_c") { $0.permissions.canSubscribe = true }
        let changes = room.settleSubscriptions()
        #expect(changes.map(\.subscriber) == ["PA_b", "PA_c"])
        #expect(changes.map(\.isSubscribed) == [false, true])
    }

    @Test func nobodyGetsTracksOfSomebodyHidden() {
        var room = room()
        _ = room.settleSubscriptions()
        room.adjust("PA_b") { $0.choices["TR_1"] = true }
        room.update("PA_a") { $0.permissions.isHidden = true }
        let ended = room.settleSubscriptions()
        #expect(ended.map(\.subscriber) == ["PA_b", "PA_c"] && ended.allSatisfy { !$0.isSubscribed })
        #expect(room.subscribers(of: "PA_a").isEmpty)
        room.update("PA_a") { $0.permissions.isHidden = false }
        let begun = room.settleSubscriptions()
        #expect(begun.map(\.isSubscribed) == [true, true])
    }

    /// Settled alone or with all others: what one gets is the same.
    @Test func oneSubscriberIsSettledAlone() {
        var (alone, together) = (room(), room())
        for wanted in [true, false, false, true] {
            alone.adjust("PA_b") { $0.choices["TR_1"] = wanted }
            together.adjust("PA_b") { $0.choices["TR_1"] = wanted }
            let own = alone.settleSubscriptions(of: "PA_b")
            let all = together.settleSubscriptions()
            #expect(own == all.filter { $0.subscriber == "PA_b" })
            #expect(alone.isSubscribed("PA_b", to: "TR_1") == wanted)
        }
        let rest = alone.settleSubscriptions()
        #expect(rest.map(\.subscriber) == ["PA_c"], "nobody else was touched")
        let nobody = alone.settleSubscriptions(of: "PA_x")
        #expect(nobody.isEmpty)
    }

    @Test func leavingEndsWhatWasBegun() {
        var room = room()
        _ = room.settleSubscriptions()
        let gone = room.leave("PA_a")
        #expect(gone?.state == .disconnected)
        let ended = room.settleSubscriptions()
        #expect(ended.map(\.isSubscribed) == [false, false])
        let twice = room.leave("PA_a")
        #expect(twice == nil)
    }

    @Test func versionsGrowWithWhatOthersSee() {
        var room = room()
        let before = room.participant("PA_a")?.version
        let muted = room.setMuted(true, track: "TR_1", of: "PA_a")
        #expect(muted)
        let mutedAgain = room.setMuted(true, track: "TR_1", of: "PA_a")
        #expect(!mutedAgain)
        let unknown = room.setMuted(true, track: "TR_9", of: "PA_a")
        #expect(!unknown)
        #expect(room.participant("PA_a")?.version == before.map { $0 + 1 })
    }

    @Test func sourcesNarrowWhatMayBePublished() {
        var permissions = Permissions()
        #expect(permissions.mayPublish(.unknown))
        permissions.sources = [.microphone]
        #expect(permissions.mayPublish(.microphone))
        #expect(!permissions.mayPublish(.camera))
    }
}
