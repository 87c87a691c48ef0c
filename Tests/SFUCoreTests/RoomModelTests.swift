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
        let result1 = room.settleSubscriptions()
        #expect(result1.map(\.subscriber) == ["PA_b", "PA_c"])
        let result2 = room.settleSubscriptions()
        #expect(result2.isEmpty)
        #expect(room.subscribers(of: "PA_a") == ["PA_b", "PA_c"])
        #expect(room.track("TR_1")?.publisher.identity == "a")
    }

    @Test func choicesPermissionsAndRules() {
        var room = room()
        room.adjust("PA_b") { $0.choices["TR_1"] = false }
        room.adjust("PA_c") { $0.permissions.canSubscribe = false }
        let result3 = room.settleSubscriptions()
        #expect(result3.isEmpty)
        room.adjust("PA_b") { $0.choices["TR_1"] = true }
        let result4 = room.settleSubscriptions()
        #expect(result4.map(\.isSubscribed) == [true])
        room.adjust("PA_a") { $0.rule = SubscriptionRule(everybody: false, entries: ["c": .init(allTracks: true, tracks: [])]) }
        room.adjust("PA_c") { $0.permissions.canSubscribe = true }
        let changes = room.settleSubscriptions()
        #expect(changes.map(\.subscriber) == ["PA_b", "PA_c"])
        #expect(changes.map(\.isSubscribed) == [false, true])
    }

    @Test func leavingEndsWhatWasBegun() {
        var room = room()
        _ = room.settleSubscriptions()
        let gone = room.leave("PA_a")
        #expect(gone?.state == .disconnected)
        let result5 = room.settleSubscriptions()
        #expect(result5.map(\.isSubscribed) == [false, false])
        let result6 = room.leave("PA_a")
        #expect(result6 == nil)
    }

    @Test func versionsGrowWithWhatOthersSee() {
        var room = room()
        let before = room.participant("PA_a")?.version
        let result7 = room.setMuted(true, track: "TR_1", of: "PA_a")
        #expect(result7)
        let result8 = room.setMuted(true, track: "TR_1", of: "PA_a")
        #expect(!result8)
        let result9 = room.setMuted(true, track: "TR_9", of: "PA_a")
        #expect(!result9)
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
