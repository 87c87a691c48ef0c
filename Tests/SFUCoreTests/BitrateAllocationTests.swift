import RTCWire
import Testing

@testable import SFUCore

extension BitrateAllocation.Share {
    /// No larger picture than this, at its full rate.
    fileprivate static func rank(_ rank: Int) -> Self {
        .upTo(LayerPoint(spatial: rank, temporal: LayerPoint.highest.temporal))
    }
}

struct BitrateAllocationTests {
    private static let simulcast = [(0, 160_000), (1, 450_000), (2, 1_700_000)]

    private func demand(
        _ track: String, priority: Int = 1, wanted: Int = 2, _ layers: [(Int, Int)] = simulcast
    ) -> VideoDemand {
        VideoDemand(
            track: track, priority: priority, wanted: wanted,
            layers: layers.map { VideoDemand.Layer(rank: $0.0, bitrate: $0.1) })
    }

    private func shares(
        _ demands: [VideoDemand], _ capacity: Int?, mayPause: Bool = false
    ) -> (shares: [String: BitrateAllocation.Share], next: Int?) {
        let allocation = BitrateAllocation(demands, capacity: capacity, mayPause: mayPause)
        return (allocation.shares, allocation.nextCost)
    }

    @Test func withoutALimitEverybodyGetsWhatIsWanted() {
        let allocation = BitrateAllocation([demand("a"), demand("b", wanted: 0)], capacity: nil, mayPause: true)
        #expect(allocation.shares == ["a": .rank(2), "b": .rank(0)])
        #expect(allocation.cost == 1_860_000 && allocation.nextCost == nil)
    }

    @Test(arguments: [(100_000, 0), (449_999, 0), (450_000, 1), (1_699_999, 1), (1_700_000, 2)])
    func oneVideoGetsTheLargestLayerThatFits(_ capacity: Int, _ rank: Int) {
        #expect(shares([demand("a")], capacity).shares == ["a": .rank(rank)])
    }

    @Test func equalsAreRaisedInRounds() {
        let two = [demand("a"), demand("b")]
        #expect(shares(two, 900_000).shares == ["a": .rank(1), "b": .rank(1)])
        #expect(shares(two, 700_000).shares == ["a": .rank(1), "b": .rank(0)])
        #expect(shares(two, 2_150_000).shares == ["a": .rank(2), "b": .rank(1)])
        #expect(shares(two, 900_000).next == 2_150_000)
    }

    @Test func aHigherPriorityIsServedFirst() {
        let two = [demand("a"), demand("screen", priority: 255)]
        #expect(shares(two, 1_900_000).shares == ["a": .rank(0), "screen": .rank(2)])
        #expect(shares(two, 650_000).shares == ["a": .rank(0), "screen": .rank(1)])
    }

    @Test func nothingIsPausedUnlessAllowed() {
        let three = [demand("a"), demand("b"), demand("c")]
        #expect(shares(three, 200_000).shares == ["a": .rank(0), "b": .rank(0), "c": .rank(0)])
        let paused = shares(three, 330_000, mayPause: true)
        #expect(paused.shares == ["a": .rank(0), "b": .rank(0), "c": .paused] && paused.next == 480_000)
        #expect(shares(three, 100, mayPause: true).shares.values.allSatisfy { $0 == .paused })
    }

    @Test func layersThatAreNotThereAreNotChosen() {
        #expect(shares([demand("a", wanted: 1, [(2, 900_000)])], 100_000).shares == ["a": .rank(2)])
        #expect(shares([demand("a", wanted: 2, [(0, 100_000)])], 200_000).shares == ["a": .rank(2)])
        #expect(shares([demand("a", [])], 200_000).shares.isEmpty)
    }
}

