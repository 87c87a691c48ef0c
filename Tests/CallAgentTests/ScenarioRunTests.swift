import Foundation
import MediaCore
import ScenarioCore
import Testing

@testable import callagent

/// Scenarios in virtual time: they pass where they should, fail where they must, and come out the same again.
@Suite(.timeLimit(.minutes(10))) struct ScenarioRunTests {
    private static let people = """
        people:
          - {name: ada, tone: 440, card: 160x90@10}
          - {name: bob, tone: 660, card: 160x90@10, join: 200ms}

        """

    private func play(_ body: String, seed: UInt64 = 1, seconds: Int = 5) async throws -> ScenarioReport {
        let plan = try ScenarioReader.read("scenario: test\nduration: \(seconds)s\n" + body)
        let scene = ScenarioScene(plan, on: try VirtualStage(plan, seed: seed), recordings: nil)
        let progress = Progress(isShown: false, status: { _ in }, output: { _ in })
        return try await ScenarioRun(scene, file: "test.yaml", seed: seed, progress: progress).run()
    }

    private func failures(_ report: ScenarioReport) -> [String] {
        report.expectations.filter { !$0.ok }.map { "\($0.expected): \($0.measured)" } + report.troubles
    }

    @Test func twoHearAndSeeEachOther() async throws {
        let report = try await play(
            Self.people
                + """
                expect:
                  - {who: all, hears: others, sees: others, meets: others, ended: never, join-time: "< 500ms"}
                  - {who: all, share: "= 100%", hears: others}
                  - {who: bob, sees: ada, frames: ">= 30", missing: "= 0", loss: "= 0%"}
                  - journal: valid
                """)
        #expect(report.ok, "\(failures(report))")
        #expect(report.durationSeconds == 5 && report.people.map(\.identity) == ["ada", "bob"])
    }

    // MARK: The same again

    private func played(_ plan: ScenarioPlan, seed: UInt64) async throws -> String {
        let scene = ScenarioScene(plan, on: try VirtualStage(plan, seed: seed), recordings: nil)
        let progress = Progress(isShown: false, status: { _ in }, output: { _ in })
        var report = try await ScenarioRun(scene, file: "test.yaml", seed: seed, progress: progress).run()
        // Beside it everything else is to be compared.
        report.seed = 0
        return JSONOutput.text(report)
    }

    @Test(arguments: ["two-party-smoke", "wrong-key"])
    func theSameSeedGivesTheSameRun(_ example: String) async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Examples/Scenarios/\(example).yaml")
        let plan = try ScenarioReader.read(try String(contentsOf: file, encoding: .utf8))
        #expect(try await played(plan, seed: 7) == played(plan, seed: 7))
    }

    /// Losses, a bottleneck that bytes wait at, repetitions, people who come, go, roam, hide and are counted.
    private static let weather = """
        scenario: weather
        duration: 5s
        networks: {bad: {loss: 8, burst: 30ms, delay: 40ms, jitter: 20ms, rate: 400, queue: 150ms, duplicate: 2}}
        people:
          - {name: ada, tone: 440, card: 160x90@10, network: bad}
          - {name: bob, tone: 660, card: 160x90@10, join: 200ms, network: bad}
          - {name: "c{n}", count: 3, tone: auto, join: 300ms, every: 50ms, measure: counted}
        timeline:
          - {at: 4s, who: bob, do: roam, address: new}
          - {at: 2500ms, who: ada, do: hide, for: 1s}
          - {at: 3s, who: c2, do: drop, for: 1s}
          - {at: 4s, who: c1, do: leave}
        expect:
          - {who: bob, hears: ada, share: ">= 1%", loss: "< 99%", concealment: "< 99%"}
          - {who: all, join-time: "< 4s"}

        """

    @Test func anotherSeedGivesAnotherRun() async throws {
        let plan = try ScenarioReader.read(Self.weather)
        let first = try await played(plan, seed: 1)
        #expect(try await played(plan, seed: 1) == first)
        #expect(try await played(plan, seed: 2) != first)
    }

    /// Devices answer beside one another, and their people come in one after another.
    @Test func ringingIsTheSameAgain() async throws {
        let plan = try ScenarioReader.read(
            """
            scenario: ringing
            duration: 4s
            networks: {bad: {loss: 5, delay: 30ms, jitter: 20ms}}
            people:
              - {name: ada, join: never, tone: 440, network: bad}
              - {name: bob, join: never, tone: 660, network: bad}
              - {name: cleo, join: never}
            timeline:
              - {at: 500ms, who: ada, do: ring, to: [bob, cleo]}
              - {at: 1s, who: bob, do: answer}
            expect:
              - {who: [ada, bob], ring: connected, hears: others, loss: "< 50%"}
              - {who: cleo, ring: elsewhere}
            """)
        let first = try await played(plan, seed: 3)
        for _ in 0..<3 { #expect(try await played(plan, seed: 3) == first) }
    }

    // MARK: Roaming

    /// Nobody tells the server: the next check from the new address does.
    @Test(arguments: ["ada", "bob", "ada, network: bad"]) func mediaFollowsToANewAddress(_ who: String) async throws {
        let report = try await play(
            "networks: {bad: {delay: 60ms, loss: 2}}\n"
                + Self.people
                    + """
                    timeline:
                      - {at: 2s, who: \(who), do: roam, address: new}
                    expect:
                      - {who: all, hears: others, sees: others, ended: never}
                      - {who: all, hears: others, from: 10s}
                    """, seconds: 14)
        #expect(report.ok, "\(failures(report))")
    }

    /// The same over sockets: a relay sends from another one, and the old one is forgotten.
    @Test func mediaFollowsToANewAddressOverSockets() async throws {
        let plan = try ScenarioReader.read(
            """
            scenario: test
            duration: 10s
            recovery: 4s
            networks: {near: {delay: 5ms}}
            people:
              - {name: ada, tone: 440, network: near}
              - {name: bob, tone: 660, join: 200ms}
            timeline:
              - {at: 2s, who: ada, do: roam, address: new}
            expect:
              - {who: all, ended: never}
              - {who: all, hears: others, from: 7s, share: ">= 50%"}
            """)
        let stage = try await SocketStage.start(plan, seed: 1, at: nil)
        let progress = Progress(isShown: false, status: { _ in }, output: { _ in })
        let report = try await ScenarioRun(
            ScenarioScene(plan, on: stage, recordings: nil), file: "test.yaml", seed: 1, progress: progress
        ).run()
        #expect(report.ok, "\(failures(report))")
    }

    // MARK: Networks by profile

    /// What the tunnel of a recorded network takes away is missed, and what comes before and after it is there.
    @Test func aRecordedNetworkIsMet() async throws {
        let folder = NSTemporaryDirectory() + "/scenario-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "time up.rate\n0 1000\n3 0\n6 1000\n60 1000\n".write(
            toFile: folder + "/tunnel.trace", atomically: true, encoding: .utf8)
        let plan = try ScenarioReader.read(
            """
            scenario: test
            duration: 14s
            networks: {tunnel: {profile: "trace=tunnel.trace,delay=20"}}
            people:
              - {name: ada, tone: 440, network: tunnel}
              - {name: bob, tone: 660}
            expect:
              - {who: bob, hears: ada, until: 3s}
              - {who: bob, hears: ada, from: 3500ms, until: 6s, share: "= 0%"}
              - {who: all, hears: others, from: 12s}
            """)
        let stage = try VirtualStage(plan, seed: 1, folder: folder)
        let progress = Progress(isShown: false, status: { _ in }, output: { _ in })
        let report = try await ScenarioRun(
            ScenarioScene(plan, on: stage, recordings: nil), file: "test.yaml", seed: 1, progress: progress
        ).run()
        #expect(report.ok, "\(failures(report))")
    }

    @Test(arguments: [
        ("5g", "f:4:18: the network way: "), ("3g,loss=200", "f:4:18: the network way: "),
        ("trace=missing.trace", "missing.trace"),
    ]) func aWrongProfileIsNamedWithItsPlace(_ profile: String, _ says: String) throws {
        let plan = try ScenarioReader.read(
            """
            scenario: x
            duration: 5s
            networks:
              way: {profile: "\(profile)"}
            people: [{name: ada, network: way}]
            expect: [{who: ada, ended: never}]
            """)
        let problems = ScenarioFile.networkProblems(plan, "f")
        #expect(problems.count == 1 && problems.first?.contains(says) == true, "\(problems)")
        #expect(throws: ScenarioProblems.self) { _ = try VirtualStage(plan, seed: 1) }
    }

    /// Each of these must fail: what is expected is not there.
    @Test(arguments: [
        ("- {who: all, join-time: \"< 1ms\"}", 2), ("- {who: ada, ended: left}", 1), ("- {who: ada, meets: nobody}", 1),
        ("- {who: ada, reconnects: \">= 1\"}", 1), ("- {who: ada, sees: bob, frames: \">= 1000\"}", 1),
        ("- {who: ada, speaker: ada}", 1), ("- {who: ada, indicator: avatar}", 1), ("- {who: ada, ring: connected}", 1),
        ("- {who: ada, provider: opentok}", 1), ("- {who: ada, undecryptable: \"> 0\"}", 1),
        ("- {who: ada, events: [{event: trackMuted, count: \"= 3\"}]}", 1), ("- {who: ada, gap: \"< 1s\"}", 1),
    ]) func whatIsNotThereFails(_ expect: String, _ count: Int) async throws {
        let report = try await play(Self.people + "expect:\n  " + expect)
        #expect(!report.ok && failures(report).count == count, "\(failures(report))")
    }

    /// A network that lets nothing through: what the plan promises can't be heard.
    @Test func silenceAndDarknessFail() async throws {
        let report = try await play(
            "networks: {none: {loss: 100}}\n" + Self.people
                + """
                timeline:
                  - {at: 1s, who: bob, do: roam, network: none}
                expect:
                  - {who: ada, hears: bob, sees: bob, from: 2s}
                  - {who: bob, hears: ada, sees: ada, from: 2s}
                """)
        #expect(report.expectations.count == 4 && report.expectations.allSatisfy { !$0.ok }, "\(report.expectations)")
    }

    @Test func somebodyElsesToneIsNotTheirs() throws {
        let plan = try ScenarioReader.read(
            "scenario: test\nduration: 5s\n" + Self.people + "expect:\n  - {who: ada, hears: bob}")
        let key = TrackKey(from: "bob", media: .audio)
        let probe = ScenarioProbe(key, of: plan["bob"], number: 2, isCounted: false)
        let remote = RemoteTrack(kind: .audio, mid: "0", streamID: "s", trackID: "t")
        probe.attach(to: remote)
        let tone = ToneSource(frequency: 900)
        for number in 0..<50 {
            var frame = AudioFrame(samples: [Int16](repeating: 0, count: 480), channels: 1, time: .init(nanoseconds: 0))
            _ = tone.read(into: &frame)
            frame.time = MediaTime(nanoseconds: Int64(number) * 10_000_000)
            remote.deliver(frame)
        }
        #expect(probe.takeSlice() == MediaSlice(wrong: 1))
        #expect(probe.takeSlice() == MediaSlice())
    }

    @Test func ringingConnectsInVirtualTime() async throws {
        let report = try await play(
            """
            people:
              - {name: ada, join: never, tone: 440}
              - {name: bob, join: never, tone: 660}
              - {name: cleo, join: never}
            timeline:
              - {at: 500ms, who: ada, do: ring, to: [bob, cleo]}
              - {at: 1s, who: bob, do: answer}
            expect:
              - {who: [ada, bob], ring: connected, hears: others}
              - {who: cleo, ring: elsewhere, meets: nobody}
              - journal: valid
            """)
        #expect(report.ok, "\(failures(report))")
    }

    @Test func whatCannotBeDoneIsNamedWithItsLine() async throws {
        let report = try await play(
            Self.people
                + """
                timeline:
                  - {at: 1s, who: ada, do: drop}
                  - {at: 2s, who: ada, do: mute}
                expect:
                  - {who: bob, ended: never}
                """)
        #expect(!report.ok && report.troubles.count == 1)
        #expect(report.troubles.first?.contains("ada, line 8:") == true, "\(report.troubles)")
    }

    // MARK: Modes

    private func obstacles(_ body: String, _ mode: ScenarioMode, hasServer: Bool = false) throws -> [String] {
        let plan = try ScenarioReader.read(
            "scenario: test\nduration: 5s\n" + body + "expect: [{who: all, ended: never}]\n")
        return ScenarioModeCheck.problems(plan, in: mode, hasServer: hasServer).map { $0.line(in: "f") }
    }

    @Test func whatAModeCantDoIsNamedWithItsLine() throws {
        let greeting = "people:\n  - {name: ada, greeting: hello}\n"
        #expect(
            try obstacles(greeting, .virtual).first?.hasPrefix("f:4:12: ada's greeting is played in real time") == true)
        #expect(try obstacles(greeting, .sockets).isEmpty)
        let dialects = "people:\n  - {name: ada, provider: livekit}\n  - {name: bob, provider: opentok}\n"
        #expect(try obstacles(dialects, .virtual).count == 2)
        #expect(try obstacles(dialects, .sockets).isEmpty)
        let stop =
            "providers: [livekit, opentok]\npeople: [{name: ada}]\n"
            + "timeline: [{at: 1s, do: stop-provider, provider: livekit}]\n"
        #expect(try obstacles(stop, .sockets).isEmpty && obstacles(stop, .virtual).isEmpty)
        #expect(try obstacles(stop, .sockets, hasServer: true).first?.contains("is not ours to stop") == true)
        let roaming =
            "people: [{name: ada}]\ntimeline: [{at: 1s, who: ada, do: roam, address: new}]\n"
        #expect(try obstacles(roaming, .virtual).isEmpty && obstacles(roaming, .sockets).isEmpty)
        let rebinding = "networks: {nat: {profile: \"3g,rebind=2s\"}}\npeople: [{name: ada, network: nat}]\n"
        #expect(try obstacles(rebinding, .sockets).isEmpty)
        #expect(try obstacles(rebinding, .virtual).first?.contains("let the timeline roam to address: new") == true)
        let only = "modes: sockets\npeople: [{name: ada}]\n"
        #expect(try obstacles(only, .virtual).first?.contains("run it without --virtual") == true)
    }

    // MARK: Reports

    @Test func junitHasACaseForEachExpectation() async throws {
        let report = try await play(
            Self.people + "expect:\n  - {who: ada, hears: bob}\n  - {who: ada, ended: left}\n")
        let xml = ScenarioJUnit.text([report])
        #expect(xml.contains("tests=\"4\" failures=\"1\""), "\(xml)")
        #expect(xml.contains("ada&#39;s call ends: left") && xml.contains("<failure message=\"never\""))
        let text = ScenarioText(isColoured: false).text(report, elapsed: 1)
        #expect(text.contains("FAILED line 8"), "\(text)")
        #expect(text.hasSuffix("1 of 2 expectations met"))
    }

    @Test func theCommandLineIsChecked() throws {
        #expect(throws: (any Error).self) { _ = try CallAgent.parseAsRoot(["run"]) }
        #expect(throws: (any Error).self) {
            _ = try CallAgent.parseAsRoot(["run", "--virtual", "--url", "ws://a", "f"])
        }
        #expect(throws: Never.self) { _ = try CallAgent.parseAsRoot(["run", "--virtual", "--seed", "3", "f.yaml"]) }
    }
}
