import RTCWire
import Testing

@testable import RTCCore

@Suite struct OutstandingDataTests {
    private let now = Instant.zero + .seconds(1)

    private func fragment(
        _ message: Int64, stream: UInt16 = 0, size: Int = 10, isUnordered: Bool = false, retransmissions: Int? = nil,
        expiry: Instant? = nil, isBeginning: Bool = true, isEnd: Bool = true
    ) -> SendQueue.Fragment {
        SendQueue.Fragment(
            message: message,
            chunk: DataChunk(
                tsn: 0, stream: stream, streamSequence: UInt16(truncatingIfNeeded: message), protocolID: 53,
                payload: [UInt8](repeating: 1, count: size), isUnordered: isUnordered, isBeginning: isBeginning,
                isEnd: isEnd),
            maximumRetransmissions: retransmissions, expiry: expiry)
    }

    private func sent(_ count: Int, retransmissions: Int? = nil) -> OutstandingData {
        var data = OutstandingData(initialTSN: 1)
        for number in 1...count { _ = data.send(fragment(Int64(number), retransmissions: retransmissions), now: now) }
        return data
    }

    private func sack(_ cumulative: UInt32, _ gaps: [ClosedRange<UInt16>] = []) -> SackChunk {
        SackChunk(
            cumulativeTSN: cumulative, receiverWindow: 1 << 20,
            gapBlocks: gaps.map { .init(start: $0.lowerBound, end: $0.upperBound) })
    }

    private func resent(_ data: inout OutstandingData) -> [UInt32] {
        var tsns: [UInt32] = []
        while let chunk = data.resend(room: 2000, now: now) { tsns.append(chunk.tsn) }
        return tsns
    }

    @Test func threeReportsMakeALoss() {
        var data = sent(10)
        #expect(data.acknowledge(sack(0, [2...2]), now: now)?.hasLoss == false)
        #expect(data.acknowledge(sack(0, [2...3]), now: now)?.hasLoss == false)
        // What says nothing new is no report.
        #expect(data.acknowledge(sack(0, [2...3]), now: now)?.hasLoss == false)
        #expect(data.acknowledge(sack(0, [2...4]), now: now)?.hasLoss == true)
        #expect(data.lostCount == 1 && data.flight == 60)
        #expect(resent(&data) == [1])
        #expect(data.lostCount == 0 && data.flight == 70)
    }

