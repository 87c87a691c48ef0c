import RTCWire
import Testing

@testable import CallServer

/// How much one client may cause in a while, in virtual time.
@Suite struct MessageGateTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    /// How many of `count` tokens are to be had at a time.
    private func taken(_ bucket: inout TokenBucket, _ count: Int, at milliseconds: Int) -> Int {
        var result = 0
        for _ in 0..<count where bucket.take(now: at(milliseconds)) { result += 1 }
        return result
    }

    @Test func aBucketGivesItsBurstAndThenItsRate() {
        var bucket = TokenBucket(rate: 10, burst: 5)
        let first = taken(&bucket, 9, at: 0)
        let wait = bucket.wait(now: at(0))
        #expect(first == 5 && wait > .zero && wait < .milliseconds(2))
        let rested = taken(&bucket, 9, at: 1_000)
        #expect(rested == 5, "no more than the burst")
        var later = 0
        for step in 0..<1_000 where bucket.take(now: at(2_000 + step * 10)) { later += 1 }
        #expect((100...106).contains(later), "\(later) in ten seconds")
    }

    @Test func whatIsDearIsWaitedFor() {
        var bucket = TokenBucket(rate: 10, burst: 5)
        let dear = bucket.take(25, now: at(0))
        let early = bucket.take(now: at(1_900))
        let wait = bucket.wait(now: at(1_900))
        let late = bucket.take(now: at(2_200))
        #expect(dear && !early && wait > .milliseconds(90) && late)
    }

    @Test func bucketsOfManyAreForgottenWhenFull() {
        var buckets = TokenBuckets<Int>(rate: 1, burst: 2, capacity: 10)
        var served = 0
        for key in 0..<10 where buckets.take(key, now: at(0)) { served += 1 }
        #expect(served == 10)
        let beyond = buckets.take(10, now: at(0))
        #expect(!beyond, "none has rested yet")
        let second = buckets.take(3, now: at(0))
        let third = buckets.take(3, now: at(0))
        #expect(second && !third)
        let later = buckets.take(10, now: at(5_000))
        #expect(later)
    }

    @Test func messagesWaitInOrderAndTheirNumberIsBounded() {
        var gate = MessageGate(rate: 10, burst: 3, capacity: 4)
        var admissions: [MessageGate.Admission] = []
        for index in 0..<9 { admissions.append(gate.admit(.text("\(index)"), now: at(0))) }
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
        let long = gate.admit(.binary([UInt8](repeating: 0, count: 1 << 20)), now: at(0))
        let next = gate.admit(.text(""), now: at(1_000))
        let delay = gate.delay(now: at(1_000))
        #expect(long == .pass && next == .wait && delay > .seconds(1))
    }
}
