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
}
