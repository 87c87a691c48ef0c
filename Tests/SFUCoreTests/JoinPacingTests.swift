import RTCWire
import Testing

@testable import SFUCore

@Suite struct JoinPacingTests {
    private var joining = JoinPacing()

    @Test mutating func whatIsSentIsHeldAgainstEstimatesForASecond() {
        #expect(joining.average(1_000, now: .zero) == nil)
        joining.begin(bytes: 1_000, now: .zero)
        #expect(joining.average(26_000, now: .zero + .milliseconds(190)) == nil, "too little time to know")
        #expect(joining.average(26_000, now: .zero + .milliseconds(250)) == 800_000)
        #expect(joining.average(1_000_000, now: .zero + .milliseconds(1_010)) == nil)
    }

    /// The first pictures of all wait for a key frame: what is known of the way counts from there.
    @Test mutating func whatHasNotBegunIsWaitedFor() {
        joining.begin(bytes: 0, now: .zero)
        joining.note(first: nil)
        #expect(joining.average(0, now: .zero + .milliseconds(900)) == nil)
        #expect(!joining.hasEnded(now: .zero + .seconds(3)))
        joining.note(first: .zero + .seconds(3))
        #expect(joining.average(25_000, now: .zero + .milliseconds(3_100)) == nil)
        #expect(joining.average(25_000, now: .zero + .milliseconds(3_250)) == 800_000)
        #expect(!joining.hasEnded(now: .zero + .milliseconds(3_499)))
        #expect(joining.hasEnded(now: .zero + .milliseconds(3_500)))
        // Once only; and one that was kept came before the pictures were wanted.
        joining.note(first: .zero + .seconds(5))
        #expect(joining.hasEnded(now: .zero + .milliseconds(5_100)))
        joining.begin(bytes: 0, now: .zero + .seconds(6))
        joining.note(first: .zero + .seconds(4))
        #expect(joining.average(25_000, now: .zero + .milliseconds(6_250)) == 800_000)
        #expect(joining.hasEnded(now: .zero + .milliseconds(6_500)))
    }

    /// Their key frames aren't in what the client has said.
    @Test mutating func furtherPicturesBeginAnew() {
        joining.begin(bytes: 0, now: .zero)
        joining.note(first: .zero)
        joining.note(estimate: 300_000)
        joining.note(missing: 2)
        #expect(joining.estimate == 300_000 && joining.missing == 2)
        joining.begin(bytes: 50_000, now: .zero + .milliseconds(300))
        #expect(joining.estimate == nil && joining.missing == 0)
        #expect(joining.average(75_000, now: .zero + .milliseconds(400)) == nil)
        #expect(joining.average(75_000, now: .zero + .milliseconds(550)) == 800_000)
    }

    /// A queue of a key frame drains by itself, where the layers cost less than has been seen to pass.
    @Test mutating func whatFallsIsOfLayersThatCostMore() {
        joining.begin(bytes: 0, now: .zero)
        #expect(!joining.hasFallen(below: 2_400_000))
        for estimate in [1_700_000, 1_860_000, 1_700_000] { joining.note(estimate: estimate) }
        #expect(!joining.hasFallen(below: 2_400_000))
        joining.note(estimate: 1_390_000)
        #expect(joining.hasFallen(below: 2_400_000) && !joining.hasFallen(below: 1_900_000))
        joining.begin(bytes: 50_000, now: .zero + .milliseconds(300))
        joining.note(estimate: 1_390_000)
        #expect(!joining.hasFallen(below: 2_400_000))
    }

    @Test mutating func pacingEndsAfterHalfASecond() {
        #expect(joining.hasEnded(now: .zero))
        joining.begin(bytes: 0, now: .zero)
        joining.note(first: .zero)
        #expect(!joining.hasEnded(now: .zero + .milliseconds(499)))
        #expect(joining.hasEnded(now: .zero + .milliseconds(500)))
    }
}
