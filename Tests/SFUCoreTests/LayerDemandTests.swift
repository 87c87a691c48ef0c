import RTCWire
import Testing

@testable import SFUCore

struct LayerDemandTests {
    private let start = Instant.zero + .seconds(100)

    /// One whose publisher has been told of `rank` just now.
    private func settled(at rank: Int) -> LayerDemand {
        var demand = LayerDemand()
        let before = start - LayerDemand.settlingTime
        #expect(demand.update(rank, now: before) == nil)
        #expect(demand.advance(to: start) == rank)
        return demand
    }

    /// A client that has not heard yet that its track is published could make nothing of it.
    @Test func theFirstWordWaitsUntilTheClientKnowsTheTrack() {
        var demand = LayerDemand()
        #expect(demand.update(LayerDemand.nobody, now: start) == nil && demand.deadline == start + .seconds(5))
        #expect(demand.update(0, now: start + .seconds(1)) == nil)
        #expect(demand.update(1, now: start + .milliseconds(1400)) == nil)
        #expect(demand.deadline == start + .milliseconds(1500) && demand.effective == 2)
        #expect(demand.advance(to: start + .milliseconds(1500)) == 1 && demand.deadline == nil)
    }

    @Test func moreIsToldAtOnceAndLessAfterFiveSeconds() {
        var demand = settled(at: 1)
        #expect(demand.update(2, now: start) == 2)
        #expect(demand.update(2, now: start) == nil && demand.deadline == nil)
        #expect(demand.update(0, now: start) == nil && demand.deadline == start + .seconds(5))
        // Still less doesn't begin the wait anew, and what is told is what is wanted then.
        #expect(demand.update(LayerDemand.nobody, now: start + .seconds(3)) == nil)
        #expect(demand.advance(to: start + .milliseconds(4999)) == nil)
        #expect(demand.advance(to: start + .seconds(5)) == LayerDemand.nobody)
        #expect(demand.advance(to: start + .seconds(50)) == nil && demand.effective == LayerDemand.nobody)
        #expect(demand.update(0, now: start + .seconds(60)) == 0)
    }

    @Test func whoComesBackInTimeIsNotNoticed() {
        var demand = settled(at: 2)
        #expect(demand.update(LayerDemand.nobody, now: start) == nil)
        #expect(demand.update(2, now: start + .seconds(4)) == nil && demand.deadline == nil)
        #expect(demand.advance(to: start + .seconds(9)) == nil && demand.announced == 2)
    }

    @Test func aTrackThatNobodyEverWantedIsTurnedOff() {
        var demand = LayerDemand()
        #expect(demand.effective == 2)
        #expect(demand.update(LayerDemand.nobody, now: start) == nil)
        #expect(demand.advance(to: start + .seconds(5)) == LayerDemand.nobody)
    }
}
