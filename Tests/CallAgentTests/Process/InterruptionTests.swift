import Foundation
import Testing

/// Signals and readers that go away: every run ends in a report and in whole files.
@Suite(.serialized, .timeLimit(.minutes(10))) struct InterruptionTests {
    private static let names = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"]

    private static func json(_ text: String) throws -> [String: Any] {
        let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("{") }, "no report in \(text)")
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    private static func member(_ identity: String, _ server: ServerProcess, _ arguments: [String]) throws
        -> AgentProcess
    {
        try AgentProcess(
            ["join", "--url", server.url, "--room", "r", "--identity", identity] + ServerProcess.credentials + arguments
        )
    }

    private static func device(_ subcommand: String, _ identity: String, _ server: ServerProcess, _ arguments: [String])
        throws
        -> AgentProcess
    {
        try AgentProcess(
            [subcommand, "--server", server.service, "--identity", identity, "--json"] + ServerProcess.credentials
                + arguments)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aServerEndsInOrder(signal: Int32) async throws {
        let server = try await ServerProcess.start()
        server.process.send(signal)
        let ending = try await server.process.ending()
        #expect(ending.code == 0, "\(ending.errors)")
    }

    @Test func aServersConfigurationIsReadAgainAndOtherSignalsStillEndIt() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("calls.json", "{}")
        let server = try await ServerProcess.start(["--config", file])
        server.process.send(SIGHUP)
        _ = try await server.process.message { $0.contains("is in force") }
        _ = try folder.file("calls.json", "{,}")
        server.process.send(SIGHUP)
        let refusal = try await server.process.message { $0.contains("stays as it was") }
        #expect(refusal.contains(file) && !refusal.contains("ExitStatus"), "\(refusal)")
        try await server.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func whoWaitsForACallReports(signal: Int32) async throws {
        let server = try await ServerProcess.start()
        for subcommand in ["answer", "decline"] {
            let waiting = try Self.device(subcommand, "bob", server, [])
            _ = try await waiting.message { $0.hasPrefix("waiting for a call") }
            waiting.send(signal)
            let ending = try await waiting.ending()
            #expect(ending.code == 1, "\(ending.errors)")
            #expect(try Self.json(ending.output)["outcome"] as? String == "INTERRUPTED")
        }
        try await server.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func whoIsInACallHangsUpAndReports(signal: Int32) async throws {
        let server = try await ServerProcess.start()
        let bob = try Self.device("answer", "bob", server, ["--duration", "600"])
        // Whoever is not there yet can't be rung.
        _ = try await bob.message { $0.hasPrefix("waiting for a call") }
        let ada = try Self.device("ring", "ada", server, ["--duration", "600", "--to", "bob"])
        _ = try await ada.message { $0.hasPrefix("connected: ") }
        _ = try await bob.message { $0.hasPrefix("connected: ") }
        ada.send(signal)
        let ending = try await ada.ending()
        let report = try Self.json(ending.output)
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(report["outcome"] as? String == "CONNECTED" && report["ended"] as? String == "HANG_UP")
        #expect(report["interrupted"] as? String == Self.names[signal])
        let other = try await bob.ending()
        #expect(try Self.json(other.output)["ended"] as? String == "OTHERS_LEFT", "\(other.output)")
        try await server.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aParticipantReportsAndCompletesItsFiles(signal: Int32) async throws
    {
        let folder = try TemporaryFolder()
        let server = try await ServerProcess.start()
        let bob = try Self.member("bob", server, ["--test-card", "160x90@10"])
        let ada = try Self.member(
            "ada", server,
            [
                "--record", folder.path, "--journal", folder.path + "/journal.jsonl", "--pip", folder.path + "/pip.y4m",
                "--speaker", folder.path + "/heard.wav", "--indicator",
            ])
        // Carol is shown in bob's place once she has been heard.
        _ = try await ada.line { $0.contains("of bob") }
        let carol = try Self.member("carol", server, ["--tone", "440"])
        _ = try await ada.line { $0.contains("of carol") }
        ada.send(signal)
        let ending = try await ada.ending()
        #expect([0, 1].contains(ending.code), "\(ending.errors)")
        #expect(ending.output.contains("ada was there for"), "\(ending.output)")
        for name in ["carol.wav", "heard.wav"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
            let size = bytes[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(size == bytes.count - 44, "\(name): the header says \(size) of \(bytes.count - 44) bytes")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names).isSuperset(of: ["carol.wav", "heard.wav", "pip.y4m", "journal.jsonl"]), "\(names)")
        for name in names { #expect(try folder.permissions(name) == 0o600, "\(name)") }
        let journal = try await AgentProcess.run(["journal", folder.path + "/journal.jsonl"])
        #expect(journal.code == 0, "\(journal.output)")
        for other in [bob, carol] {
            other.send(SIGTERM)
            #expect([0, 1].contains(try await other.ending().code))
        }
        try await server.stop()
    }

    @Test func aReaderThatGoesEndsTheRunAndTheReportIsNotLost() async throws {
        let server = try await ServerProcess.start()
        let bob = try Self.member("bob", server, ["--tone", "440"])
        let ada = try AgentProcess(
            ["join", "--url", server.url, "--room", "r", "--identity", "ada", "--indicator"]
                + ServerProcess.credentials,
            filter: "head -n 1")
        let ending = try await ada.ending()
        #expect(ending.code == 3 && ending.output.hasPrefix("indicator: "), "\(ending.errors)")
        #expect(
            ending.errors.contains("ada was there for") && ending.errors.contains("standard output can't be written"))
        bob.send(SIGINT)
        _ = try await bob.ending()
        try await server.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aCallIsJudgedByWhatWasSentUntilThen(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let journal = folder.path + "/journal.jsonl"
        let call = try AgentProcess([
            "call", "--participants", "2", "--duration", "600", "--picture", "160x90@10", "--json", "--journal",
            journal,
            "--log-level", "info",
        ])
        _ = try await call.message { $0.contains("the call begins") }
        call.send(signal)
        let ending = try await call.ending()
        let report = try Self.json(ending.output)
        #expect(ending.code == 1, "\(ending.errors)")
        #expect(report["interrupted"] as? String == Self.names[signal])
        let failures = try #require(report["failures"] as? [String])
        #expect(failures.contains { $0.hasPrefix("interrupted by ") && $0.hasSuffix(" of 600 s") }, "\(failures)")
        // Nobody had a turn that was long enough to tell voices by.
        #expect(!failures.contains { $0.contains("sounds") || $0.contains("active speaker") }, "\(failures)")
        #expect((report["tracks"] as? [Any])?.count == 4 && (report["participants"] as? [Any])?.count == 2)
        let checked = try await AgentProcess.run(["journal", journal])
        #expect(checked.code == 0, "\(checked.output)")
    }

    @Test func aCallThatIsInterruptedBeforeItBeginsReports() async throws {
        let (requests, continuation) = AsyncStream.makeStream(of: String.self)
        let silent = try ScriptedListener { request in
            continuation.yield(request)
            return .keeping("")
        }
        let call = try AgentProcess(
            ["call", "--server", "ws://127.0.0.1:\(silent.port)", "--json"] + ServerProcess.credentials)
        _ = try #require(await requests.first { _ in true })
        call.send(SIGINT)
        let ending = try await call.ending()
        let report = try Self.json(ending.output)
        #expect(ending.code == 1 && report["failures"] as? [String] == ["interrupted by SIGINT after 0.0 of 15 s"])
    }

    /// A server that takes commands and never answers them: giving up in order takes its time, a second signal none.
    @Test(arguments: [SIGINT, SIGTERM]) func aSecondSignalEndsAtOnce(signal: Int32) async throws {
        let (requests, continuation) = AsyncStream.makeStream(of: String.self)
        let silent = try ScriptedListener { request in
            continuation.yield(request)
            let isStream = request.hasPrefix("GET ")
            return .keeping(isStream ? "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" : "")
        }
        let ring = try AgentProcess(
            ["ring", "--to", "bob", "--server", "http://127.0.0.1:\(silent.port)", "--identity", "ada"]
                + ServerProcess.credentials)
        _ = try #require(await requests.first { $0.hasPrefix("POST ") })
        ring.send(signal)
        _ = try await ring.message { $0.contains("interrupt again") }
        ring.send(signal)
        let ending = try await ring.ending()
        #expect(ending.code == 128 + signal)
    }

    /// A server that never answers keeps nobody who wants to go.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func whoStillJoinsEndsAtOnce(signal: Int32) async throws {
        let (requests, continuation) = AsyncStream.makeStream(of: String.self)
        let silent = try ScriptedListener { request in
            continuation.yield(request)
            return .keeping("")
        }
        let join = try AgentProcess(
            ["join", "--url", "ws://127.0.0.1:\(silent.port)", "--room", "r", "--identity", "ada", "--json"]
                + ServerProcess.credentials)
        _ = try #require(await requests.first { _ in true })
        join.send(signal)
        let ending = try await join.ending()
        #expect(ending.code == 1, "\(ending.errors)")
        let report = try Self.json(ending.output)
        #expect(report["interrupted"] as? String == Self.names[signal] && report["ok"] as? Bool == false)
    }
}
