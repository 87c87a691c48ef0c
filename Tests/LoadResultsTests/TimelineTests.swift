import Testing

@testable import LoadResults

@Suite struct TimelineTests {
    @Test func aTimelineSaysWhatItHolds() {
        var line = ParticipantTimeline(startSecond: 0)
        #expect(line.footprint == 0)
        line.packetsLost = Array(repeating: 0, count: 100)
        #expect((800...1_000).contains(line.footprint))
        line.frozenMs = line.packetsLost
        #expect((1_600...2_000).contains(line.footprint))
    }

    /// A run of an hour in which nothing is left behind but its own report.
    @Test func aReportSaysWhatItHolds() {
        var results = LoadResults(run: HandMade.header())
        let empty = results.footprint
        var second = SecondSample(second: 0)
        second.tester.threads = Array(repeating: ThreadCPU(name: "media-0", cpu: 0.5), count: 4)
        results.seconds = [second]
        let one = results.footprint - empty
        #expect(one >= MemoryLayout<SecondSample>.stride + 4 * MemoryLayout<ThreadCPU>.stride)
        second.latency = HistogramSnapshot(buckets: Array(repeating: .init(value: 1, count: 1), count: 50))
        second.tester.threads[0].name = "a name of more than fifteen bytes"
        results.seconds = [second]
        #expect(results.footprint - empty >= one + 50 * 16 + 33)
        let people = results.footprint
        results.participants = [ParticipantResult(identity: "a participant of many letters", room: "r", role: .both)]
        #expect(results.footprint - people >= MemoryLayout<ParticipantResult>.stride + 29)
    }
}
