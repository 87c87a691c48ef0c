import Testing

@testable import ScenarioCore

/// What must be heard and seen follows from who is there when, sends what and can be reached.
@Suite struct PresenceTests {
    private func presence(people: String = "", timeline: String = "", head: String = "") throws -> PresencePlan {
        PresencePlan(
            try Samples.plan(
                Samples.pair(people: people, timeline: timeline, expect: "- {who: all, ended: never}", head: head)))
    }

    private func flow(
        _ timeline: String, _ media: ScenarioMedia = .audio, from: String = "ada", to: String = "bob",
        people: String = "", head: String = ""
    ) throws -> [Range<Int>] {
        try presence(people: people, timeline: timeline, head: head).flow(media, from: from, to: to).ranges
    }

    @Test func mediaFlowsFromTheGraceOn() throws {
        #expect(try flow("") == [1500..<10_000])
        #expect(try flow("", .video) == [1500..<10_000])
        #expect(try flow("", head: "grace: 300ms") == [300..<10_000])
    }

    @Test func theLaterOneCounts() throws {
        let people = "  - {name: cleo, tone: 500, join: 2s, leave: 7s}"
        #expect(try flow("", from: "cleo", to: "bob", people: people) == [3500..<7000])
        #expect(try flow("", from: "bob", to: "cleo", people: people) == [3500..<7000])
    }

    @Test func whoIsMutedSendsNothing() throws {
        let timeline = "- {at: 3s, who: ada, do: mute, what: both, for: 2s}"
        #expect(try flow(timeline) == [1500..<3000, 6500..<10_000])
        #expect(try flow(timeline, .video) == [1500..<3000, 6500..<10_000])
        #expect(try flow("- {at: 3s, who: ada, do: mute, what: video}") == [1500..<10_000])
        #expect(try flow("- {at: 3s, who: ada, do: mute, what: video}", .video) == [1500..<3000])
    }

    @Test func whoHidesIsNotSeen() throws {
        #expect(try flow("- {at: 3s, who: ada, do: hide, for: 2s}", .video) == [1500..<3000, 6500..<10_000])
        #expect(try flow("- {at: 3s, who: ada, do: hide, for: 2s}") == [1500..<10_000])
    }

    @Test func whoIsSilentIsNotHeard() throws {
        #expect(try flow("- {at: 3s, who: ada, do: hush}") == [1500..<3000])
        let people = "  - {name: cleo, tone: 500, speaks: [1s..4s, 6s..9s]}"
        #expect(try flow("", from: "cleo", people: people) == [2500..<4000, 7500..<9000])
        let never = "  - {name: cleo, tone: 500, speaks: never}"
        #expect(try flow("- {at: 5s, who: cleo, do: speak, for: 3s}", from: "cleo", people: never) == [6500..<8000])
    }

    @Test func whoIsCutOffNeitherSendsNorReceives() throws {
        let timeline = "- {at: 2s, who: bob, do: drop}\n- {at: 3s, who: bob, do: restore}"
        #expect(try flow(timeline, head: "recovery: 2s") == [1500..<2000, 6500..<10_000])
        #expect(try flow(timeline, from: "bob", to: "ada", head: "recovery: 2s") == [1500..<2000, 6500..<10_000])
    }

    @Test func whoComesAgainIsThereAgain() throws {
        let timeline = "- {at: 3s, who: ada, do: leave}\n- {at: 5s, who: ada, do: join}"
        #expect(try flow(timeline) == [1500..<3000, 6500..<10_000])
        #expect(try presence(timeline: timeline).presence(of: "ada").ranges == [0..<3000, 5000..<10_000])
    }

    @Test func joiningTwiceIsJoiningOnce() throws {
        #expect(try flow("- {at: 3s, who: ada, do: join}") == [1500..<10_000])
    }

    @Test func whoIsRemovedIsGone() throws {
        #expect(try flow("- {at: 4s, who: ada, do: remove}") == [1500..<4000])
        #expect(try flow("- {at: 4s, do: end-room}") == [1500..<4000])
    }

