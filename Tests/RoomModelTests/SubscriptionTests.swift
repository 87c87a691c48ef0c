import RTCWire
import Testing

@testable import RoomModel

@Suite struct SubscriptionTests {
    @Test func everybodyElseIsSubscribedAndNewcomersToo() {
        var room = RoomFixture("a", "b", "c")
        #expect(room.publish(.audio, by: "a").subscriptions == ["+b a/mic", "+c a/mic"])
        #expect(room.publish(.audio, by: "a").isEmpty, "it is published already")
        let events = room.handle(.join(RoomParticipant(id: "P_d", identity: "d")))
        #expect(events.permissions == ["d a/mic yes"])
        #expect(events.subscriptions == ["+d a/mic"])
        #expect(room.machine.subscriptions.subscribers(of: "P_a") == ["P_b", "P_c", "P_d"])
    }

    @Test func thePublisherLearnsOnceThatSomebodyListens() {
        var room = RoomFixture("a")
        var hidden = RoomParticipant(id: "P_h", identity: "h")
        hidden.permissions.isHidden = true
        room.handle(.join(hidden))
        let heeded = RoomEvent.heeded(track: "a/mic", publisher: "P_a")
        #expect(!room.publish(.audio, by: "a").contains(heeded), "nobody learns of somebody hidden")
        #expect(room.handle(.join(RoomParticipant(id: "P_b", identity: "b"))).contains(heeded))
        #expect(!room.handle(.join(RoomParticipant(id: "P_c", identity: "c"))).contains(heeded))
    }

    @Test func choicesAreKeptUntilTheTrackEnds() {
        var room = RoomFixture("a", "b")
        room.publish(.audio, by: "a")
        let ended = room.handle(.choose(subscriber: "P_b", tracks: ["a/mic", "a/none"], false))
        #expect(ended.subscriptions == ["-b a/mic"])
        #expect(room.handle(.choose(subscriber: "P_b", tracks: ["a/mic"], false)).isEmpty)
        #expect(room.handle(.choose(subscriber: "P_x", tracks: ["a/mic"], true)).isEmpty)
        room.handle(.unpublish("a/mic", .ended))
        #expect(room.publish(.audio, by: "a").subscriptions == ["+b a/mic"])
    }

    /// Settled alone or with all others: what one gets is the same.
    @Test func oneSubscriberIsSettledAsAllAre() {
        var alone = RoomFixture("a", "b", "c")
        alone.publish(.audio, by: "a")
        for isWanted in [true, false, false, true] {
            alone.handle(.choose(subscriber: "P_b", tracks: ["a/mic"], isWanted))
            var together = alone
            var events: [RoomEvent] = []
            together.machine.settle(together.now, &events)
            #expect(events.subscriptions.isEmpty)
        }
    }

    @Test func aRuleSaysWhoMaySubscribe() {
        var room = RoomFixture("a", "b", "c")
        room.publish(.audio, by: "a")
        let rule = SubscriptionRule(everybody: false, entries: ["c": .init(allTracks: true, tracks: [])])
        let events = room.handle(.allow(publisher: "P_a", rule))
        #expect(events.permissions == ["b a/mic no", "c a/mic yes"])
        #expect(events.subscriptions == ["-b a/mic"])
        #expect(room.handle(.allow(publisher: "P_a", rule)).isEmpty)
        #expect(room.publish(.video, by: "a").subscriptions == ["+c a/cam"])
    }

    @Test func aRenewedTrackBeginsAnewWhereItIsTaken() throws {
        var room = RoomFixture("a", "b", "c")
        room.publish(.video, by: "a")
        room.handle(.refuse(subscriber: "P_c", track: "a/cam"))
        var track = RoomFixture.track(.video, of: "a")
        track.media.codec = "VP9"
        let events = room.handle(.renew(track))
        #expect(events.subscriptions == ["~b a/cam"])
        #expect(room.machine.track("a/cam")?.media.codec == "VP9")
    }

    @Test func mutingIsToldOnceAndOrdersAlways() throws {
        var room = RoomFixture("a", "b")
        room.publish(.audio, by: "a")
        let muted = room.handle(.mute("a/mic", true))
        let publisher = try #require(room.machine.participant("P_a"))
        let track = try #require(publisher.track("a/mic"))
        #expect(track.isMuted && muted == [.muted(track, by: publisher)])
        #expect(room.handle(.mute("a/mic", true)).isEmpty)
        #expect(room.handle(.orderMute("a/mic", true)) == [.muteOrdered(track, publisher: "P_a", true)])
        #expect(room.handle(.mute("a/none", true)).isEmpty)
    }

    @Test func theSmallestLayerThatCoversASizeIsEnough() {
        let sizes = [180, 360, 720].map { FrameSize(width: $0 * 16 / 9, height: $0) }
        let media = TrackMedia(layers: sizes)
        #expect(media.layer(covering: FrameSize(width: 200, height: 100)) == 0)
        #expect(media.layer(covering: FrameSize(width: 640, height: 360)) == 1)
        #expect(media.layer(covering: FrameSize(width: 4_000, height: 10)) == 2)
        #expect(TrackMedia().layer(covering: FrameSize(width: 1, height: 1)) == 2)
    }
}
