import RTCWire
import Testing

@testable import RTCCore

/// Fragments of one message find each other, RFC 9260 section 6.9.
@Suite struct FragmentRunsTests {
    private var runs = FragmentRuns()

    /// The fragments of one message from `tsn` on.
    private func message(_ tsn: Int64, _ count: Int, stream: UInt16 = 0, sequence: UInt16 = 0) -> [(Int64, DataChunk)] {
        (0..<count).map { (index: Int) -> (Int64, DataChunk) in
            let number = tsn + Int64(index)
            let chunk = DataChunk.test(
                UInt32(number), stream: stream, sequence: sequence, size: 10 + index, isBeginning: index == 0,
                isEnd: index == count - 1)
            return (number, chunk)
        }
    }

    @Test mutating func runsJoinWhereTheyMeet() {
        let parts = message(10, 5)
        _ = runs.add(parts[0].1, tsn: 10)
        let tail = runs.add(parts[3].1, tsn: 13)
        #expect(tail.first == 13 && tail.last == 13 && tail.count == 1 && tail.bytes == 13)
        _ = runs.add(parts[4].1, tsn: 14)
        let head = runs.add(parts[1].1, tsn: 11)
        #expect(head.first == 10 && head.last == 11 && !runs.isWhole(head))
        let all = runs.add(parts[2].1, tsn: 12)
        #expect(all.first == 10 && all.last == 14 && all.count == 5 && all.bytes == 60 && runs.isWhole(all))
        #expect(runs.take(all).map(\.payload.count) == [10, 11, 12, 13, 14] && runs.streams.isEmpty)
        #expect(runs.take(all).isEmpty)
    }

    @Test mutating func aWholeMessageNeedsBothEnds() {
        let middle = runs.add(.test(stream: 1, isBeginning: false, isEnd: false), tsn: 5)
        #expect(!runs.isWhole(middle))
        let end = runs.add(.test(stream: 1, isBeginning: false), tsn: 6)
        #expect(end.count == 2 && !runs.isWhole(end))
        let single = runs.add(.test(stream: 1, sequence: 1), tsn: 8)
        #expect(runs.isWhole(single) && single.count == 1)
    }

    /// Consecutive TSNs of different messages stay apart.
    @Test mutating func neighboursStayApart() {
        _ = runs.add(.test(stream: 1, sequence: 0, isEnd: false), tsn: 1)
        #expect(runs.add(.test(stream: 1, sequence: 1, isBeginning: false), tsn: 2).count == 1)
        #expect(runs.add(.test(stream: 2, sequence: 1, isBeginning: false), tsn: 3).count == 1)
        _ = runs.add(.test(stream: 3, isUnordered: true, isEnd: false), tsn: 10)
        #expect(runs.add(.test(stream: 3, isBeginning: false), tsn: 11).count == 1)
        // A beginning continues nothing, an end is continued by nothing.
        _ = runs.add(.test(stream: 4, isEnd: false), tsn: 20)
        #expect(runs.add(.test(stream: 4, isEnd: false), tsn: 21).count == 1)
        _ = runs.add(.test(stream: 5), tsn: 30)
        #expect(runs.add(.test(stream: 5, isBeginning: false), tsn: 31).count == 1)
    }

    /// Unordered fragments carry no sequence number that counts.
    @Test mutating func anUnorderedMessageIgnoresItsNumber() {
        _ = runs.add(.test(stream: 1, sequence: 7, isUnordered: true, isEnd: false), tsn: 1)
        let run = runs.add(.test(stream: 1, sequence: 9, isUnordered: true, isBeginning: false), tsn: 2)
        #expect(run.count == 2 && runs.isWhole(run))
    }

    @Test mutating func whatWasAbandonedIsDropped() {
        for (tsn, chunk) in message(10, 4).dropLast() + message(20, 4, sequence: 1).dropLast() {
            _ = runs.add(chunk, tsn: tsn)
        }
        #expect(runs.removeAll(upTo: 9).isEmpty)
        let dropped = runs.removeAll(upTo: 10)
        // All of the message goes, though only its beginning was named.
        #expect(dropped.map(\.first) == [10] && dropped.map(\.count) == [3])
        #expect(runs.removeAll(upTo: 10).isEmpty)
        #expect(runs.removeAll(upTo: 1000).map(\.first) == [20] && runs.streams.isEmpty)
    }

    @Test mutating func aStreamIsDroppedAlone() {
        for (tsn, chunk) in message(10, 3, stream: 1).dropLast() + message(20, 3, stream: 2).dropLast() {
            _ = runs.add(chunk, tsn: tsn)
        }
        #expect(Set(runs.streams) == [1, 2])
        #expect(runs.removeAll(of: 1).map(\.bytes) == [21])
        #expect(runs.streams == [2] && runs.removeAll(of: 1).isEmpty && runs.removeAll(of: 9).isEmpty)
        // The TSNs may be used again, by another message.
        #expect(runs.add(.test(stream: 1, isBeginning: false), tsn: 12).count == 1)
    }
}

@Suite struct OrderedStreamTests {
    private var stream = OrderedStream()

    private func message(_ number: UInt8, fragments: Int = 1) -> OrderedStream.Waiting {
        .init(message: .init(stream: 0, protocolID: 53, payload: [number]), fragments: fragments)
    }

    private mutating func add(_ sequence: UInt16) -> [UInt8] {
        stream.add(message(UInt8(truncatingIfNeeded: sequence)), sequence: sequence).flatMap(\.message.payload)
    }

    private mutating func skip(_ sequence: UInt16) -> [UInt8] { stream.skip(to: sequence).flatMap(\.message.payload) }

    @Test mutating func messagesWaitForTheirTurn() {
        #expect(add(2) == [] && add(1) == [] && stream.held.count == 2)
        #expect(add(0) == [0, 1, 2] && stream.held.isEmpty && add(3) == [3])
    }

    @Test mutating func whatHasBeenDeliveredIsNotExpected() {
        _ = add(0)
        _ = add(5)
        #expect(!stream.expects(0) && !stream.expects(5) && stream.expects(1) && stream.expects(6))
        // Half a circle ahead is behind.
        #expect(stream.expects(1 + 0x7fff) && !stream.expects(1 + 0x8000))
    }

    @Test mutating func numbersWrap() {
        #expect(skip(32_000).isEmpty && skip(64_000).isEmpty && skip(65_534).isEmpty)
        #expect(add(0) == [] && add(65_535) == [255, 0] && add(1) == [1])
    }

    /// RFC 3758 section 3.6: up to there nothing is waited for, and what is here is delivered.
    @Test mutating func skippingDeliversWhatIsHere() {
        for sequence: UInt16 in [1, 3, 6] { #expect(add(sequence) == []) }
        #expect(skip(2) == [1, 3])
        #expect(add(4) == [4] && skip(2) == [] && add(5) == [5, 6])
    }

    /// A skip far ahead looks at what is held, and keeps the order.
    @Test mutating func skippingFarKeepsTheOrder() {
        for sequence: UInt16 in [900, 30, 600, 5] { _ = add(sequence) }
        #expect(skip(1000) == [5, 30, 88, 132])
        #expect(stream.held.isEmpty && !stream.expects(1000) && stream.expects(1001))
    }
}
