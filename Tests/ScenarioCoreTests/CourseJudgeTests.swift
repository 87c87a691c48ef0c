import Testing

@testable import ScenarioCore

/// What somebody was told and shown, how their call went, and what they recorded.
@Suite struct CourseJudgeTests {
    private func verdict(
        _ expect: String, end: Int? = nil, violations: [String] = [], _ change: (inout Observation) -> Void = { _ in }
    ) throws -> Verdict {
        let plan = try Samples.plan(
            Samples.pair(
                people: "  - {name: clerk, record: true}", expect: "- {who: clerk, \(expect)}"))
        var clerk = Observation(identity: "clerk")
        change(&clerk)
        let judge = ScenarioJudge(plan, [clerk], journalViolations: violations, endMs: end)
        return try #require(judge.verdicts().first)
    }

    @Test func joining() throws {
        #expect(try verdict("join-time: \"< 500ms\"") { $0.joining.connectMs = 120 }.isMet)
        #expect(try !verdict("join-time: \"< 500ms\"") { $0.joining.connectMs = 620 }.isMet)
        #expect(try verdict("join-time: \"< 500ms\"").measured == "media never connected")
        let failed = try verdict("join-time: \"< 500ms\"") { $0.joining.failure = "the token was refused" }
        #expect(!failed.isMet && failed.measured == "the token was refused")
    }

    @Test func meeting() throws {
        #expect(try verdict("meets: [ada, bob]") { $0.met = ["ada", "bob"] }.isMet)
        #expect(try verdict("meets: others") { $0.met = ["ada", "bob"] }.isMet)
        #expect(try verdict("meets: [ada, bob]") { $0.met = ["ada"] }.measured == "not bob")
        #expect(try verdict("meets: ada") { $0.met = ["ada", "bob"] }.measured == "also bob")
        #expect(try verdict("meets: nobody").isMet)
        #expect(try !verdict("meets: nobody") { $0.met = ["ada"] }.isMet)
    }

    @Test func reconnecting() throws {
        #expect(try verdict("reconnects: \"= 1\"") { $0.gapsMs = [900] }.isMet)
        #expect(try !verdict("reconnects: \"= 0\"") { $0.gapsMs = [900] }.isMet)
        #expect(try verdict("gap: \"< 1s\"") { $0.gapsMs = [900, 800] }.isMet)
        #expect(try !verdict("gap: \"< 1s\"") { $0.gapsMs = [900, 1800] }.isMet)
        #expect(try verdict("gap: \"< 1s\"").measured == "the connection was never lost")
    }

    @Test(arguments: ScenarioEnding.allCases) func ending(_ ending: ScenarioEnding) throws {
        for other in ScenarioEnding.allCases {
            let verdict = try verdict("ended: \(ending.rawValue)") { $0.ending = other }
            #expect(verdict.isMet == (other == ending) && verdict.measured == other.rawValue)
        }
    }

    @Test func providers() throws {
        #expect(try verdict("provider: opentok") { $0.joining.provider = .opentok }.isMet)
        #expect(try !verdict("provider: opentok") { $0.joining.provider = .livekit }.isMet)
        #expect(try verdict("provider: opentok").measured == "nobody")
        #expect(try verdict("provider-changes: \"= 1\"") { $0.joining.providerChanges = 1 }.isMet)
        #expect(try !verdict("provider-changes: \"= 1\"").isMet)
    }

    @Test(arguments: ScenarioRingOutcome.allCases) func ringing(_ outcome: ScenarioRingOutcome) throws {
        #expect(try verdict("ring: \(outcome.rawValue)") { $0.ring = outcome }.isMet)
        let other = ScenarioRingOutcome.allCases.first { $0 != outcome } ?? .none
        #expect(try !verdict("ring: \(outcome.rawValue)") { $0.ring = other }.isMet)
    }

    @Test func framesThatNobodyCanOpen() throws {
        func give(_ frames: Int) -> (inout Observation) -> Void {
            { clerk in
                var counts = MediaCounts()
                counts.undecryptable = frames
                clerk.tracks[TrackKey(from: "ada", media: .audio), default: .init()].samples[3] = counts
                clerk.tracks[TrackKey(from: "bob", media: .video), default: .init()].samples[3] = counts
            }
        }
        #expect(try verdict("undecryptable: \"> 0\"", give(4)).measured == "8")
        #expect(try !verdict("undecryptable: \"> 0\"", give(0)).isMet)
        #expect(try !verdict("undecryptable: \"= 0\"", give(1)).isMet)
    }

