import CallConformance
import OpenTokSignalling
import ProviderLiveKitLike
import Testing

/// Every scenario on every provider. A further provider is a further line.
@Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
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

    /// The same provider over a simulated network, where messages are cut off, too.
    @Test(arguments: ConformanceSuite.scenarios, MediaMode.allCases)
    func openTokLikeInVirtualTime(_ scenario: ConformanceScenario, _ mode: MediaMode) async {
        let outcome = await ConformanceSuite.run(scenario, on: VirtualOpenTokSubject(mode: mode))
        #expect(outcome.failure == nil, "\(scenario.name)")
        guard case .leftOut(let why) = outcome else { return }
        // Sessions have no end of their own, identities may be shared, and nobody tells who speaks.
        #expect(["room-ended", "duplicate", "server-speakers"].contains(scenario.name), "\(why)")
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
