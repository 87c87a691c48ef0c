import Foundation
import ScenarioCore

/// What came of one scenario file: an object of `callagent run --json`.
struct ScenarioReport: Codable {
    struct Expected: Codable {
        var line: Int
        var column: Int
        var who: String?
        var expected: String
        var measured: String
        var ok: Bool

        init(_ verdict: Verdict) {
            line = verdict.expectation.position.line
            column = verdict.expectation.position.column
            who = verdict.expectation.who
            expected = verdict.text
            measured = verdict.measured
            ok = verdict.isMet
        }

        init(_ verdict: StoryVerdict) {
            line = verdict.position.line
            column = verdict.position.column
            who = verdict.who
            expected = verdict.text
            measured = verdict.measured
            ok = verdict.isMet
        }
    }

    /// What one person received of another.
    struct Received: Codable {
        var from: String
        var kind: String
        var frames: Int
        var packetsReceived: Int
        var packetsLost: Int
        var freezes: Int
        var frozenMs: Double
        var concealedMs: Double
    }

    struct Person: Codable {
        var identity: String
        var connectMs: Double?
        var provider: String?
        var ended: String
        var reconnects: Int
        var failure: String?
        var received: [Received]

        init(_ observation: Observation) {
            identity = observation.identity
            connectMs = observation.joining.connectMs
            provider = observation.joining.provider?.rawValue
            ended = observation.ending.rawValue
            reconnects = observation.gapsMs.count
            failure = observation.joining.failure
            received = observation.tracks.sorted {
                ($0.key.from, $0.key.media.rawValue) < ($1.key.from, $1.key.media.rawValue)
            }
            .compactMap { key, track in
                track.counts(in: nil, sliceMs: 1).map { Received(key, $0) }
            }
        }
    }

    var ok = false
    var file: String
    var scenario: String
    var mode: String
    var seed: UInt64
    var durationSeconds = 0.0
    /// What ended it before its time.
    var interrupted: String?
    var expectations: [Expected] = []
    var people: [Person] = []
    /// Steps that could not be done.
    var troubles: [String] = []
    var journalViolations: [String] = []
    /// How late the machine ran media timers, in sum; nil in virtual time.
    var lateMilliseconds: Double?
    /// Of a file that is a story.
    var story: StoryReport?

    init(_ plan: ScenarioPlan, file: String, mode: ScenarioMode, seed: UInt64) {
        self.file = file
        scenario = plan.name
        self.mode = mode.rawValue
        self.seed = seed
    }

    init(_ plan: StoryPlan, file: String, _ outcome: StoryRun.Outcome) {
        self.file = file
        scenario = plan.name
        mode = ScenarioMode.sockets.rawValue
        seed = 0
        durationSeconds = outcome.report.seconds
        interrupted = outcome.report.interrupted
        expectations = outcome.verdicts.map(Expected.init)
        journalViolations = outcome.report.journal.violations
        story = outcome.report
        conclude()
    }

    /// Everything came as expected, and the scenario came to its end.
    mutating func conclude() { ok = interrupted == nil && troubles.isEmpty && !expectations.contains { !$0.ok } }
}

extension ScenarioReport.Received {
    init(_ key: TrackKey, _ counts: MediaCounts) {
        from = key.from
        kind = key.media.rawValue
        frames = counts.frames
        packetsReceived = counts.packetsReceived
        packetsLost = counts.packetsLost
        freezes = counts.freezes
        frozenMs = counts.frozenMs.rounded()
        concealedMs = counts.concealedMs.rounded()
    }
}

/// What `--json` prints.
struct ScenarioReports: Codable {
    var ok: Bool
    var scenarios: [ScenarioReport]

    init(_ scenarios: [ScenarioReport]) {
        self.scenarios = scenarios
        ok = scenarios.allSatisfy(\.ok)
    }
}
