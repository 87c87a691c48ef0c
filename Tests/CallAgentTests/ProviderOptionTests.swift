import ArgumentParser
import CallBridge
import Testing

@testable import callagent

/// `call --provider`, and what a user has allowed in `join`.
@Suite struct ProviderOptionTests {
    @Test func anUnknownProviderIsRefusedWithTheNamesOfThoseThatAre() {
        do {
            _ = try CallAgent.parseAsRoot(["call", "--provider", "nonsense"])
            Issue.record("it was taken")
        } catch {
            let text = CallAgent.fullMessage(for: error)
            let wanted = "--provider nonsense: there is no such provider; use livekit, opentok, mixed, fake."
            #expect(text.contains(wanted), "\(text)")
            #expect(CallAgent.exitCode(for: error) == .validationFailure)
        }
    }

    @Test(arguments: [
        ["--server", "ws://h", "--key", "k", "--secret", "s"], ["--two-connections"], ["--hostile", "5"], ["--ring"],
        ["--greeting", "Hello"], ["--network", "loss=5,rebind=5s"],
    ])
    func whatTakesSocketsDoesNotGoWithASimulation(arguments: [String]) {
        #expect(throws: (any Error).self) { _ = try CallAgent.parseAsRoot(["call", "--provider", "fake"] + arguments) }
    }

    /// A whole call in virtual time, judged pair by pair as one over sockets is.
    @Test func aSimulatedCallIsWhole() async throws {
        let command = try #require(
            try CallAgent.parseAsRoot([
                "call", "--provider", "FAKE", "--participants", "3", "--duration", "6", "--picture", "160x90@10",
                "--network", "loss=1,delay=20,seed=7",
            ]) as? CallCommand)
        let journal = CallJournal()
        let report = try await CallRun(
            command.settings, at: try await command.venue(nil), progress: Progress(isQuiet: true), journal: journal
        ).run()
        #expect(report.failures == [] && report.ok)
        #expect(report.provider == "FAKE" && report.srtpProfile?.isEmpty == false)
        #expect(report.tracks.count == 12 && report.tracks.allSatisfy { $0.packetsReceived > 50 })
        #expect(report.tracks.contains { $0.packetsRecovered > 0 }, "the network lost nothing")
        #expect(report.journal.violations.isEmpty && report.journal.events > 10)
        #expect(journal.events.allSatisfy { $0.serviceProviderType == "FAKE" })
        let ended = try #require(journal.events.last)
        #expect(ended.timestamp.milliseconds(since: journal.events[0].timestamp) >= 6_000)
    }

    @Test(arguments: [
        (["--tone", "440", "--test-card", "160x90", "--camera-permission", "denied"], "AUDIO", ["video"]),
        (
            ["--tone", "440", "--test-card", "160x90", "--microphone-permission", "not-asked"], "NONE",
            ["audio", "video"]
        ),
        (["--tone", "440", "--test-card", "160x90"], "AUDIO_VIDEO", []),
        (["--test-card", "160x90", "--microphone-permission", "permanently-denied"], "VIDEO", []),
    ])
    func permissionsDecideWhatIsPublished(arguments: [String], published: String, refused: [String]) async throws {
        let command = try #require(
            try CallAgent.parseAsRoot(["join", "--url", "ws://h", "--token", "t"] + arguments) as? JoinCommand)
        let plan = try await command.permissions.plan(for: command.media.wanted)
        #expect(PublishedReport(plan).published == published && PublishedReport(plan).refused == refused)
        #expect(
            try command.media.publications(plan.publishes, DeviceWatch(), command.speech).count
                == (plan.publishes.hasAudio ? 1 : 0) + (plan.publishes.hasVideo ? 1 : 0))
    }

    @Test func whoMayNotSpeakAndWillNotOnlyListenGetsATypedError() async throws {
        let command = try #require(
            try CallAgent.parseAsRoot([
                "join", "--url", "ws://h", "--token", "t", "--tone", "440", "--microphone-permission",
                "permanently-denied", "--no-listen-only",
            ]) as? JoinCommand)
        await #expect {
            _ = try await command.permissions.plan(for: command.media.wanted)
        } throws: { error in
            (error as? CallError)?.code == .permissionDenied && "\(error)".contains("the system's settings")
        }
    }
}
