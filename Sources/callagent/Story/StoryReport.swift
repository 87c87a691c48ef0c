import CallModel
import Foundation
import ScenarioCore

/// Something that a side should have seen and has not.
struct StoryFailure: Error, CustomStringConvertible {
    var side: StorySide
    var what: String

    init(_ side: StorySide, _ what: String) {
        self.side = side
        self.what = what
    }

    var description: String { "\(side.rawValue): \(what)" }
}

/// What the sides saw in one step.
struct StorySightings: Sendable {
    /// For people.
    private(set) var sides: [StorySide: String] = [:]
    /// For whoever holds it against the file.
    private(set) var sights: [StorySide: Set<StorySight>] = [:]
    var providers: [StorySide: ScenarioProvider] = [:]
    var greeting: Double?
    var overlap: Double?

    subscript(side: StorySide) -> String {
        get { sides[side] ?? "" }
        set { sides[side] = newValue }
    }

    /// One side has seen it.
    mutating func see(_ side: StorySide, _ seen: StorySight...) { sights[side, default: []].formUnion(seen) }

    func observation(_ client: Int, _ step: String, milliseconds: Double) -> StoryObservation {
        var observation = StoryObservation(client: client, step: step, milliseconds: milliseconds)
        observation.sights = sights
        observation.providers = providers
        observation.greeting = greeting
        observation.overlap = overlap
        return observation
    }
}

/// One step of one story, as reports have it.
struct StoryStep: Sendable, Codable {
    /// 1 for the first.
    var client: Int
    var step: String
    /// Milliseconds that it took.
    var ms: Double
    /// What each side saw.
    var saw: [String: String]
    /// The same in the words of scenario files.
    var sees: [String: [String]]

    init(client: Int, step: String, ms: Double, saw: [String: String], sees: [String: [String]] = [:]) {
        self.client = client
        self.step = step
        self.ms = ms
        self.saw = saw
        self.sees = sees
    }

    init(_ client: Int, _ step: String, _ ms: Double, _ saw: StorySightings) {
        func named<Value>(_ values: [StorySide: Value]) -> [String: Value] {
            Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) })
        }
        let ms = (ms * 10).rounded() / 10
        let words = saw.sights.mapValues { $0.map(\.rawValue).sorted() }
        self.init(client: client, step: step, ms: ms, saw: named(saw.sides), sees: named(words))
    }

    /// `  0.412 s  message          visitor: ...; agent: ...`
    var line: String {
        let seconds = String(format: "%7.3f s", ms / 1_000)
        let sights = StorySide.allCases.compactMap { side in saw[side.rawValue].map { "\(side.rawValue): \($0)" } }
        return
            "\(seconds)  \(step.padding(toLength: 16, withPad: " ", startingAt: 0)) \(sights.joined(separator: "; "))"
            .printable
    }
}

/// Where a story broke.
struct StoryBreak: Sendable, Codable {
    var client: Int
    var step: String
    var side: String
    var what: String

    var line: String { "vera-\(client), \(step): \(told)".printable }

    /// Without whose it is.
    var told: String { "the \(side) has not seen it: \(what)".printable }
}

/// What `story --json` prints.
struct StoryReport: Sendable, Codable {
    var clients: Int
    /// Conversations that were open at once, with both clients connected.
    var conversationsAtOnce = 0
    /// Calls that may go on at once, and that did.
    var callLanes = 0
    var callsAtOnce = 0
    /// Stories that came to their end.
    var whole = 0
    /// Seconds, from the first step of the first story to the last of the last.
    var seconds = 0.0
    /// Of processor time, the server's included: it runs in this process.
    var cpuSeconds = 0.0
    var peakRSSMiB = 0.0
    /// Seconds that one whole story took: the shortest, the median and the longest.
    var storySeconds: [Double] = []
    var steps: [StoryStep] = []
    var failures: [StoryBreak] = []
    /// The signal that ended it before its time.
    var interrupted: String?
    var journal = JournalReport(events: 0, violations: [])

    var isGood: Bool { failures.isEmpty && journal.violations.isEmpty && whole == clients }

    /// A few lines for people.
    var text: String {
        let people = clients == 1 ? "1 story" : "\(clients) stories"
        var lines = [
            String(
                format: "\(whole) of \(people) whole in %.1f s, %.1f s of processor time, %.0f MiB", seconds,
                cpuSeconds, peakRSSMiB)
        ]
        if clients > 1 {
            lines.append(
                "\(conversationsAtOnce) conversations open at once, \(callsAtOnce) calls at once of \(callLanes) that may be, the "
                    + "others in turn")
        }
        if clients > 1, storySeconds.count == 3 {
            lines.append(
                String(
                    format: "one story: %.1f s at least, %.1f s in the middle, %.1f s at most", storySeconds[0],
                    storySeconds[1], storySeconds[2]))
        }
        let verdict = journal.violations.isEmpty ? "every rule is kept" : "\(journal.violations.count) violations"
        lines.append("journal: \(journal.events) events of \(journal.calls ?? 0) calls, \(verdict)")
        lines += journal.violations.map { "  \($0.printable)" }
        lines += failures.map { "failed: \($0.line)" }
        if let interrupted { lines.append("interrupted by \(interrupted)") }
        return lines.joined(separator: "\n")
    }
}
