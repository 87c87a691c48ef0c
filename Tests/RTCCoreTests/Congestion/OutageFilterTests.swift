import RTCWire
import Testing

@testable import RTCCore

struct OutageFilterTests {
    /// Packets 20 ms apart from `first` on; those of `lost` did not come.
    private func results(_ range: Range<Int64>, lost: Range<Int64>) -> [PacketResult] {
        range.map { number in
            let sent = Instant(nanoseconds: number * 20_000_000)
            return PacketResult(
                sequence: number, sent: sent, received: lost.contains(number) ? nil : sent + .milliseconds(30),
                size: 500)
        }
    }

    @Test func whatIsLostBetweenOthersCounts() {
        var filter = OutageFilter()
        let some = results(0..<100, lost: 20..<69)
        #expect(filter.strip(some) == some)
        #expect(filter.strip(results(100..<110, lost: 0..<0)).count == 10)
    }

    @Test func aSecondOfLossesIsAnOutage() {
        var filter = OutageFilter()
        let kept = filter.strip(results(0..<200, lost: 20..<150)).map(\.sequence)
        #expect(kept == Array(0..<20) + Array(150..<200))
        // It is over, and told once.
        let (end, again) = (filter.takeEnd(), filter.takeEnd())
        #expect(end && !again)
        let next = results(200..<260, lost: 210..<240)
        #expect(filter.strip(next) == next)
        let ended = filter.takeEnd()
        #expect(!ended)
    }

    /// Of a picture a second some are lost one after the other on any bad path.
    @Test func aFewPacketsAreNoOutage() {
        var filter = OutageFilter()
        let some = (0..<30 as Range<Int64>).map { number in
            let sent = Instant(nanoseconds: number * 500_000_000)
            return PacketResult(
                sequence: number, sent: sent, received: (4..<12).contains(number) ? nil : sent + .milliseconds(30),
                size: 500)
        }
        #expect(filter.strip(some) == some)
        let ended = filter.takeEnd()
        #expect(!ended)
    }

    /// One feedback can't speak of a long one alone.
    @Test func anOutageGoesOnFromFeedbackToFeedback() {
        var filter = OutageFilter()
        #expect(filter.strip(results(0..<30, lost: 10..<30)).count == 30)
        #expect(filter.strip(results(30..<55, lost: 30..<55)).count == 25)
        // A second since the first one that was lost.
        #expect(filter.strip(results(55..<80, lost: 55..<80)).isEmpty)
        #expect(filter.strip(results(80..<100, lost: 80..<90)).map(\.sequence) == Array(90..<100))
    }

    @Test func oneThatCameAfterAllEndsTheRun() {
        var filter = OutageFilter()
        _ = filter.strip(results(0..<40, lost: 10..<40))
        let found = PacketResult(
            sequence: 12, sent: Instant(nanoseconds: 240_000_000), received: Instant(nanoseconds: 900_000_000),
            size: 500,
            wasLost: true)
        #expect(filter.strip([found]) == [found])
        #expect(filter.strip(results(40..<70, lost: 40..<70)).count == 30)
    }
}
