import RTCWire
import Testing

@testable import RTCCore

@Suite struct FIFOTests {
    @Test func elementsLeaveInOrder() {
        var queue = FIFO<Int>()
        #expect(queue.isEmpty && queue.first == nil && queue.removeFirst() == nil)
        for number in 0..<5 { queue.append(number) }
        #expect(queue.count == 5 && queue.first == 0)
        #expect((0..<5).map { _ in queue.removeFirst() } == [0, 1, 2, 3, 4])
        #expect(queue.isEmpty && queue.removeFirst() == nil)
    }

    /// Positions count from the front, also after the storage has been moved together.
    @Test func positionsCountFromTheFront() {
        var queue = FIFO<Int>()
        for number in 0..<100 { queue.append(number) }
        for removed in 1...90 {
            queue.removeFirst()
            #expect(queue.count == 100 - removed && queue.first == removed)
            #expect(queue.at(0) == removed && queue.at(99 - removed) == 99)
            #expect(queue.at(100 - removed) == nil && queue.at(-1) == nil)
        }
    }

    @Test func anElementChangesInPlace() {
        var queue = FIFO<Int>()
        for number in 0..<3 { queue.append(number) }
        queue.removeFirst()
        #expect(
            queue.update(1) {
                $0 *= 10; return $0
            } == 20)
        #expect(queue.at(1) == 20 && queue.at(0) == 1)
        #expect(queue.update(2) { $0 += 1 } == nil && queue.update(-1) { $0 += 1 } == nil)
    }

    @Test func itEmpties() {
        var queue = FIFO<Int>()
        for number in 0..<50 { queue.append(number) }
        for _ in 0..<20 { queue.removeFirst() }
        queue.removeAll()
        #expect(queue.isEmpty && queue.at(0) == nil)
        queue.append(7)
        #expect(queue.first == 7 && queue.count == 1)
    }
}

@Suite struct HeapTests {
    @Test func theLeastComesFirst() {
        var heap = Heap<Int>()
        var random = CryptoTestRandom(3)
        let numbers = (0..<500).map { _ in Int(random.next() % 100) }
        for number in numbers { heap.insert(number) }
        #expect(heap.least == numbers.min() && heap.count == 500)
        var taken: [Int] = []
        while let number = heap.removeLeast() { taken.append(number) }
        #expect(taken == numbers.sorted() && heap.least == nil)
    }

    /// Insertions and removals in any order, against a sorted array.
    @Test(arguments: 1...10 as ClosedRange<UInt64>) func mixedWork(_ seed: UInt64) {
        var heap = Heap<Int>()
        var model: [Int] = []
        var random = CryptoTestRandom(seed)
        for _ in 0..<300 {
            if random.next() % 3 == 0 {
                #expect(heap.removeLeast() == (model.isEmpty ? nil : model.removeFirst()))
            } else {
                let number = Int(random.next() % 50)
                heap.insert(number)
                model.append(number)
                model.sort()
            }
            #expect(heap.count == model.count && heap.least == model.first)
        }
        heap.removeAll()
        #expect(heap.count == 0 && heap.removeLeast() == nil)
    }
}

@Suite struct LostChunksTests {
    @Test func theEarliestIsSentAgainFirst() {
        var lost = LostChunks()
        for tsn: Int64 in [9, 3, 7] { lost.add(tsn) }
        #expect(lost.first == 3)
        lost.removeFirst()
        #expect(lost.first == 7)
        lost.removeResendable()
        #expect(lost.first == nil)
    }

    @Test func expiryComesInItsOwnTime() {
        var lost = LostChunks()
        lost.add(1, expiring: .at(300))
        lost.add(2, expiring: .at(100))
        lost.add(3, expiring: .at(200))
        #expect(lost.takeExhausted(.at(99)) == nil)
        #expect(lost.takeExhausted(.at(200)) == 2 && lost.takeExhausted(.at(200)) == 3)
        #expect(lost.takeExhausted(.at(200)) == nil && lost.takeExhausted(.at(300)) == 1)
    }

    /// What has no tries left waits for no time.
    @Test func whatMayNotBeSentAgainIsGivenUpAtOnce() {
        var lost = LostChunks()
        lost.add(1, expiring: .at(100))
        lost.addExhausted(5)
        #expect(lost.takeExhausted(.at(0)) == 5 && lost.takeExhausted(.at(0)) == nil)
        // Finding all of them leaves the expiries: each is judged when its time comes.
        lost.removeResendable()
        #expect(lost.takeExhausted(.at(100)) == 1)
    }
}

/// Fast retransmission, RFC 9260 section 7.2.4: three reports that something sent later has arrived.
@Suite struct LossDetectorTests {
    private func sent(_ tsns: ClosedRange<Int64>) -> LossDetector {
        var detector = LossDetector()
        for tsn in tsns { _ = detector.sent(tsn) }
        return detector
    }

    private func lost(_ detector: LossDetector) -> [Int64] {
        (0..<detector.transmissions.count).compactMap { detector.transmissions.at($0) }.filter(detector.isLost)
            .map(\.tsn)
    }

    @Test func positionsAscend() {
        var detector = sent(10...12)
        #expect(detector.lastOrder == 3 && detector.sent(10) == 4)
        #expect((0..<4).map { detector.transmissions.at($0)?.tsn } == [10, 11, 12, 10])
    }

    @Test func threeReportsMakeALoss() {
        var detector = sent(1...6)
        detector.acknowledged(newest: 2)
        detector.acknowledged(newest: 3)
        #expect(lost(detector).isEmpty)
        detector.acknowledged(newest: 4)
        #expect(lost(detector) == [1])
        detector.acknowledged(newest: 6)
        #expect(lost(detector) == [1, 2])
    }

    /// Reports that come out of order count by what they report.
    @Test(arguments: [[4, 3, 2], [2, 4, 3], [3, 2, 4], [2, 3, 4]] as [[Int64]])
    func theOrderOfReportsIsNothing(_ reports: [Int64]) {
        var detector = sent(1...6)
        for report in reports { detector.acknowledged(newest: report) }
        #expect(lost(detector) == [1])
    }

    /// A chunk that was sent again is judged by its latest transmission.
    @Test func aRetransmissionBeginsAnew() {
        var detector = sent(1...5)
        for order: Int64 in 2...4 { detector.acknowledged(newest: order) }
        let again = detector.sent(1)
        #expect(again == 6)
        detector.removeFirst()
        #expect(lost(detector).isEmpty)
        for tsn: Int64 in 6...8 { detector.acknowledged(newest: detector.sent(tsn)) }
        #expect(lost(detector).contains(1))
    }
}
