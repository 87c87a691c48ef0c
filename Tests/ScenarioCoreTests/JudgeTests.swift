import Testing

@testable import ScenarioCore

/// Every kind of expectation is met where it should be, and fails where it must.
@Suite struct JudgeTests {
    /// What bob is expected to have, held against what he is given.
    private func verdict(
        _ expect: String, people: String = "", end: Int? = nil, violations: [String] = [],
        _ change: (inout Observation) -> Void = { _ in }
    ) throws -> Verdict {
        let plan = try Samples.plan(Samples.pair(people: people, expect: "- {who: bob, \(expect)}"))
        var bob = Observation(identity: "bob")
        change(&bob)
        let judge = ScenarioJudge(plan, [bob], journalViolations: violations, endMs: end)
        return try #require(judge.verdicts().first)
    }

    private let sound = TrackKey(from: "ada", media: .audio)
    private let pictures = TrackKey(from: "ada", media: .video)

    private func slices(_ range: Range<Int>, right: Int = 1, wrong: Int = 0) -> [Int: MediaSlice] {
        Dictionary(uniqueKeysWithValues: range.map { ($0, MediaSlice(right: right, wrong: wrong)) })
    }

    private func track(_ range: Range<Int>, _ change: (inout MediaCounts) -> Void = { _ in }) -> TrackObservation {
        var track = TrackObservation()
        track.slices = slices(range)
        var counts = MediaCounts()
        change(&counts)
        track.samples[19] = counts
        return track
    }

    // MARK: Hearing and seeing

    @Test func whoIsHeardAllTheTimeIsHeard() throws {
        let verdict = try verdict("hears: ada") { $0.tracks[self.sound] = self.track(0..<20) }
        #expect(verdict.isMet && verdict.measured == "100 % of 8.5 s")
        #expect(verdict.text == "bob hears ada, >= 90 % of the time")
    }

    @Test func whoIsNotHeardIsNot() throws {
        let verdict = try verdict("hears: ada")
        #expect(!verdict.isMet && verdict.measured == "0 % of 8.5 s")
    }

    @Test func onlyTheTimeInWhichMediaMustFlowCounts() throws {
        // Slices 3 to 19 are due; what comes before the grace is over is no help.
        #expect(try !verdict("hears: ada") { $0.tracks[self.sound] = self.track(0..<17) }.isMet)
        #expect(try verdict("hears: ada") { $0.tracks[self.sound] = self.track(3..<19) }.isMet)
        #expect(try !verdict("hears: ada, share: \">= 95%\"") { $0.tracks[self.sound] = self.track(3..<19) }.isMet)
    }

    @Test func aWindowIsJudgedAlone() throws {
        #expect(try verdict("hears: ada, until: 5s") { $0.tracks[self.sound] = self.track(3..<10) }.isMet)
        #expect(try !verdict("hears: ada, from: 5s") { $0.tracks[self.sound] = self.track(3..<10) }.isMet)
        let text = try verdict("hears: ada, from: 5s, until: 7500ms").text
        #expect(text == "bob hears ada from 5 s to 7.5 s, >= 90 % of the time")
    }

    @Test func soundIsNoPictureAndPicturesAreNoSound() throws {
        #expect(try !verdict("sees: ada") { $0.tracks[self.sound] = self.track(0..<20) }.isMet)
        #expect(try !verdict("hears: ada") { $0.tracks[self.pictures] = self.track(0..<20) }.isMet)
        #expect(try verdict("sees: ada") { $0.tracks[self.pictures] = self.track(0..<20) }.isMet)
    }

    @Test func whatIsSomebodyElsesDoesNotCount() throws {
        let verdict = try verdict("sees: ada") { bob in
            bob.tracks[self.pictures] = TrackObservation()
            bob.tracks[self.pictures]?.slices = self.slices(0..<20, right: 0, wrong: 3)
        }
        #expect(!verdict.isMet && verdict.measured.contains("51 frames of somebody else"), "\(verdict.measured)")
    }

    @Test func whatARunDidNotComeToIsNotMet() throws {
        let verdict = try verdict("hears: ada, from: 5s", end: 5200) { $0.tracks[self.sound] = self.track(0..<20) }
        #expect(!verdict.isMet && verdict.measured == "the run ended before it could be judged")
        #expect(try self.verdict("hears: ada", end: 5000) { $0.tracks[self.sound] = self.track(0..<10) }.isMet)
    }

    // MARK: How well

