import CallBridge
import Foundation
import Testing

@testable import callagent

/// What `ring` and `answer` publish, play, record and say.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RingMediaTests {
    private static func asking(_ server: ServerProcess, _ subcommand: String, _ arguments: [String]) -> [String] {
        [subcommand, "--server", server.service, "--json"] + ServerProcess.credentials + arguments
    }

    private static func report(_ ending: AgentProcess.Ending) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
    }

    /// The one who answers is greeted while the device is not ready, and then hears, sees and records the call.
    @Test func aCallWithPicturesIsGreetedAndRecorded() async throws {
        let server = try await ServerProcess.start()
        let folder = try TemporaryFolder()
        let bob = try AgentProcess(
            Self.asking(
                server, "answer",
                [
                    "--identity", "bob", "--greeting", "Please wait.", "--speaker", folder.path + "/heard.wav",
                    "--record",
                    folder.path + "/bob", "--indicator", "--video", "--tone", "880", "--locked-for", "1",
                    "--app-active-after", "2", "--authenticate-after", "3", "--region", "CN", "--duration", "20",
                ]))
        _ = try await bob.message { $0.hasPrefix("waiting for a call") }
        let ada = try await AgentProcess.run(
            Self.asking(
                server, "ring",
                [
                    "--identity", "ada", "--to", "bob", "--video", "--test-card", "160x90", "--tone", "440", "--record",
                    folder.path + "/ada", "--duration", "6",
                ]))
        let ending = try await bob.ending()
        #expect(ada.code == 0 && ending.code == 0, "\(ada.errors) \(ending.errors)")
        let his = try Self.report(ending)
        let greeting = try #require(his["greeting"] as? [String: Any])
        // He waited for the device for three seconds.
        #expect((greeting["playedMs"] as? Double ?? 0) > 700 && greeting["overlapMs"] as? Double == 0, "\(greeting)")
        #expect(his["met"] as? [String] == ["ada"] && his["failures"] == nil, "\(his)")
        #expect(abs((his["heardHz"] as? Double ?? 0) - 440) < 5, "\(his)")
        let shown = (his["indicator"] as? [String: Any])?["shown"] as? [[String: Any]]
        #expect(shown?.contains { $0["content"] as? String == "video" } == true, "\(his)")
        #expect(abs((try Self.report(ada)["heardHz"] as? Double ?? 0) - 880) < 5)
        for line in [
            "region CN has no native call screen", "incoming VIDEO call from ada", "the device is locked",
            "ada is there",
            "video of ada", "ada has left: HANG_UP",
        ] {
            #expect(ending.errors.contains(line), "\(line) is missing in \(ending.errors)")
        }
        for (file, least) in [
            ("heard.wav", 100_000), ("bob/ada.wav", 40_000), ("bob/ada.y4m", 100_000), ("ada/bob.wav", 40_000),
            ("ada/bob.y4m", 100_000),
        ] {
            let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + file)[.size] as? Int ?? 0
            #expect(size > least, "\(file) has \(size) bytes")
        }
        try await server.stop()
    }

    /// What is missing is told before anything rings.
    @Test func whatIsMissingIsToldBeforeItRings() async throws {
        for (arguments, code, word) in [
            (["--wav", "/nowhere.wav"], Int32(2), "/nowhere.wav"), (["--record", "/proc/none"], 3, "/proc/none"),
            (["--say", "x", "--voice", "nobody"], 2, "nobody"),
            (["--voice", "en", "--language", "de"], 2, "--language"),
            (["--app-active-after", "-1"], 2, "--app-active-after"),
        ] {
            let ending = try await AgentProcess.run(
                ["answer", "--server", "http://127.0.0.1:9", "--identity", "bob"] + ServerProcess.credentials
                    + arguments)
            #expect(
                ending.code == code && ending.errors.contains(word), "\(arguments): \(ending.code) \(ending.errors)")
        }
    }

    /// The device as `--locked-for`, `--app-active-after` and `--authenticate-after` have it.
    @Test func aDeviceBecomesReadyStepByStep() {
        let device = DeviceScript(unlocked: 2, active: 3, authenticated: 2)
        #expect(device.gate() == AnswerGate(isLocked: true, isActive: false, isAuthenticated: false))
        #expect(device.changes == [2, 3])
        #expect(device.gate(after: 2) == AnswerGate(isLocked: false, isActive: false, isAuthenticated: true))
        #expect(device.gate(after: 3).isOpen)
        #expect(DeviceScript().gate().isOpen && DeviceScript().changes.isEmpty)
        let atOnce = DeviceScript(unlocked: 0)
        #expect(!atOnce.gate().isOpen && atOnce.gate(after: 0).isOpen)
    }
}
