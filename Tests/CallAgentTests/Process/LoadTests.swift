import Foundation
import LoadResults
import Testing

/// Whole load tests against a server, each a process.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LoadTests {
    private func run(_ server: ServerProcess, _ arguments: [String]) throws -> AgentProcess {
        try AgentProcess(["load", "--url", server.url, "--json"] + ServerProcess.credentials + arguments)
    }

    private func results(_ text: String) throws -> LoadResults {
        let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("{") }, "no report in \(text)")
        return try JSONDecoder().decode(LoadResults.self, from: Data(line.utf8))
    }

    /// On a machine that is busy with other tests the tester may say that it was the bottleneck; it delivers all the same.
    @Test func everySubscriberGetsEverything() async throws {
        let server = try await ServerProcess.start()
        let folder = try TemporaryFolder()
        let metrics = try folder.file("seconds.jsonl", "")
        let ending = try await run(
            server,
            [
                "--rooms", "2", "--publishers", "1", "--subscribers", "3", "--duration", "4", "--arrival", "burst",
                "--video-resolution", "low", "--data-rate", "5", "--metrics", metrics,
            ]
        ).ending()
        #expect([0, 4].contains(ending.code), "\(ending.errors)")
        let results = try results(ending.output)
        #expect(results.verdicts.isWhole, "\(results.verdicts.failures)")
        #expect(results.participants.count == 8)
        for participant in results.participants where participant.role == .subscriber {
            #expect(participant.audio.inbound.packetsReceived > 100)
            #expect(participant.video.inbound.framesReceived > 30)
            #expect(participant.audio.inbound.packetsLost == 0 && participant.video.inbound.framesDropped == 0)
            #expect(participant.firstVideoMs ?? 0 > 0)
        }
        let inbound = results.audio.inbound
        #expect(inbound.packetsExpected == inbound.packetsReceived)
        let sums = results.participants.map(\.audio.inbound.packetsReceived).reduce(0, +)
        #expect(sums == inbound.packetsReceived)
        let lines = try ResultsFile.read(try Data(contentsOf: URL(fileURLWithPath: metrics)))
        #expect(lines.seconds == results.seconds && lines.state == .complete)
        try await server.stop()
    }

    @Test func aStormIsWeathered() async throws {
        let server = try await ServerProcess.start()
        let ending = try await run(
            server,
            [
                "--audio-publishers", "1", "--subscribers", "2", "--duration", "8", "--arrival", "burst",
                "--reconnect-storm", "3",
            ]
        ).ending()
        let results = try results(ending.output)
        #expect(results.verdicts.isWhole, "\(results.verdicts.failures)")
        #expect(results.participants.map(\.reconnects) == [1, 1, 1])
        #expect(results.histograms.join.count == 6)
        try await server.stop()
    }

    @Test func anInterruptedRunKeepsWhatItHas() async throws {
        let server = try await ServerProcess.start()
        let load = try AgentProcess(
            ["load", "--url", server.url, "--json"] + ServerProcess.credentials + [
                "--audio-publishers", "1", "--subscribers", "2", "--duration", "300", "--arrival", "burst",
                "--metrics", "/dev/stderr",
            ])
        _ = try await load.message { $0.contains("\"joined\":3") }
        load.send(SIGINT)
        let ending = try await load.ending()
        #expect([1, 4].contains(ending.code))
        let results = try results(ending.output)
        #expect(results.state == .interrupted && results.interruption == "interrupted by SIGINT")
        #expect(results.participants.map(\.endReason) == [.interrupted, .interrupted, .interrupted])
        #expect(results.seconds.count >= 1)
        try await server.stop()
    }

    @Test func aServerThatDiesEndsTheRun() async throws {
        let server = try await ServerProcess.start()
        let load = try AgentProcess(
            ["load", "--url", server.url, "--json"] + ServerProcess.credentials + [
                "--audio-publishers", "1", "--subscribers", "2", "--duration", "300", "--arrival", "burst",
                "--metrics", "/dev/stderr",
            ])
        _ = try await load.message { $0.contains("\"joined\":3") }
        server.process.send(SIGKILL)
        let ending = try await load.ending()
        #expect([1, 4].contains(ending.code))
        let results = try results(ending.output)
        #expect(results.state == .interrupted)
        #expect(results.interruption?.hasPrefix("the server was lost") == true, "\(results.interruption ?? "")")
    }

    @Test func aServerThatIsNotThereIsTheEnvironment() async throws {
        let ending = try await AgentProcess.run(
            [
                "load", "--url", "ws://127.0.0.1:9", "--key", "k", "--secret", "a-secret-of-some-length",
                "--subscribers", "2", "--duration", "1",
            ])
        #expect(ending.code == 3)
        #expect(ending.output.contains("load_sub_0 did not get into load"), "\(ending.output)")
    }
}
