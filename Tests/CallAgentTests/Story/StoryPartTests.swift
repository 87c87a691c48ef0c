import Foundation
import ScenarioCore
import Synchronization
import Testing

@testable import callagent

/// The parts that a story is played with; the whole is `Tests/Interop/story.py`.
@Suite(.timeLimit(.minutes(10))) struct StoryPartTests {
    // MARK: Histories

    @Test func nobodyMissesWhatCameBefore() async throws {
        let history = EventHistory<Int>()
        for number in 1...3 { history.note(number) }
        #expect(await history.until(2) == 2)
        #expect(history.count == 3 && history.all == [1, 2, 3])
        #expect(await history.first { $0 > 1 ? "\($0)" : nil } == "2")
        // From a place on: what came before does not count, what comes does.
        let place = history.count
        let later = Task { await history.until(1, from: place) }
        history.note(4)
        history.note(1)
        #expect(await later.value == 1)
        #expect(history.all == [1, 2, 3, 4, 1])
    }

    @Test func whoIsCancelledWaitsNoLonger() async throws {
        let history = EventHistory<Int>()
        let waiting = Task { await history.until(1) }
        waiting.cancel()
        #expect(await waiting.value == nil)
        struct Refused: Error {}
        history.note(2)
        await #expect(throws: Refused.self) { try await history.first { _ -> Int? in throw Refused() } }
    }

    // MARK: Patience

    private static func failure(_ body: () async throws -> Void) async -> StoryFailure? {
        do { try await body() } catch { return error as? StoryFailure }
        return nil
    }

    @Test func whatIsNotSeenNamesItsSide() async throws {
        let patience = StoryPatience(seconds: 60)
        #expect(try await patience.wait(.agent, "it comes") { 7 } == 7)
        let nothing = await Self.failure { _ = try await patience.wait(.agent, "it comes") { nil as Int? } }
        #expect(nothing?.description == "agent: it comes")
        struct Broken: Error, CustomStringConvertible { var description: String { "no line" } }
        let broken = await Self.failure {
            _ = try await patience.wait(.visitor, "it comes") { () -> Int? in throw Broken() }
        }
        #expect(broken?.description == "visitor: it comes: no line")
        let named = await Self.failure {
            _ = try await patience.wait(.visitor, "it comes") { () -> Int? in throw StoryFailure(.device, "it broke") }
        }
        #expect(named?.description == "device: it broke")
    }

    /// What never answers, even when it is cancelled, does not hold a story up.
    @Test func timeRunsOut() async throws {
        let patience = StoryPatience(seconds: 0.05)
        let (never, release) = AsyncStream.makeStream(of: Void.self)
        let late = await Self.failure {
            _ = try await patience.wait(.carrier, "it comes") { () -> Int? in
                await Task.detached { for await _ in never {} }.value
                return 1
            }
        }
        #expect(late?.description == "carrier: it comes, within 0 s")
        release.finish()
        let polled = await Self.failure { try await patience.poll(.server, "it is so") { false } }
        #expect(polled?.description == "server: it is so, within 0 s")
        let looks = Mutex(0)
        try await StoryPatience(seconds: 60).poll(.server, "it is so") {
            looks.withLock { looks in
                looks += 1
                return looks == 3
            }
        }
        #expect(looks.withLock { $0 } == 3)
    }

    private final class Inside: Sendable {
        let count = Mutex((now: 0, most: 0))
    }

    @Test func soManyAtATime() async throws {
        let gate = StoryGate(2)
        let inside = Inside()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await gate.pass {
                        inside.count.withLock { inside in
                            inside.now += 1
                            inside.most = max(inside.most, inside.now)
                        }
                        await Task.yield()
                        inside.count.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        let seen = inside.count.withLock { $0 }
        #expect(seen.now == 0 && (1...2).contains(seen.most))
        #expect(await gate.most == 2, "as many as there is room for")
    }

    /// Nobody goes on before all have come or won't; then all do, and who comes later does not wait.
    @Test func storiesGather() async {
        let gathering = StoryGathering(3)
        let gone = EventHistory<Int>()
        let first = Task {
            await gathering.arrive()
            gone.note(1)
        }
        await gathering.miss()
        #expect(gone.count == 0)
        await gathering.arrive()
        await first.value
        #expect(gone.all == [1])
        #expect(await gathering.together == 2)
        let empty = StoryGathering(1)
        await empty.miss()
        #expect(await empty.together == 0)
    }

    @Test func theBuiltInStoryIsTheExample() throws {
        let plan = try StoryFile.whole()
        #expect(plan.steps.count == 19 && plan.clients == 1 && plan.calls == nil)
        let example = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Examples/Scenarios/whole-story.yaml")
        #expect(try String(contentsOf: example, encoding: .utf8) == StoryFile.text)
    }

    @Test func aStoryNeedsSockets() throws {
        let plan = try StoryFile.whole()
        let refused = ScenarioModeCheck.problems(plan, in: .virtual, hasServer: false).map { $0.line(in: "f") }
        #expect(refused == ["f:4:8: a story needs processes and sockets; run it without --virtual"])
        #expect(ScenarioModeCheck.problems(plan, in: .sockets, hasServer: false).isEmpty)
        #expect(ScenarioModeCheck.problems(plan, in: .sockets, hasServer: true).first?.text.contains("--url") == true)
    }

    /// A story's steps and expectations are lines of its report and cases of JUnit.
    @Test func aStoryIsReportedAsAScenario() throws {
        let plan = try StoryFile.whole()
        var report = StoryReport(clients: 2)
        report.failures = [StoryBreak(client: 2, step: "start", side: "agent", what: "the client is ready")]
        let endings = report.failures.map { StoryEnding(client: $0.client, step: $0.step, reason: $0.told) }
        let verdicts = StoryJudge(plan, clients: 2, [], endings: endings, journalViolations: []).verdicts()
        let scenario = ScenarioReport(plan, file: "s.yaml", .init(report: report, verdicts: verdicts))
        #expect(!scenario.ok && scenario.mode == "sockets" && scenario.expectations.count == verdicts.count)
        let text = ScenarioText(isColoured: false).text(scenario, elapsed: 1)
        #expect(text.hasPrefix("the whole life of a conversation (s.yaml): 2 stories"))
        #expect(
            text.contains("FAILED line 7    start is seen by every side: 0 of 2; story 2: the agent has not seen it"))
        let xml = ScenarioJUnit.text([scenario])
        #expect(xml.contains("tests=\"\(verdicts.count + 2)\"") && xml.contains("name=\"line 7: start is seen"))
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(ScenarioReports([scenario])))
        let told = ((json as? [String: Any])?["scenarios"] as? [[String: Any]])?.first?["story"] as? [String: Any]
        #expect(told?["clients"] as? Int == 2 && told?["callLanes"] as? Int == 0)
    }

    // MARK: What comes from outside

    @Test func messagesInTheShapeOfFCM() throws {
        let body = #"{"message": {"token": "device:1", "data": {"callbridge.encrypted": "AAAA"}, "android": {}}}"#
        let (token, push) = try #require(StoryCarrier.read(Array(body.utf8)))
        #expect(token == "device:1" && push.request == body)
        let payload = try JSONSerialization.jsonObject(with: push.payload) as? [String: Any]
        #expect((payload?["data"] as? [String: String])?["callbridge.encrypted"] == "AAAA")
        for other in [
            "", "[]", "{}", #"{"message": 1}"#, #"{"message": {"token": 1, "data": {}}}"#,
            #"{"message": {"token": "a"}}"#, #"{"message": {"token": "a", "data": "b"}}"#,
        ] { #expect(StoryCarrier.read(Array(other.utf8)) == nil, "\(other)") }
    }

    @Test func whatTheProcessBesideShows() {
        let printed = """
            {"outcome": "opened", "shown": {"title": "ada", "body": "hello", "userInfo": {"kind": "MESSAGE"}}}
            """
        #expect(
            StoryExtension.read(Data(printed.utf8))
                == .init(outcome: "opened", title: "ada", body: "hello", kind: "MESSAGE"))
        #expect(
            StoryExtension.read(Data(#"{"outcome": "blank"}"#.utf8))
                == .init(outcome: "blank", title: "", body: "", kind: ""))
        #expect(StoryExtension.read(Data("none".utf8)) == nil)
        #expect(StoryExtension.read(Data(#"{"shown": {}}"#.utf8)) == nil)
    }

    @Test func aProgramThatIsNone() async {
        let device = StoryExtension(program: "/no/such/program", gate: StoryGate(1))
        let failure = await Self.failure { _ = try await device.show(Data("{}".utf8), keys: "/tmp") }
        #expect(failure?.side == .device)
        let other = StoryExtension(program: "/bin/false", gate: StoryGate(1))
        let ended = await Self.failure { _ = try await other.show(Data("{}".utf8), keys: "/tmp") }
        #expect(ended?.what.contains("status 1") == true)
    }

    // MARK: Reports

    @Test func reportsSayWhatBroke() {
        var report = StoryReport(clients: 2)
        report.whole = 2
        (report.conversationsAtOnce, report.callLanes, report.callsAtOnce) = (2, 8, 1)
        #expect(report.isGood && report.text.hasPrefix("2 of 2 stories whole"))
        #expect(
            report.text.contains("2 conversations open at once, 1 calls at once of 8 that may be, the others in turn"))
        report.journal.violations = ["call-1 has no end"]
        #expect(!report.isGood && report.text.contains("1 violations\n  call-1 has no end"))
        report.journal.violations = []
        report.whole = 1
        #expect(!report.isGood)
        report.failures = [StoryBreak(client: 2, step: "ring", side: "visitor", what: "the call rings")]
        #expect(report.text.contains("failed: vera-2, ring: the visitor has not seen it: the call rings"))
        let step = StoryStep(client: 1, step: "drop", ms: 412, saw: ["agent": "a\u{1B}[1m", "visitor": "v"])
        #expect(
            step.line.hasPrefix("  0.412 s  drop             visitor: v; agent: a") && !step.line.contains("\u{1B}"))
    }

    @Test(arguments: [
        ["--clients", "0"], ["--clients", "1001"], ["--calls", "0"], ["--calls", "1001"], ["--patience", "0"],
        ["--patience", "3601"],
    ])
    func wrongCommandLines(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try StoryCommand.parse(arguments) }
    }

    @Test func rightCommandLines() throws {
        #expect(try StoryCommand.parse([]).clients == 1)
        #expect(try StoryCommand.parse(["--clients", "200", "--patience", "60"]).patience == 60)
        #expect(try StoryCommand.parse(["--clients", "200", "--calls", "8"]).calls == 8)
        #expect(try StoryCommand.parse([]).calls == nil && StoryLanes.usual >= 2)
    }
}
