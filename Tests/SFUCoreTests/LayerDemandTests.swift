import RTCWire
import Testing

@testable import SFUCore

struct LayerDemandTests {
    private let start = Instant.zero + .seconds(100)

    @Test func moreIsToldAtOnceAndLessAfterFiveSeconds() {
        var demand = LayerDemand()
        #expect(demand.update(1, now: start) == 1)
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
        var demand = LayerDemand()
        #expect(demand.update(2, now: start) == 2)
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
