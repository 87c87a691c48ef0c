import CallConformance
import OpenTokSignalling
import ProviderLiveKitLike
import Testing

/// Every scenario on every provider. A further provider is a further line.
@Suite(.timeLimit(.minutes(3))) struct ConformanceTests {
    @Test(arguments: ConformanceSuite.scenarios) func simulated(_ scenario: ConformanceScenario) async {
        await check(scenario, on: FakeSubject())
    }

    @Test(arguments: ConformanceSuite.scenarios) func liveKitLike(_ scenario: ConformanceScenario) async {
        await check(scenario, on: LiveKitLikeSubject(mode: .singleConnection))
    }

    /// The older mode with two connections.
    @Test(arguments: ConformanceSuite.scenarios) func liveKitLikeTwoConnections(_ scenario: ConformanceScenario) async {
        await check(scenario, on: LiveKitLikeSubject(mode: .twoConnections))
    }

    @Test(arguments: ConformanceSuite.scenarios, MediaMode.allCases)
    func openTokLike(_ scenario: ConformanceScenario, _ mode: MediaMode) async {
        await check(scenario, on: OpenTokLikeSubject(mode: mode))
    }

    /// A server that speaks RTP and RTCP as a livekit-server does: everything that is heard, seen or measured.
    @Test(arguments: ConformanceTests.mediaScenarios, [LiveKitLikeProvider.Mode.singleConnection, .twoConnections])
    func liveKitMedia(_ scenario: ConformanceScenario, _ mode: LiveKitLikeProvider.Mode) async {
        await check(scenario, on: LiveKitLikeSubject(mode: mode, plane: .livekit))
    }

    static let mediaScenarios = ConformanceSuite.scenarios.filter {
        [
            "many", "late-joiner", "rejoin", "audio", "video", "both-ways", "unpublish", "upgrade", "mute-audio",
            "mute-video", "active-speaker", "server-speakers", "selective", "bad-network",
        ].contains($0.name)
    }

    private func check(_ scenario: ConformanceScenario, on subject: some ConformanceSubject) async {
        let outcome = await ConformanceSuite.run(scenario, on: subject)
        #expect(outcome.failure == nil, "\(subject.name), \(scenario.name)")
    }
}