struct ChannelCapacityTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(100 + seconds) }

    /// A connection whose estimate has just fallen.
    private func limited(to estimate: Int, sent: Int) -> ChannelCapacity {
        var capacity = ChannelCapacity()
        capacity.note(estimate: 2 * estimate, sent: sent, now: at(-1))
        capacity.note(estimate: estimate, sent: sent, now: at(0))
        return capacity
    }

    @Test func anEstimateThatFallsBelowWhatIsSentIsALimit() {
        var capacity = ChannelCapacity()
        capacity.note(estimate: 2_000_000, sent: 1_500_000, now: at(0))
        #expect(capacity.available == nil)
        capacity.note(estimate: 1_600_000, sent: 1_500_000, now: at(0.5))
        #expect(capacity.available == nil)
        capacity.note(estimate: 800_000, sent: 1_500_000, now: at(1))
        #expect(capacity.available == 800_000)
        capacity.note(estimate: 850_000, sent: 700_000, now: at(2))
        #expect(capacity.available == 850_000)
    }

    /// Where it is far below what has left by then, and some of that is missing, or it has fallen.
    @Test func anEarlyEstimateMayBeALimit() {
        var capacity = ChannelCapacity()
        func isLimit(_ estimate: Int, _ missing: Int, hasFallen: Bool = false) -> Bool {
            capacity.note(early: estimate, sent: 900_000, missing: missing, hasFallen: hasFallen, now: .zero)
        }
        let (enough, whole) = (isLimit(600_000, 3), isLimit(400_000, 2))
        #expect(!enough && !whole && capacity.limit == nil)
        // What has fallen is of what passes: a little less than is sent is too little then.
        let fits = isLimit(750_000, 0, hasFallen: true)
        #expect(!fits && capacity.limit == nil)
        var other = ChannelCapacity()
        let fallen = other.note(early: 700_000, sent: 900_000, missing: 0, hasFallen: true, now: .zero)
        #expect(fallen && other.limit == 350_000)
        let narrow = isLimit(400_000, 3)
        #expect(narrow && capacity.limit == 200_000 && capacity.isOverrun(sent: 900_000))
        let again = isLimit(300_000, 9)
        #expect(!again && capacity.limit == 200_000)
    }

    @Test func anEstimateThatLagsBehindALargerLayerIsNone() {
        var capacity = ChannelCapacity()
        for (second, estimate) in [240_000, 260_000, 281_000, 303_000].enumerated() {
            capacity.note(estimate: estimate, sent: 1_700_000, now: at(Double(second)))
        }
        #expect(capacity.available == nil)
    }

    /// One that the layer does not pull up says that a queue stands.
    @Test func anEstimateThatStaysBehindIsALimit() {
        var capacity = ChannelCapacity()
        for step in 0..<6 {
            capacity.note(estimate: 425_000 + 3_000 * step, sent: 1_300_000, now: at(0.5 * Double(step)))
            #expect(capacity.available == nil)
        }
        capacity.note(estimate: 440_000, sent: 1_300_000, now: at(3))
        #expect(capacity.available == 440_000)
        capacity.note(estimate: 440_000, sent: 450_000, now: at(3.5))
        capacity.advance(to: at(8), nextCost: 900_000)
        #expect(capacity.available == 900_000)
    }

    @Test func moreIsTriedAfterFiveQuietSeconds() {
        var capacity = limited(to: 300_000, sent: 600_000)
        capacity.advance(to: at(4.9), nextCost: 450_000)
        #expect(capacity.available == 300_000)
        capacity.advance(to: at(5), nextCost: 450_000)
        #expect(capacity.available == 450_000)
        // It goes well: the next step comes at once.
        capacity.note(estimate: 600_000, sent: 450_000, now: at(7))
        capacity.advance(to: at(8), nextCost: 1_700_000)
        #expect(capacity.available == 1_700_000)
        // And when all is sent, and well, there is no limit any more.
        capacity.advance(to: at(11), nextCost: nil)
        #expect(capacity.available == nil)
    }

    @Test func aTryThatFailsDoublesTheWait() {
        var capacity = limited(to: 300_000, sent: 600_000)
        capacity.advance(to: at(5), nextCost: 450_000)
        capacity.note(estimate: 400_000, sent: 440_000, now: at(5.5))
        capacity.note(estimate: 310_000, sent: 440_000, now: at(6))
        #expect(capacity.available == 310_000)
        capacity.advance(to: at(15.9), nextCost: 450_000)
        #expect(capacity.available == 310_000)
        capacity.advance(to: at(16), nextCost: 450_000)
        #expect(capacity.available == 450_000)
    }

    @Test func repetitionsComeBeforeALargerLayerIsTried() {
        var capacity = limited(to: 300_000, sent: 600_000)
        // A little more than is sent at first, slowly more up to twice the limit, then soon what the layer costs, and that for half a
        // second.
        var probed: [Int] = []
        for step in 0...10 {
            capacity.advance(to: at(5 + 0.25 * Double(step)), nextCost: 750_000, sent: 300_000, canProbe: true)
            probed.append(capacity.probedBitrate ?? 0)
            #expect(capacity.available == (probed[step] == 0 ? 750_000 : 300_000))
        }
        #expect(probed == [360_000, 405_000, 455_625, 512_578, 576_650, 648_731, 750_000, 750_000, 0, 0, 0])
    }

    /// Where hardly anything is sent the limit is what is known, and it begins no higher than that either.
    @Test(arguments: [(0, 180_000), (290_000, 348_000), (500_000, 360_000)])
    func aProbeBeginsAboveWhatIsSent(_ sent: Int, _ expected: Int) {
        var capacity = limited(to: 300_000, sent: 600_000)
        capacity.advance(to: at(5), nextCost: 450_000, sent: sent, canProbe: true)
        #expect(capacity.probedBitrate == expected)
    }

    /// It grows by 8 % a second, far below what comes, and a cut to 0.85 of that lowers it by little.
    @Test func anEstimateThatLagsBehindAProbeFallsALittle() {
        var capacity = limited(to: 445_000, sent: 600_000)
        for (step, estimate) in [533_000, 571_000, 618_000].enumerated() {
            capacity.advance(to: at(5 + 0.25 * Double(step)), nextCost: 1_700_000, sent: 445_000, canProbe: true)
            capacity.note(estimate: estimate, sent: 445_000, now: at(5.1 + 0.25 * Double(step)))
        }
        #expect(capacity.probedBitrate != nil)
        capacity.note(estimate: 615_000, sent: 445_000, now: at(5.7))
        #expect(capacity.probedBitrate != nil)
        capacity.note(estimate: 606_000, sent: 445_000, now: at(5.8))
        #expect(capacity.probedBitrate == nil && capacity.limit == 445_000)
    }

    /// A receiver's estimate grows as long as all is well, however far behind it is: one that stays has seen a queue.
    @Test func anEstimateThatStaysBehindAProbeHasSeenAQueue() {
        var capacity = limited(to: 445_000, sent: 600_000)
        func isProbing(_ time: Double, _ estimate: Int) -> Bool {
            capacity.advance(to: at(time), nextCost: 1_700_000, sent: 445_000, canProbe: true)
            capacity.note(estimate: estimate, sent: 445_000, now: at(time + 0.1))
            return capacity.probedBitrate != nil
        }
        // Near what is tried it may be all that it says.
        let near = isProbing(5, 530_000) && isProbing(5.25, 610_000) && isProbing(5.5, 610_000)
        #expect(near && capacity.probedBitrate == 675_843)
        let grown = isProbing(5.75, 615_000)
        #expect(grown && capacity.probedBitrate == 760_324)
        let stays = isProbing(6, 615_000)
        #expect(!stays && capacity.limit == 445_000)
    }

    /// What was tried has come by itself, for its pictures have become smaller: that they went well says nothing of the next larger.
    @Test func aProbeIsOfWhatItBeganFor() {
        var capacity = limited(to: 440_000, sent: 600_000)
        func advance(_ time: Double, _ cost: Int) -> Int? {
            capacity.advance(to: at(time), nextCost: cost, sent: 160_000, canProbe: true)
            return capacity.probedBitrate
        }
        let begun = (advance(5, 450_000), advance(5.25, 455_000))
        #expect(begun.0 == 264_000 && begun.1 == 297_000)
        let larger = [5.5, 6, 7, 8, 9, 10].map { advance($0, 2_400_000) }
        #expect(larger.allSatisfy { $0 == nil } && capacity.limit == 440_000)
        let later = advance(10.5, 2_400_000)
        #expect(later == 264_000)
    }

    /// In steps, each of which is less than a twentieth.
    @Test func anEstimateMayFallInSteps() {
        var capacity = ChannelCapacity()
        for (step, estimate) in [900_000, 870_000, 860_000].enumerated() {
            capacity.note(estimate: estimate, sent: 950_000, now: at(0.2 * Double(step)))
        }
        #expect(capacity.limit == nil)
        capacity.note(estimate: 850_000, sent: 950_000, now: at(0.6))
        #expect(capacity.limit == 850_000)
    }

    /// The viewer keeps what it had.
    @Test func repetitionsThatAreTooMuchCostNoLayer() {
        var capacity = limited(to: 300_000, sent: 600_000)
        capacity.advance(to: at(5), nextCost: 450_000, sent: 290_000, canProbe: true)
        capacity.note(estimate: 280_000, sent: 290_000, now: at(5.5))
        #expect(capacity.available == 300_000)
        #expect(capacity.probedBitrate == nil)
        capacity.advance(to: at(12.9), nextCost: 450_000, sent: 290_000, canProbe: true)
        #expect(capacity.probedBitrate == nil)
        capacity.advance(to: at(13), nextCost: 450_000, sent: 290_000, canProbe: true)
        #expect(capacity.probedBitrate == 348_000)
        // However often it is too much, it is tried again after seven and a half seconds.
        for begin in [13.5, 21.5, 29.5] {
            capacity.note(estimate: 310_000, sent: 290_000, now: at(begin - 0.1))
            capacity.note(estimate: 280_000, sent: 290_000, now: at(begin))
            capacity.advance(to: at(begin + 7.4), nextCost: 450_000, canProbe: true)
            #expect(capacity.probedBitrate == nil)
            capacity.advance(to: at(begin + 7.5), nextCost: 450_000, canProbe: true)
            #expect(capacity.probedBitrate != nil && capacity.available ?? 0 >= 300_000)
        }
    }

    /// The way gets narrow while repetitions are on it. An estimate that falls is of them at first, and no reason to send more;
    /// one that is far below the rest isn't.
    @Test func aWayThatGetsNarrowUnderAProbeIsALimit() {
        var capacity = limited(to: 470_000, sent: 600_000)
        capacity.note(estimate: 1_550_000, sent: 460_000, now: at(4.9))
        let before = capacity.limit
        for step in 0...4 {
            capacity.advance(to: at(5 + 0.25 * Double(step)), nextCost: 1_700_000, sent: 600_000, canProbe: true)
        }
        #expect((capacity.probedBitrate ?? 0) > 1_000_000)
        capacity.note(estimate: 745_000, sent: 460_000, now: at(6.1))
        capacity.note(estimate: 716_000, sent: 460_000, now: at(6.15))
        capacity.note(estimate: 640_000, sent: 460_000, now: at(6.3))
        #expect(capacity.probedBitrate == nil && capacity.limit == before)
        var other = capacity
        capacity.note(estimate: 340_000, sent: 460_000, now: at(6.6))
        #expect(capacity.limit == before)
        capacity.note(estimate: 250_000, sent: 460_000, now: at(6.7))
        #expect(capacity.limit == 250_000)
        // Nor is what is missing a second later.
        other.note(missing: 0.5, sent: 460_000, now: at(6.6))
        #expect(other.limit == before)
        other.note(missing: 0.5, sent: 460_000, now: at(7.2))
        #expect(other.limit == 230_000)
    }

    /// The wish for more ends with what is probed for.
    @Test func nothingIsProbedThatNobodyWants() {
        var capacity = limited(to: 300_000, sent: 600_000)
        capacity.advance(to: at(5), nextCost: 450_000, canProbe: true)
        capacity.advance(to: at(5.5), nextCost: nil, canProbe: true)
        #expect(capacity.probedBitrate == nil && capacity.available == nil)
    }

    @Test func lossAboveATenthIsCongestion() {
        var capacity = ChannelCapacity()
        capacity.note(loss: 0.08, sent: 1_000_000, now: at(0))
        #expect(capacity.available == nil)
        capacity.note(loss: 0.2, sent: 1_000_000, now: at(0))
        #expect(capacity.available == 900_000)
    }

    @Test func anImposedLimitHoldsWhateverIsEstimated() {
        var capacity = limited(to: 500_000, sent: 600_000)
        capacity.imposed = 200_000
        #expect(capacity.available == 200_000)
        capacity.advance(to: at(10), nextCost: 900_000)
        capacity.imposed = nil
        #expect(capacity.available == 500_000)
    }
}