    /// A chunk that was sent again is judged by what was sent after that.
    @Test func whatWasSentAgainIsLostAgain() {
        var data = sent(10)
        for end: UInt16 in 2...4 { _ = data.acknowledge(sack(0, [2...end]), now: now) }
        #expect(resent(&data) == [1])
        for end: UInt16 in 5...10 { #expect(data.acknowledge(sack(0, [2...end]), now: now)?.hasLoss == false) }
        for number: Int64 in 11...14 { _ = data.send(fragment(number), now: now) }
        for end: UInt16 in 11...12 { #expect(data.acknowledge(sack(0, [2...end]), now: now)?.hasLoss == false) }
        #expect(data.acknowledge(sack(0, [2...13]), now: now)?.hasLoss == true)
        #expect(resent(&data) == [1])
    }

    @Test func lostChunksGoOutInOrder() {
        var data = sent(20)
        data.loseAll()
        #expect(data.flight == 0 && data.lostCount == 20)
        #expect(data.acknowledge(sack(2, [3...5, 8...8]), now: now)?.bytes == 60)
        #expect(resent(&data) == [3, 4, 8, 9] + Array(11...20))
    }

    @Test func whatMayNotBeSentAgainIsGivenUp() {
        var data = sent(6, retransmissions: 0)
        for end: UInt16 in 3...5 { _ = data.acknowledge(sack(0, [3...end]), now: now) }
        #expect(data.abandonExhausted(now) == nil)
        #expect(data.lostCount == 0 && data.advancePoint == 2 && resent(&data).isEmpty)
        let skip = data.skip(room: 1000)
        #expect(skip.newCumulativeTSN == 2 && skip.skipped == [.init(stream: 0, streamSequence: 2)])
        _ = data.acknowledge(sack(5), now: now)
        #expect(!data.mustSkip && data.skip(room: 1000).skipped.isEmpty)
    }

    @Test func whatRunsOutOfTimeWhileItWaitsIsGivenUp() {
        var data = OutstandingData(initialTSN: 1)
        let expiry = now + .milliseconds(100)
        _ = data.send(fragment(1, expiry: expiry, isEnd: false), now: now)
        _ = data.send(fragment(1, expiry: expiry, isBeginning: false), now: now)
        _ = data.send(fragment(2), now: now)
        data.loseAll()
        #expect(data.abandonExhausted(now + .milliseconds(99)) == nil && data.lostCount == 3)
        #expect(data.abandonExhausted(expiry) == nil && data.lostCount == 1 && data.advancePoint == 2)
        #expect(resent(&data) == [3])
    }

    @Test func aMessageWhosePartsWaitIsNamed() {
        var data = OutstandingData(initialTSN: 1)
        _ = data.send(fragment(7, stream: 4, retransmissions: 0, isEnd: false), now: now)
        data.loseAll()
        #expect(data.abandonExhausted(now) == .init(message: 7, stream: 4))
    }

    /// More streams than a packet can name are skipped in several steps.
    @Test func skippingNamesAsManyStreamsAsFit() {
        var data = OutstandingData(initialTSN: 1)
        for number: Int64 in 1...30 {
            _ = data.send(fragment(number, stream: UInt16(number), retransmissions: 0), now: now)
        }
        data.loseAll()
        _ = data.abandonExhausted(now)
        let part = data.skip(room: ForwardTSNChunk.fixedLength + 40)
        #expect(part.newCumulativeTSN == 10 && part.skipped.count == 10)
        _ = data.acknowledge(sack(10), now: now)
        #expect(data.skip(room: 1000).skipped.count == 20)
    }

    /// The first chunk stays lost while the other side reports each of the next ones: every event is looked at once.
    @Test func workIsThatOfWhatIsNew() {
        let count = 8000
        var data = sent(count)
        for end in 2...count {
            _ = data.acknowledge(sack(0, [2...UInt16(end)]), now: now)
            _ = data.resend(room: 0, now: now)
            _ = data.abandonExhausted(now)
        }
        #expect(data.flight == 0 && data.lostCount == 1)
        #expect(data.steps < 20 * count, "\(data.steps) steps for \(count) chunks")
    }

    /// Every second chunk is missing, and each SACK says so anew.
    @Test func repeatedReportsCostTheirBlocks() {
        let count = 2000
        var data = sent(count)
        let gaps = stride(from: UInt16(2), through: 500, by: 2).map { $0...$0 }
        for _ in 0..<3 { _ = data.acknowledge(sack(0, gaps), now: now) }
        let before = data.steps
        for _ in 0..<1000 { _ = data.acknowledge(sack(0, gaps), now: now) }
        #expect(data.steps - before <= 1000 * (3 * gaps.count + 4))
    }

    @Test func whatIsOutstandingIsBounded() {
        let data = sent(OutstandingData.limit)
        #expect(!data.hasRoom && sent(OutstandingData.limit - 1).hasRoom)
        #expect(!data.isEmpty)
    }

    @Test func theHeapGivesTheLeastFirst() {
        var heap = Heap<Int>()
        var random = CryptoTestRandom(3)
        let numbers = (0..<500).map { _ in Int(random.next() % 100) }
        for number in numbers { heap.insert(number) }
        #expect(heap.least == numbers.min() && heap.count == 500)
        var taken: [Int] = []
        while let number = heap.removeLeast() { taken.append(number) }
        #expect(taken == numbers.sorted() && heap.least == nil)
    }
}
