import CallConformance
import Testing

/// Every scenario on every provider. A further provider is a further line.
@Suite struct ConformanceTests {
    @Test(arguments: ConformanceSuite.scenarios) func simulated(_ scenario: ConformanceScenario) async {
        await check(scenario, on: FakeSubject())
    }

    @Test(arguments: ConformanceSuite.scenarios) func liveKitLike(_ scenario: ConformanceScenario) async {
        let subject = LiveKitLikeSubject(mode: .singleConnection)
        guard scenario.name == "removed" else { return await check(scenario, on: subject) }
        // A known defect, docs/status.md: now and then the server's last word is lost with its socket, and the client
        // comes back instead of ending its call.
        await withKnownIssue("the word of a removal can be lost", isIntermittent: true) {
            await check(scenario, on: subject)
        }
    }

    /// The older mode with two connections.
    @Test(arguments: ConformanceSuite.scenarios) func liveKitLikeTwoConnections(_ scenario: ConformanceScenario) async {
        let subject = LiveKitLikeSubject(mode: .twoConnections)
        guard scenario.name == "removed" else { return await check(scenario, on: subject) }
        await withKnownIssue("the word of a removal can be lost", isIntermittent: true) {
            await check(scenario, on: subject)
        }
    }

    private func check(_ scenario: ConformanceScenario, on subject: some ConformanceSubject) async {
        let outcome = await ConformanceSuite.run(scenario, on: subject)
        #expect(outcome.failure == nil, "\(subject.name), \(scenario.name)")
    }
}