    @Test func events() throws {
        let expect = "events: [{event: trackMuted, count: \"= 2\"}]"
        #expect(try verdict(expect) { $0.events["trackMuted"] = 2 }.isMet)
        #expect(try !verdict(expect) { $0.events["trackMuted"] = 1 }.isMet)
        #expect(try !verdict(expect) { $0.events["trackUnmuted"] = 2 }.isMet)
    }

    @Test func theJournal() throws {
        let plan = try Samples.plan(Samples.pair(expect: "- journal: valid"))
        let good = ScenarioJudge(plan, [], journalViolations: []).verdicts()
        #expect(good.map(\.isMet) == [true] && good.first?.expectation.who == nil)
        let bad = ScenarioJudge(plan, [], journalViolations: ["a", "b", "c", "d"]).verdicts()
        #expect(bad.first?.isMet == false && bad.first?.measured == "4: a; b; c")
    }

    // MARK: Shown

    private let speakers: [ShownObservation.Moment] = [
        .init(atMs: 1000, value: "ada"), .init(atMs: 4000, value: "bob"), .init(atMs: 8000, value: "ada"),
    ]

    @Test func theSpeakerIsTheLastOneShown() throws {
        #expect(try verdict("speaker: ada") { $0.shown.speakers = speakers }.isMet)
        #expect(try verdict("speaker: bob, until: 6s") { $0.shown.speakers = speakers }.isMet)
        #expect(try !verdict("speaker: ada, until: 6s") { $0.shown.speakers = speakers }.isMet)
        #expect(try verdict("speaker: bob", end: 5000) { $0.shown.speakers = speakers }.isMet)
        #expect(try verdict("speaker: ada").measured == "nothing yet")
    }

    @Test(arguments: ["video", "avatar", "empty"]) func theIndicatorIsTheLastOneShown(_ word: String) throws {
        let shown = ["video", "avatar", "empty"].filter { $0 != word } + [word]
        let moments = shown.enumerated().map { ShownObservation.Moment(atMs: $0 * 1000, value: $1) }
        #expect(try verdict("indicator: \(word)") { $0.shown.indicator = moments }.isMet)
        #expect(try !verdict("indicator: \(word), until: 1500ms") { $0.shown.indicator = moments }.isMet)
    }

    @Test func recordings() throws {
        func give(_ length: Double, _ tracks: Int, _ failure: String? = nil) -> (inout Observation) -> Void {
            { $0.recordings = [.init(from: "ada", lengthMs: length, tracks: tracks, failure: failure)] }
        }
        let expect = "recorded: ada, length: \">= 5s\", tracks: \"= 2\""
        #expect(try verdict(expect, give(5000, 2)).isMet)
        #expect(try !verdict(expect, give(4000, 2)).isMet)
        #expect(try !verdict(expect, give(5000, 1)).isMet)
        #expect(try verdict(expect, give(5000, 2, "the disk is full")).measured == "the disk is full")
        #expect(try verdict(expect).measured == "there is none")
        #expect(try !verdict("recorded: bob", give(5000, 2)).isMet)
    }

    @Test func greetings() throws {
        func give(_ played: Double, _ overlap: Double) -> (inout Observation) -> Void {
            { $0.greeting = GreetingObservation(playedMs: played, overlapMs: overlap) }
        }
        #expect(try verdict("greeting: \"> 0s\"", give(300, 0)).isMet)
        #expect(try !verdict("greeting: \"> 0s\"", give(0, 0)).isMet)
        #expect(try verdict("greeting: \"> 0s\"").measured == "there was no greeting")
        #expect(try verdict("overlap: \"= 0s\"", give(300, 0)).isMet)
        #expect(try !verdict("overlap: \"= 0s\"", give(300, 20)).isMet)
    }

    @Test func whoWasNeverThereHasNothing() throws {
        let plan = try Samples.plan(Samples.pair(expect: "- {who: all, hears: others, meets: others}"))
        let verdicts = ScenarioJudge(plan, [], journalViolations: []).verdicts()
        #expect(verdicts.count == 4 && verdicts.allSatisfy { !$0.isMet })
    }
}
