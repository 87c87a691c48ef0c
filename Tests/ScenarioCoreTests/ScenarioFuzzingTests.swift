import Foundation
import ScenarioCore
import Testing

/// The fuzz target's body with what once broke it, with the examples, and with random damage.
@Suite(.timeLimit(.minutes(10))) struct ScenarioFuzzingTests {
    private static func files(_ folder: String) -> [Data] {
        let folder = Samples.root.appendingPathComponent(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { try? Data(contentsOf: folder.appendingPathComponent($0)) }
    }

    @Test(arguments: ScenarioFuzzing.bodies.map(\.name)) func everyCrasherPasses(target: String) throws {
        let body = try #require(ScenarioFuzzing.bodies.first { $0.name == target }).run
        for file in Self.files("Fuzz/Crashers/\(target)") { file.withUnsafeBytes(body) }
    }

    @Test func everyExamplePasses() {
        let examples = Self.files("Examples/Scenarios")
        #expect(examples.count == 11)
        for file in examples { file.withUnsafeBytes { ScenarioFuzzing.scenario($0) } }
    }

    /// Lines that change places, bytes that are others, and both.
    @Test(arguments: 0..<10) func damagePasses(_ seed: Int) {
        var random = TestRandom(seed)
        Self.damage(Samples.story(), &random)
        let whole = Samples.pair(
            people: "  - {name: \"c{n}\", count: 4, every: 1s, stay: 3s, tone: auto, speaks: [1s..3s]}",
            timeline: "- {at: 2s, who: ada, do: mute, what: both, for: 2s, repeat: 2, every: 3s}",
            expect: "- {who: bob, hears: ada, sees: ada, share: \">= 20%\"}\n- {who: all, ended: left, meets: others}")
        Self.damage(whole, &random)
    }

    private static func damage(_ whole: String, _ random: inout TestRandom) {
        for _ in 0..<60 {
            var lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
            if Bool.random(using: &random) {
                lines.swapAt(
                    Int.random(in: lines.indices, using: &random), Int.random(in: lines.indices, using: &random))
            }
            var bytes = Array(lines.joined(separator: "\n").utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            bytes.withUnsafeBytes { ScenarioFuzzing.scenario($0) }
        }
    }

    // MARK: What would take long

    /// A hundred problems are told; no more are looked into, whatever each would cost.
    @Test func namesThatNobodyHasCostBoundedTime() {
        let names = (0..<9_000).map { "nobody\($0)" }.joined(separator: ", ")
        let text = Samples.pair(
            people: "  - {name: \"c{n}\", count: 1500}", expect: "- {who: [\(names)], ended: never}")
        #expect(Samples.problems(text).count == 100)
    }

    /// Everybody of a crowd misses the same one.
    @Test func aNameThatIsMissedByAllIsLookedForOnce() {
        let name = String(repeating: "z", count: 60)
        let text = Samples.pair(
            people: "  - {name: \"c{n}\", count: 1500}",
            expect: "- {who: all, hears: \(name), sees: \(name), meets: \(name)}")
        let problems = Samples.problems(text)
        #expect(problems.count == 3 && problems.allSatisfy { $0.text.contains("nobody is called") }, "\(problems)")
    }

    @Test func aPatternOfMarksIsNoRecursion() {
        let pattern = String(repeating: "{n}", count: 40_000)
        let told = Samples.problem(Samples.pair(people: "  - {name: \"\(pattern)\", count: 2000}"))
        #expect(told.contains("a name has 1 to 128 bytes"), "\(told)")
    }
}
