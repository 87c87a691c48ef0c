import RTCWire
import Testing

@testable import RTCCore

/// How many copies of earlier frames sound carries, by what is lost.
@Suite struct CopyDemandTests {
    private func demand(_ losses: [Double]) -> [Int] {
        var demand = CopyDemand(least: 0, most: CopyDemand.most)
        return losses.enumerated().map { second, loss in
            demand.note(loss: loss, now: .zero + .seconds(second))
            return demand.copies
        }
    }

    /// The first report decides alone, though not for two copies: of few packets it may say too much.
    @Test func theFirstReportCounts() {
        #expect(demand([0.04]) == [1])
        #expect(demand([0.02, 0.02]) == [0, 0])
        #expect(demand([0.3, 0]) == [1, 2])
        #expect(demand([0.12, 0, 0, 0]) == [1, 2, 2, 2])
    }

    /// Later ones by their mean; copies end when hardly anything was lost for ten seconds.
    @Test func latersAreSmoothed() {
        #expect(demand([0, 0.05, 0.05, 0.05]) == [0, 0, 1, 1])
        let quiet = demand([0.04] + Array(repeating: 0, count: 24))
        #expect(quiet.firstIndex(of: 0).map { (15...20).contains($0) } == true, "\(quiet)")
    }
}
