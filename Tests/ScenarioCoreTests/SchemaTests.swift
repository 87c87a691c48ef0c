import Foundation
import Testing

@testable import ScenarioCore

/// The published schema, the examples and the document say what the reader reads by.
@Suite struct SchemaTests {
    private static let examples = [
        "bad-train", "churn-soak", "cross-dialect", "failover", "reconnect-storm", "recording", "support-call",
        "two-party-smoke", "webinar", "whole-story", "wrong-key",
    ]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Samples.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func thePublishedSchemaIsTheTables() throws {
        #expect(
            try Self.text("docs/schema/scenario.json") == ScenarioSchema.text, "write it anew: callagent run --schema")
    }

    @Test func theSchemaIsJSON() throws {
        let object = try JSONSerialization.jsonObject(with: Data(ScenarioSchema.text.utf8)) as? [String: Any]
        // A file with the key story is one.
        #expect((object?["if"] as? [String: [String]])?["required"] == ["story"])
        let scenario = try #require(object?["else"] as? [String: Any])
        let properties = try #require(scenario["properties"] as? [String: Any])
        #expect(Set(properties.keys) == Set(ScenarioKeys.file.names))
        #expect(scenario["required"] as? [String] == ["scenario", "duration", "people", "expect"])
        let story = try #require(object?["then"] as? [String: Any])
        #expect(Set((story["properties"] as? [String: Any] ?? [:]).keys) == Set(StoryKeys.file.names))
        #expect(story["required"] as? [String] == ["story", "steps"])
        for kind in [scenario, story] { #expect(kind["additionalProperties"] as? Bool == false) }
    }

    @Test(arguments: examples) func theExampleIsRead(_ name: String) throws {
        let text = try Self.text("Examples/Scenarios/\(name).yaml")
        let modes: Set<ScenarioMode>
        switch try ScenarioReader.document(text) {
        case .scenario(let plan):
            #expect(!plan.expectations.isEmpty && !plan.name.isEmpty)
            modes = plan.modes
        case .story(let plan):
            #expect(!plan.expectations.isEmpty && !plan.name.isEmpty)
            modes = [.sockets]
        }
        let head = text.prefix { $0 != "\n" || text.hasPrefix("#") }.split(separator: "\n").prefix { $0.hasPrefix("#") }
        let told = try #require(head.first { $0.contains("# Modes:") }, "says in which modes it runs")
        for mode in modes { #expect(told.contains(mode.rawValue)) }
    }

    @Test func thereAreTheseExamplesAndNoOther() throws {
        let folder = Samples.root.appendingPathComponent("Examples/Scenarios").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
        #expect(files.sorted() == Self.examples.map { "\($0).yaml" })
    }

    private static let tables = [
        ScenarioKeys.file, ScenarioKeys.network, ScenarioKeys.person, ScenarioKeys.step, ScenarioKeys.expectation,
        ExpectationKeys.eventCount, StoryKeys.file, StoryKeys.step, StoryKeys.expectation,
    ]

    @Test func theDocumentNamesEveryKey() throws {
        let document = try Self.text("docs/scenarios.md")
        for table in Self.tables {
            for key in table.keys { #expect(document.contains("`\(key.name)`"), "\(table.name): \(key.name)") }
        }
        let words =
            StoryWord.allCases.map(\.rawValue) + StorySide.allCases.map(\.rawValue)
            + StorySight.allCases.map(\.rawValue)
        for word in ScenarioAction.names + words { #expect(document.contains("`\(word)`"), "\(word)") }
    }

    @Test func noKeyStandsTwiceAndEachSaysWhatItIs() {
        for table in Self.tables {
            #expect(Set(table.names).count == table.names.count, "\(table.name)")
            #expect(table.keys.allSatisfy { $0.text.hasSuffix(".") }, "\(table.name)")
        }
    }

    /// Every claim is read: an item with nothing but it and a name gives an expectation, or says what is wrong with it.
    @Test(arguments: ExpectationKeys.claims.map(\.name)) func everyClaimIsRead(_ claim: String) throws {
        let values = [
            "hears": "bob", "sees": "bob", "not-hears": "zed", "not-sees": "zed", "meets": "bob", "speaker": "bob",
            "ended": "left", "provider": "livekit", "indicator": "video", "recorded": "bob", "ring": "connected",
            "journal": "valid", "events": "[{event: reconnected, count: \"= 1\"}]", "join-time": "\"< 1s\"",
            "gap": "\"< 1s\"", "greeting": "\"< 1s\"", "overlap": "\"< 1s\"",
        ]
        let text = Samples.pair(
            people: "  - {name: zed, record: true}",
            expect: "- {who: \(claim == "recorded" ? "zed" : "ada"), \(claim): \(values[claim] ?? "\"= 1\"")}")
        #expect(try Samples.plan(text).expectations.count == 1)
    }

    @Test(arguments: ScenarioAction.names) func everyActionIsRead(_ name: String) throws {
        let arguments = [
            "roam": ", network: bad", "ring": ", to: bob", "transfer": ", to: bob",
            "stop-provider": ", provider: livekit",
        ]
        let who = ["end-room", "stop-provider"].contains(name) ? "" : ", who: ada"
        let text = Samples.pair(
            timeline: "- {at: 5s, do: \(name)\(who)\(arguments[name] ?? "")}", expect: "- {who: ada, ended: never}")
        #expect(try Samples.plan(text).steps.count == 3)
    }

    // MARK: Files and the schema

    @Test(arguments: examples) func theExampleIsValid(_ name: String) throws {
        let node = try YAMLText.read(try Self.text("Examples/Scenarios/\(name).yaml"))
        let problems = try SchemaValidator(ScenarioSchema.text).problems(node)
        #expect(problems.isEmpty, "\(name).yaml: \(problems)")
    }

    /// What the schema refuses the reader refuses too, at the same place.
    @Test(arguments: [
        "  - {name: cleo, joins: 1s}", "  - {name: cleo, join: 5}", "  - {name: cleo, join: soon}",
        "  - {name: cleo, tone: high}", "  - {name: cleo, tone: 20}", "  - {name: cleo, card: big}",
        "  - {name: cleo, receives: maybe}", "  - {name: cleo, provider: livkit}", "  - {name: \"c{n}\", count: many}",
        "  - {name: \"c{n}\", count: 0}", "  - {name: cleo, tone: 500, speaks: 2s}", "  - {name: cleo, join: [1s]}",
        "  - {tone: 500}", "  - {name: cleo, measure: guessed}",
    ]) func schemaAndReaderAgreeOnMistakes(_ people: String) throws {
        let text = Samples.pair(people: people)
        let told = try SchemaValidator(ScenarioSchema.text).problems(YAMLText.read(text))
        let place = try #require(told.first)
        #expect(told.count == 1 && Samples.problems(text).map(\.position).contains(place), "\(told)")
    }

    @Test(arguments: [
        "{who: ada, hears: bob, share: 90}", "{who: ada, join-time: \"< 2\"}", "{who: ada, reconnects: few}",
        "{who: ada, ended: sometime}", "{who: ada, heers: bob}", "{who: ada, events: [{event: sneezed, count: 1}]}",
        "{who: ada, events: [{event: trackMuted}]}", "{who: ada, hears: bob, loss: \"< 2\"}",
    ]) func schemaAndReaderAgreeOnClaims(_ claim: String) throws {
        let text = Samples.pair(expect: "- " + claim)
        let told = try SchemaValidator(ScenarioSchema.text).problems(YAMLText.read(text))
        let place = try #require(told.first)
        #expect(Samples.problems(text).map(\.position).contains(place), "\(told), \(Samples.problems(text))")
    }

    @Test(arguments: [
        "{at: 1s, do: moot, who: ada}", "{at: 1, do: mute, who: ada}", "{do: mute, who: ada}", "{at: 1s, who: ada}",
        "{at: 1s, do: mute, who: ada, what: smell}", "{at: 1s, do: mute, who: ada, repeat: often, every: 1s}",
    ]) func schemaAndReaderAgreeOnSteps(_ step: String) throws {
        let text = Samples.pair(timeline: "- " + step)
        let told = try SchemaValidator(ScenarioSchema.text).problems(YAMLText.read(text))
        let place = try #require(told.first)
        #expect(Samples.problems(text).map(\.position).contains(place), "\(told), \(Samples.problems(text))")
    }
}
