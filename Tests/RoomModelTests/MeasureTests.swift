import RTCWire
import SFUCore
import Testing

@testable import RoomModel

@Suite struct MeasureTests {
    @Test func levelsGoToThoseWhoHear() {
        var room = RoomFixture("a", "b", "c")
        room.publish(.audio, by: "a")
        room.handle(.choose(subscriber: "P_c", tracks: ["a/mic"], false))
        let loud = [TrackLevel(publisher: "P_a", level: 0.5)]
        #expect(room.handle(.hear(loud)).levels == ["a: a 0.5", "b: a 0.5"])
        #expect(room.handle(.hear(loud)).isEmpty, "differences alone")
        #expect(room.handle(.choose(subscriber: "P_c", tracks: ["a/mic"], true)).levels == ["c: a 0.5"])
        #expect(room.handle(.choose(subscriber: "P_c", tracks: ["a/mic"], false)).levels == ["c: a 0.0"])
        #expect(room.handle(.leave("P_a", .left)).levels == ["b: a 0.0"])
        #expect(room.handle(.hear([])).isEmpty)
    }

    /// With the sound the level is told; a picture that follows says nothing new.
    @Test func aLevelIsToldOnceOfAPublisher() {
        var room = RoomFixture("a", "b")
        room.publish(.audio, by: "a")
        room.handle(.hear([TrackLevel(publisher: "P_a", level: 1)]))
        #expect(room.publish(.video, by: "a").levels.isEmpty)
        #expect(room.handle(.choose(subscriber: "P_b", tracks: ["a/cam"], false)).levels.isEmpty)
    }

    @Test func qualityIsToldWhereAGradeHasChanged() {
        var room = RoomFixture("a", "b", "c")
        room.publish(.audio, by: "a")
        room.handle(.choose(subscriber: "P_c", tracks: ["a/mic"], false))
        let good = ["P_a": 90.0, "P_b": 90.0, "P_c": 90.0]
        let first = room.handle(.rate(good))
        #expect(first.count == 3)
        #expect(room.handle(.rate(good)).isEmpty)
        #expect(room.handle(.rate(good.merging(["P_a": 85]) { $1 })).isEmpty, "the grade is the same")
        let poor = room.handle(.rate(good.merging(["P_a": 30]) { $1 }))
        let own = [ConnectionRating(participant: "P_c", score: 90)]
        #expect(poor.last == .quality(own, to: "P_c"), "who doesn't get its tracks isn't told of it")
        #expect(
            poor.first == .quality([ConnectionRating(participant: "P_a", score: 30)], to: "P_a"))
        #expect(
            poor[1]
                == .quality([.init(participant: "P_a", score: 30), .init(participant: "P_b", score: 90)], to: "P_b"))
    }

    @Test func theLargestLayerThatAnybodyWantsIsAskedFor() {
        var room = RoomFixture("a", "b", "c")
        #expect(room.publish(.video, by: "a").demands.isEmpty, "the first word waits")
        #expect(room.advance().demands == ["a/cam 2"])
        room.handle(.prefer(subscriber: "P_b", ["a/cam": TrackPreference(layerLimit: 0)]))
        #expect(room.machine.nextDeadline == .distantFuture, "the other one wants all")
        room.handle(.prefer(subscriber: "P_c", ["a/cam": TrackPreference(isPaused: true)]))
        let lowered = room.now
        #expect(room.advance().demands == ["a/cam 0"])
        #expect(room.now - lowered == LayerDemand.loweringDelay)
        let higher = room.handle(.prefer(subscriber: "P_c", ["a/cam": TrackPreference(layerLimit: 1)]))
        #expect(higher.demands == ["a/cam 1"])
        #expect(room.machine.demands.effectiveLayer(of: "a/cam") == 1)
    }

    @Test func whatNobodyGetsIsAskedForNoMore() {
        var room = RoomFixture("a", "b")
        room.publish(.video, by: "a")
        _ = room.advance()
        room.handle(.refuse(subscriber: "P_b", track: "a/cam"))
        #expect(room.advance().demands == ["a/cam -1"])
        let preference = TrackPreference(layerLimit: 1)
        #expect(room.handle(.prefer(subscriber: "P_a", ["a/cam": preference])).isEmpty, "no subscription")
        room.handle(.unpublish("a/cam", .ended))
        #expect(room.machine.nextDeadline == .distantFuture)
    }
}
