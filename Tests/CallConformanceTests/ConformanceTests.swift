import CallConformance
import Testing

/// Every scenario on every provider. A further provider is a further line.
@Suite struct ConformanceTests {
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

    private func check(_ scenario: ConformanceScenario, on subject: some ConformanceSubject) async {
        let outcome = await ConformanceSuite.run(scenario, on: subject)
        #expect(outcome.failure == nil, "\(subject.name), \(scenario.name)")
    }
}