    @Test func aProviderThatStopsTakesItsCallsAlong() throws {
        let stop = "- {at: 4s, do: stop-provider, provider: livekit}"
        #expect(try flow(stop) == [1500..<4000])
        let again = stop + "\n- {at: 5s, who: all, do: join}"
        #expect(try flow(again, head: "providers: [livekit, opentok]") == [1500..<4000, 6500..<10_000])
        // Without another provider nobody comes back.
        #expect(try flow(again) == [1500..<4000])
        let other = "- {at: 4s, do: stop-provider, provider: opentok}"
        #expect(try flow(other, head: "providers: [livekit, opentok]") == [1500..<10_000])
    }

    @Test func whoIsRungIsThereFromAnsweringOn() throws {
        let people = "  - {name: cleo, tone: 500, join: never}\n  - {name: dan, tone: 600, join: never}"
        let ring = "- {at: 1s, who: cleo, do: ring, to: dan}"
        #expect(try flow(ring, from: "cleo", people: people).isEmpty)
        #expect(
            try flow(ring + "\n- {at: 3s, who: dan, do: answer}", from: "cleo", to: "dan", people: people)
                == [4500..<10_000])
        let declined = ring + "\n- {at: 2s, who: dan, do: decline}\n- {at: 3s, who: dan, do: answer}"
        #expect(try flow(declined, from: "cleo", to: "dan", people: people).isEmpty)
    }

    @Test func aTransferBringsTheOneAndTakesTheOther() throws {
        let people = "  - {name: cleo, tone: 500, join: never}"
        let timeline = "- {at: 4s, who: ada, do: transfer, to: cleo}"
        #expect(try flow(timeline, people: people) == [1500..<4000])
        #expect(try flow(timeline, from: "cleo", people: people) == [5500..<10_000])
    }

    @Test func keysDecideWhoUnderstandsWhom() throws {
        let people =
            "  - {name: cleo, tone: 500, key: k}\n  - {name: dan, tone: 500, key: k}\n  - {name: eve, key: other}"
        #expect(try !flow("", from: "cleo", to: "dan", people: people).isEmpty)
        #expect(try flow("", from: "cleo", to: "eve", people: people).isEmpty)
        #expect(try flow("", from: "cleo", to: "ada", people: people).isEmpty)
        // What is sent in the clear everybody understands.
        #expect(try !flow("", from: "ada", to: "eve", people: people).isEmpty)
    }

    // MARK: Intervals

    @Test func intervalsAreMerged() {
        #expect(Intervals([5..<8, 0..<2, 2..<4, 7..<9, 3..<3]).ranges == [0..<4, 5..<9])
        #expect(Intervals(4..<4).isEmpty && Intervals().length == 0)
        #expect(Intervals([0..<4, 5..<9]).length == 8)
    }

    @Test func intervalsIntersect() {
        let first = Intervals([0..<10, 20..<30])
        #expect(first.intersection(Intervals([5..<25])).ranges == [5..<10, 20..<25])
        #expect(first.intersection(Intervals([10..<20])).isEmpty)
        #expect(first.intersection(first) == first)
        #expect(first.intersection(Intervals([1..<2, 3..<4, 29..<40])).ranges == [1..<2, 3..<4, 29..<30])
    }

    @Test func intervalsAreDelayed() {
        #expect(Intervals([0..<10, 20..<25]).delayed(by: 5).ranges == [5..<10])
    }

    @Test func slicesLieWhollyWithin() {
        #expect(Intervals([0..<2000]).slices(of: 500) == [0, 1, 2, 3])
        #expect(Intervals([1..<1999]).slices(of: 500) == [1, 2])
        #expect(Intervals([100..<400, 900..<1600]).slices(of: 500) == [2])
        #expect(Intervals().slices(of: 500).isEmpty)
    }

    /// Whatever the ranges are: an intersection lies in both, and nothing of both is left out of it.
    @Test(arguments: 0..<20) func intersectionIsWhatBothHave(_ seed: Int) {
        func ranges(_ salt: Int) -> [Range<Int>] {
            (0..<6).map { index in
                let start = (seed * 31 + salt * 17 + index * 37) % 100
                return start..<(start + (seed * 7 + index * 11 + salt) % 15)
            }
        }
        let (first, second) = (Intervals(ranges(1)), Intervals(ranges(2)))
        let both = first.intersection(second)
        for point in 0..<130 {
            func has(_ intervals: Intervals) -> Bool { intervals.ranges.contains { $0.contains(point) } }
            #expect(has(both) == (has(first) && has(second)))
        }
    }
}
