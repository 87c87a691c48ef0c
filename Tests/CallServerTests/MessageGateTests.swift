import RTCWire
import Testing

@testable import CallServer

/// How much one client may cause in a while, in virtual time.
@Suite struct MessageGateTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test func aBucketGivesItsBurstAndThenItsRate() {
        var bucket = TokenBucket(rate: 10, burst: 5)
        #expect((0..<9).count { _ in bucket.take(now: at(0)) } == 5)
        #expect(bucket.wait(now: at(0)) > .zero && bucket.wait(now: at(0)) < .milliseconds(2))
        #expect((0..<9).count { _ in bucket.take(now: at(1_000)) } == 5, "no more than the burst")
        var taken = 0
        for step in 0..<1_000 where bucket.take(now: at(2_000 + step * 10)) { taken += 1 }
        #expect((100...106).contains(taken), "\(taken) in ten seconds")
    }

    @Test func whatIsDearIsWaitedFor() {
        var bucket = TokenBucket(rate: 10, burst: 5)
        #expect(bucket.take(25, now: at(0)) && !bucket.take(now: at(1_900)))
        #expect(bucket.wait(now: at(1_900)) > .milliseconds(90))
        #expect(bucket.take(now: at(2_200)))
    }

    @Test func bucketsOfManyAreForgottenWhenFull() {
        var buckets = TokenBuckets<Int>(rate: 1, burst: 2, capacity: 10)
        for key in 0..<10 { #expect(buckets.take(key, now: at(0))) }
        #expect(!buckets.take(10, now: at(0)), "none has rested yet")
        #expect(buckets.take(3, now: at(0)) && !buckets.take(3, now: at(0)))
        #expect(buckets.take(10, now: at(5_000)))
    }

    @Test func messagesWaitInOrderAndTheirNumberIsBounded() {
        var gate = MessageGate(rate: 10, burst: 3, capacity: 4)
        let admissions = (0..<9).map { gate.admit(.text("\($0)"), now: at(0)) }
        // Each costs a token and a little for its bytes, which makes the debt that the third leaves.
        #expect(admissions.prefix(3).allSatisfy { $0 == .pass } && gate.isHolding)
        #expect(admissions.filter { $0 == .wait }.count == 4 && admissions.last == .overflow)
        var texts: [String] = []
        for step in 1...20 {
            while case .text(let text)? = gate.next(now: at(step * 100)) { texts.append(text) }
        }
        #expect(texts == ["3", "4", "5", "6"] && !gate.isHolding)
    }

    @Test func longMessagesCountAsSeveral() {
        var gate = MessageGate(rate: 100, burst: 300, capacity: 10)
        #expect(gate.admit(.binary([UInt8](repeating: 0, count: 1 << 20)), now: at(0)) == .pass)
        #expect(gate.admit(.text(""), now: at(1_000)) == .wait)
        #expect(gate.delay(now: at(1_000)) > .seconds(1))
    }
}
