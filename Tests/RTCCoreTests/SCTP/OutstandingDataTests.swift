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
}

/// What a SACK brings, RFC 9260 sections 6.2.1 and 6.3.
@Suite struct AcknowledgementTests {
    private var data = OutstandingData(initialTSN: 10)

    private mutating func send(_ count: Int, at now: Int = 0, size: Int = 100) {
        for _ in 0..<count {
            let fragment = SendQueue.Fragment(
                message: data.nextTSN, chunk: .test(sequence: UInt16(truncatingIfNeeded: data.nextTSN), size: size),
                maximumRetransmissions: nil, expiry: nil)
            _ = data.send(fragment, now: .at(now))
        }
    }

    private mutating func sack(
        _ tsn: UInt32, _ gaps: [ClosedRange<UInt16>] = [], at now: Int = 100
    ) -> OutstandingData.Acknowledgement? { data.acknowledge(.test(tsn, gaps), now: .at(now)) }

    @Test mutating func nothingIsOutstanding() {
        #expect(data.isEmpty && data.flight == 0 && data.nextTSN == 10 && data.cumulative == 9 && !data.mustSkip)
        let empty = sack(9)
        #expect(empty?.hasAdvanced == false && empty?.hasNew == false && empty?.bytes == 0)
        #expect(sack(10) == nil)
    }

    @Test mutating func tsnsAreGivenInOrder() {
        send(3)
        #expect(data.nextTSN == 13 && data.flight == 300 && !data.isEmpty)
    }

    @Test mutating func theCumulativeTSNSettlesAllBelow() {
        send(4)
        let result = sack(12)
        #expect(result?.hasAdvanced == true && result?.hasNew == true && result?.bytes == 300)
        #expect(data.cumulative == 12 && data.flight == 100)
        #expect(sack(13)?.bytes == 100 && data.isEmpty && data.flight == 0)
    }

    @Test mutating func aGapBlockSettlesItsOwn() {
        send(5)
        let result = sack(9, [2...3])
        #expect(result?.hasAdvanced == false && result?.hasNew == true && result?.bytes == 200 && data.flight == 300)
        // Told again it is nothing new; told of more, only that.
        #expect(sack(9, [2...3])?.hasNew == false)
        #expect(sack(9, [2...4])?.bytes == 100)
        #expect(sack(10, [1...3])?.bytes == 100 && data.cumulative == 10)
        #expect(sack(14)?.bytes == 100 && data.isEmpty)
    }

    /// Blocks that overlap, descend, touch the cumulative TSN or reach beyond what was sent are a liar's.
    @Test(arguments: [(1, 1), (3, 2), (2, 9), (0, 0), (2, 60_000)])
    mutating func aLiarsBlockSettlesNothing(start: UInt16, end: UInt16) {
        send(5)
        let sack = SackChunk(cumulativeTSN: 9, receiverWindow: 1000, gapBlocks: [.init(start: start, end: end)])
        #expect(data.acknowledge(sack, now: .at(1))?.bytes == 0 && data.flight == 500)
    }

    @Test mutating func blocksBehindALieAreNotBelieved() {
        send(9)
        #expect(sack(9, [3...4, 4...5, 7...7])?.bytes == 200)
        #expect(sack(9, [7...7, 3...5])?.bytes == 100)
    }

    @Test mutating func aRoundTripIsMeasuredOnceAFlight() {
        send(3, at: 0)
        #expect(sack(10, at: 80)?.roundTrip == .milliseconds(80))
        // The others left before that measurement ended.
        #expect(sack(12, at: 300)?.roundTrip == nil)
        send(1, at: 400)
        #expect(sack(13, at: 450)?.roundTrip == .milliseconds(50))
    }

    @Test mutating func aGapMeasuresToo() {
        send(3, at: 0)
        #expect(sack(9, [2...2], at: 60)?.roundTrip == .milliseconds(60))
    }

    /// The receiver may take back what it reported in a gap block, section 6.2: it is sent again in the end.
    @Test mutating func whatWasTakenBackIsSentAgain() {
        send(2)
        #expect(sack(9, [2...2])?.bytes == 100)
        #expect(sack(10)?.hasAdvanced == true)
        data.loseAll()
        #expect(data.lostCount == 1 && data.resend(room: 1000, now: .at(500))?.tsn == 11)
    }

    @Test mutating func aLateAnswerSavesWhatWasThoughtLost() {
        send(3)
        data.loseAll()
        #expect(data.lostCount == 3 && data.flight == 0)
        #expect(sack(11)?.bytes == 200 && data.lostCount == 1)
        #expect(data.resend(room: 1000, now: .at(200))?.tsn == 12 && data.flight == 100)
    }

    @Test mutating func aSmallPacketWaitsForTheNextOne() {
        send(2)
        data.loseAll()
        #expect(data.resend(room: 99, now: .at(1)) == nil && data.lostCount == 2)
        #expect(data.resend(room: 100, now: .at(1))?.tsn == 10)
    }

    @Test mutating func tsnsWrap() {
        data = OutstandingData(initialTSN: 0xffff_fffe)
        send(4)
        #expect(sack(0xffff_ffff, [2...2])?.bytes == 300 && data.nextTSN == 0x1_0000_0002)
        #expect(sack(1)?.bytes == 100 && data.isEmpty)
    }

    /// The third argument of FORWARD TSN: unordered messages have no sequence number to skip to (RFC 3758 section 3.2).
    @Test mutating func unorderedMessagesAreSkippedWithoutANumber() {
        for isUnordered in [true, false, true] {
            let fragment = SendQueue.Fragment(
                message: data.nextTSN, chunk: .test(stream: 4, sequence: 3, isUnordered: isUnordered),
                maximumRetransmissions: 0, expiry: nil)
            _ = data.send(fragment, now: .at(0))
        }
        data.loseAll()
        #expect(data.abandonExhausted(.at(1)) == nil && data.advancePoint == 12 && data.mustSkip)
        #expect(
            data.skip(room: 1000)
                == ForwardTSNChunk(newCumulativeTSN: 12, skipped: [.init(stream: 4, streamSequence: 3)]))
    }

    /// Skipping stops before what still may arrive.
    @Test mutating func theAdvancePointWaitsForWhatIsInFlight() {
        for retransmissions in [0, nil, 0] as [Int?] {
            let fragment = SendQueue.Fragment(
                message: data.nextTSN, chunk: .test(), maximumRetransmissions: retransmissions, expiry: nil)
            _ = data.send(fragment, now: .at(0))
        }
        data.loseAll()
        _ = data.abandonExhausted(.at(1))
        #expect(data.advancePoint == 10 && data.lostCount == 1)
        #expect(data.resend(room: 1000, now: .at(1))?.tsn == 11)
        #expect(sack(11) != nil && data.advancePoint == 12 && data.mustSkip)
    }

    @Test mutating func withoutForwardTSNNothingIsGivenUp() {
        data = OutstandingData(initialTSN: 10, canAbandon: false)
        let fragment = SendQueue.Fragment(
            message: 1, chunk: .test(), maximumRetransmissions: 0, expiry: .at(5))
        _ = data.send(fragment, now: .at(0))
        data.loseAll()
        #expect(data.abandonExhausted(.at(100)) == nil && data.lostCount == 1 && !data.mustSkip)
        #expect(data.resend(room: 100, now: .at(100))?.tsn == 10)
    }
}
