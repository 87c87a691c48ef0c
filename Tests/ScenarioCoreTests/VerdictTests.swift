import Testing

@testable import ScenarioCore

/// What is said of an expectation: what was expected and what was measured, in words that need no file beside them.
@Suite struct VerdictTests {
    private func verdicts(
        _ expect: String, people: String = "", end: Int? = nil, _ observations: [Observation] = []
    ) throws -> [Verdict] {
        let plan = try Samples.plan(Samples.pair(people: people, expect: expect))
        return ScenarioJudge(plan, observations, journalViolations: [], endMs: end).verdicts()
    }

    @Test(arguments: [
        ("join-time: \"< 500ms\"", "bob joins in < 500 ms"),
        ("reconnects: \"= 0\"", "bob's connection is made anew = 0"),
        ("gap: \"<= 2s\"", "each gap of bob's connection <= 2000 ms"),
        ("ended: conversation-ended", "bob's call ends: conversation-ended"),
        ("provider: opentok", "opentok carries bob's call"),
        ("provider-changes: \">= 1\"", "another provider steps in for bob >= 1"),
        ("ring: elsewhere", "bob's ringing: elsewhere"),
        ("undecryptable: \"= 0\"", "frames that bob can't decrypt = 0"),
        ("events: [{event: trackMuted, count: \"> 2\"}]", "bob is told trackMuted > 2"),
        ("meets: ada", "bob meets ada"), ("meets: nobody", "bob meets nobody"),
        ("speaker: ada, until: 5s", "bob is shown ada as the speaker at 5 s"),
        ("indicator: avatar", "bob's indicator shows avatar at 10 s"),
        ("greeting: \"> 1s\"", "bob hears the greeting for > 1000 ms"),
        ("overlap: \"= 0ms\"", "bob hears greeting and call at once for = 0 ms"),
        ("hears: ada, loss: \"< 2%\"", "bob hears ada, >= 90 % of the time, loss < 2 %"),
        ("sees: ada, from: 2s, share: \"= 100%\"", "bob sees ada from 2 s to 10 s, = 100 % of the time"),
        (
            "sees: ada, freeze-ratio: \"< 5%\", missing: \"= 0\"",
            "bob sees ada, >= 90 % of the time, missing = 0, freeze-ratio < 5 %"
        ),
        ("not-sees: ada, until: 1s", "bob does not see ada from 0 s to 1 s"),
    ]) func sayWhatWasExpected(_ claim: String, _ text: String) throws {
        #expect(try verdicts("- {who: bob, \(claim)}").map(\.text) == [text])
    }

    @Test func recordingsNameTheirLimits() throws {
        let people = "  - {name: cleo, record: true}"
        let all = try verdicts("- {who: cleo, recorded: ada, length: \"> 5s\", tracks: \"= 2\"}", people: people)
        #expect(all.map(\.text) == ["cleo has a recording of ada, > 5000 ms long, with tracks = 2"])
        #expect(all.map(\.measured) == ["there is none"])
    }

    /// Of a crowd's meetings the first five are named.
    @Test func longListsAreCut() throws {
        let people = "  - {name: \"c{n}\", count: 9, measure: decoded}"
        let told = try #require(try verdicts("- {who: bob, meets: others}", people: people).first)
        #expect(told.text == "bob meets ada, c1, c2, c3, c4 and 5 more")
        #expect(told.measured == "not ada, c1, c2, c3, c4 and 5 more")
        var bob = Observation(identity: "bob")
        bob.met = ["ada", "zoe", "yan"]
        let others = try #require(try verdicts("- {who: bob, meets: ada}", [bob]).first)
        #expect(others.measured == "also yan, zoe" && !others.isMet)
    }

    @Test func everyGapIsNamed() throws {
        var bob = Observation(identity: "bob")
        bob.gapsMs = [800, 2400]
        let told = try #require(try verdicts("- {who: bob, gap: \"< 2s\"}", [bob]).first)
        #expect(told.measured == "800 ms, 2400 ms" && !told.isMet)
    }

    // MARK: Runs that end early

    /// What came before is judged, and nothing that was to come after.
    @Test func anInterruptedRunIsJudgedAsFarAsItWent() throws {
        let key = TrackKey(from: "ada", media: .audio)
        var bob = Observation(identity: "bob")
        bob.tracks[key] = TrackObservation()
        for slice in 3..<10 { bob.tracks[key]?.slices[slice] = MediaSlice(right: 1) }
        let whole = try #require(try verdicts("- {who: bob, hears: ada}", [bob]).first)
        #expect(!whole.isMet && whole.measured.hasPrefix("41.18 % of 8.5 s"), "\(whole.measured)")
        let half = try #require(try verdicts("- {who: bob, hears: ada}", end: 5000, [bob]).first)
        #expect(half.isMet && half.measured == "100 % of 3.5 s")
        let later = try #require(try verdicts("- {who: bob, hears: ada, from: 6s}", end: 5000, [bob]).first)
        #expect(!later.isMet && later.measured == "the run ended before it could be judged")
    }

    @Test func whatIsShownLaterThanTheEndDoesNotCount() throws {
        var bob = Observation(identity: "bob")
        bob.shown.speakers = [.init(atMs: 2000, value: "ada"), .init(atMs: 7000, value: "bob")]
        #expect(try verdicts("- {who: bob, speaker: ada}", end: 5000, [bob]).map(\.isMet) == [true])
        #expect(try verdicts("- {who: bob, speaker: ada}", [bob]).map(\.isMet) == [false])
    }

    // MARK: Counts

    @Test func countsSinceAnEarlierSampleAreDifferences() {
        var early = MediaCounts()
        (early.packetsReceived, early.packetsLost, early.frames, early.missing) = (10, 2, 5, 1)
        (early.freezes, early.frozenMs, early.concealedMs, early.playedMs) = (1, 200, 30, 900)
        (early.undecryptable, early.firstFrameMs) = (4, 120)
        var late = early
        (late.packetsReceived, late.packetsLost, late.frames, late.missing) = (30, 3, 25, 4)
        (late.freezes, late.frozenMs, late.concealedMs, late.playedMs) = (3, 500, 40, 1900)
        late.undecryptable = 9
        let between = late.since(early)
        #expect((between.packetsReceived, between.packetsLost, between.frames, between.missing) == (20, 1, 20, 3))
        #expect((between.freezes, between.undecryptable) == (2, 5))
        #expect((between.frozenMs, between.concealedMs, between.playedMs) == (300, 10, 1000))
        #expect(between.firstFrameMs == 120, "the first one stays the first")
    }

    /// However a run is cut into windows, what came in all of them is what came.
    @Test(arguments: 0..<50) func windowsAddUp(_ seed: Int) {
        var random = TestRandom(seed)
        var track = TrackObservation()
        var frames = 0
        for slice in 0..<40 {
            frames += Int.random(in: 0...30, using: &random)
            var counts = MediaCounts()
            counts.frames = frames
            track.samples[slice] = counts
        }
        let cuts = ([0, 20_000] + (0..<3).map { _ in Int.random(in: 1..<40, using: &random) * 500 }).sorted()
        let sum = zip(cuts, cuts.dropFirst()).reduce(0) { sum, window in
            sum + (track.counts(in: window.0..<window.1, sliceMs: 500)?.frames ?? 0)
        }
        #expect(sum == frames, "\(cuts)")
    }
}
