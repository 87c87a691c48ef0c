import Testing

@testable import RTCCore

@Suite struct SRTPReplayWindowTests {
    /// Against a set of everything seen.
    @Test(arguments: 1...4 as ClosedRange<UInt64>) func agreesWithASet(_ seed: UInt64) {
        var random = CryptoTestRandom(seed)
        var window = ReplayWindow()
        var seen = Set<UInt64>()
        var highest: UInt64 = 10_000
        for _ in 0..<20_000 {
            let index: UInt64
            switch random.next() % 20 {
            case 0: index = highest + random.next() % 2500
            case 1...10: index = highest + random.next() % 3
            default: index = highest - random.next() % 960
            }
            #expect(window.isFresh(index) == !seen.contains(index) || seen.isEmpty)
            if window.isFresh(index) {
                window.insert(index)
                seen.insert(index)
                highest = max(highest, index)
            }
        }
        #expect(!window.isFresh(highest - ReplayWindow.reach))
    }

    /// RFC 3711 appendix A, at the edges.
    @Test func estimatedIndices() {
        func estimate(_ highest: UInt64, _ sequenceNumber: UInt16) -> UInt64? {
            var window = ReplayWindow()
            window.insert(highest)
            return window.estimatedIndex(of: sequenceNumber)
        }
        #expect(ReplayWindow().estimatedIndex(of: 65_535) == 65_535)
        #expect(estimate(65_535, 0) == 65_536)
        #expect(estimate(65_536, 65_535) == 65_535)
        #expect(estimate(0x1_0005, 0x8005) == 0x1_8005)
        #expect(estimate(0x1_0005, 0x8006) == 0x0_8006)
        #expect(estimate(0x1_8000, 0x0000) == 0x1_0000)
        #expect(estimate(0x1_8001, 0x0000) == 0x2_0000)
        #expect(estimate(5, 65_000) == 65_000, "there is no roll-over counter below 0")
        #expect(estimate(0xffff_ffff_ffff, 0) == nil, "the roll-over counter is used up")
        #expect(estimate(0xffff_ffff_ffff, 0xfffe) == 0xffff_ffff_fffe)
    }
}
