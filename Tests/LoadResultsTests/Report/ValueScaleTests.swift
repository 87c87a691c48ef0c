import Testing

@testable import LoadResults

@Suite struct ValueScaleTests {
    @Test(arguments: [
        ([1.0, 7], 4.0, 8.0), ([100], 1, 100), ([101], 1, 150), ([0.001], 0.01, 0.01), ([], 4, 4),
        ([3_900], 1, 4_000), ([1e15], 1, 1e15), ([.infinity, 3], 1, 3), ([.nan, 3], 1, 3),
    ])
    func theTopIsRound(values: [Double], least: Double, top: Double) {
        let scale = ValueScale(values, least: least)
        #expect(abs(scale.top - top) < top * 1e-9, "\(scale.top)")
        #expect((2...6).contains(scale.ticks.count) && scale.ticks.first == 0 && scale.ticks.last == scale.top)
    }

    @Test func heightsAreFromAbove() {
        let scale = ValueScale([100], least: 1)
        #expect(scale.y(0) == 1_000 && scale.y(50) == 500 && scale.y(100) == 0)
        #expect(scale.y(-1) == 1_000 && scale.y(1e9) == 0)
    }

    @Test func anyNumberHasAScale() {
        for value in [0, 1e-12, 1e-3, 0.999, 12.5, 1e6, 1e300] {
            let scale = ValueScale([value], least: 0)
            #expect(scale.top.isFinite && scale.top > 0 && scale.ticks.count < 8, "\(value)")
        }
    }
}
