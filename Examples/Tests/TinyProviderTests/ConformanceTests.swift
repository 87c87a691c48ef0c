import CallConformance
import Testing

@Suite struct ConformanceTests {
    @Test(arguments: ConformanceSuite.scenarios) func conforms(_ scenario: ConformanceScenario) async {
        #expect(await ConformanceSuite.run(scenario, on: TinySubject()).failure == nil)
    }
}