    /// A measure, what it is given, and whether that is well enough.
    @Test(arguments: [
        ("concealment: \"< 2%\"", 1.0, true), ("concealment: \"< 2%\"", 3.0, false), ("loss: \"< 2%\"", 1.0, true),
        ("loss: \"< 2%\"", 3.0, false), ("frames: \">= 100\"", 100.0, true), ("frames: \">= 100\"", 99.0, false),
        ("first-frame: \"< 500ms\"", 400.0, true), ("first-frame: \"< 500ms\"", 600.0, false),
    ]) func soundIsMeasured(_ measure: String, _ value: Double, _ isMet: Bool) throws {
        let verdict = try verdict("hears: ada, \(measure)") { bob in
            bob.tracks[self.sound] = self.track(0..<20) { counts in
                counts.playedMs = 1000
                counts.concealedMs = value * 10
                counts.packetsLost = Int(value)
                counts.packetsReceived = 100 - Int(value)
                counts.frames = Int(value)
                counts.firstFrameMs = value
            }
        }
        #expect(verdict.isMet == isMet, "\(verdict.measured)")
    }

    @Test(arguments: [
        ("missing: \"<= 2\"", 2.0, true), ("missing: \"<= 2\"", 3.0, false), ("freezes: \"= 0\"", 0.0, true),
        ("freezes: \"= 0\"", 1.0, false), ("freeze-ratio: \"< 10%\"", 0.04, true),
        ("freeze-ratio: \"< 10%\"", 40.0, false),
    ]) func picturesAreMeasured(_ measure: String, _ value: Double, _ isMet: Bool) throws {
        let verdict = try verdict("sees: ada, from: 0s, until: 10s, \(measure)") { bob in
            bob.tracks[self.pictures] = self.track(0..<20) { counts in
                counts.missing = Int(value)
                counts.freezes = Int(value)
                counts.frozenMs = value * 100
            }
        }
        #expect(verdict.isMet == isMet, "\(verdict.measured)")
    }

    @Test func whatWasNeverCountedIsNotWellEnough() throws {
        for measure in ["loss: \"< 2%\"", "frames: \">= 0\"", "first-frame: \"< 5s\"", "concealment: \"< 99%\""] {
            let verdict = try verdict("hears: ada, \(measure)") { $0.tracks[self.sound]?.slices = self.slices(0..<20) }
            #expect(!verdict.isMet && verdict.measured.contains("no "), "\(measure): \(verdict.measured)")
        }
    }

    @Test func anItemGivesSoundAndPicturesTheirOwnMeasures() throws {
        let plan = try Samples.plan(
            Samples.pair(expect: "- {who: bob, hears: ada, sees: ada, concealment: \"< 1%\", freezes: \"= 0\"}"))
        let limits = plan.expectations.compactMap { item -> MediaLimits? in
            if case .receives(_, _, let limits) = item.claim { limits } else { nil }
        }
        #expect(limits.map { $0.concealment != nil } == [true, false])
        #expect(limits.map { $0.freezes != nil } == [false, true])
    }

    /// Counts of a window are what came between its ends.
    @Test func countsOfAWindowAreDifferences() {
        var track = TrackObservation()
        for slice in 0..<10 {
            var counts = MediaCounts()
            counts.frames = (slice + 1) * 10
            counts.packetsLost = slice
            track.samples[slice] = counts
        }
        #expect(track.counts(in: nil, sliceMs: 500)?.frames == 100)
        #expect(track.counts(in: 1000..<3000, sliceMs: 500)?.frames == 40)
        #expect(track.counts(in: 0..<1000, sliceMs: 500)?.frames == 20)
        #expect(track.counts(in: 6000..<9000, sliceMs: 500) == nil)
        #expect(TrackObservation().counts(in: nil, sliceMs: 500) == nil)
    }

    // MARK: Absence

    private let muted = "  - {name: cleo, tone: 500, speaks: 6s..9s}"

    @Test func whoIsNotThereIsNotHeard() throws {
        let verdict = try verdict("not-hears: cleo, until: 6s", people: muted)
        #expect(
            verdict.isMet && verdict.measured == "nothing" && verdict.text == "bob does not hear cleo from 0 s to 6 s")
    }

    @Test func whoIsHeardAllTheSameIsToldSince() throws {
        let key = TrackKey(from: "cleo", media: .audio)
        let verdict = try verdict("not-hears: cleo, until: 6s", people: muted) { $0.tracks[key] = self.track(4..<6) }
        #expect(!verdict.isMet && verdict.measured == "1 s of it, from 2 s on")
        #expect(
            try self.verdict("not-hears: cleo, until: 6s", people: muted) { $0.tracks[key] = self.track(12..<20) }.isMet
        )
    }

    @Test func nobodyIsEverybodyElse() throws {
        let people = "  - {name: eve, tone: 500, key: other}\n  - {name: dan, tone: 700, card: 320x180, key: k}"
        let plan = try Samples.plan(
            Samples.pair(people: people, expect: "- {who: eve, sees: nobody, from: 0s, until: 1s}"))
        #expect(plan.expectations.count == 3)
        var eve = Observation(identity: "eve")
        eve.tracks[TrackKey(from: "dan", media: .video)] = track(0..<2)
        let verdicts = ScenarioJudge(plan, [eve], journalViolations: []).verdicts()
        #expect(verdicts.map(\.isMet) == [true, true, false])
    }
}
