import RTCWire
import Testing

@testable import RTCSim

@Suite struct NetworkModelTests {
    private func deliveries(
        _ conditions: NetworkConditions, seed: UInt64 = 1, count: Int = 20_000, every: Interval = .milliseconds(5)
    ) -> (model: NetworkModel, list: [(sent: Instant, delivery: NetworkModel.Delivery)]) {
        var model = NetworkModel(conditions, seed: seed)
        var list: [(sent: Instant, delivery: NetworkModel.Delivery)] = []
        for index in 0..<count {
            let now = Instant.zero + every * index
            list.append((now, model.transmit(length: 1000, at: now)))
        }
        return (model, list)
    }

    @Test func aPerfectPathDeliversAtOnce() {
        let (model, list) = deliveries(NetworkConditions(), count: 100)
        #expect(list.allSatisfy { $0.delivery == NetworkModel.Delivery(first: $0.sent) })
        #expect(model.statistics.lost == 0)
    }

    @Test(arguments: [0.01, 0.05, 0.3]) func lossIsAsFrequentAsSaid(_ loss: Double) {
        let (model, _) = deliveries(NetworkConditions(delay: .zero, loss: loss))
        let measured = Double(model.statistics.lost) / Double(model.statistics.offered)
        #expect(abs(measured - loss) < 0.01)
    }

    @Test func delayAndJitterStayInBoundsAndKeepOrder() {
        let (_, list) = deliveries(NetworkConditions(delay: .milliseconds(20), jitter: .milliseconds(40)))
        var last = Instant.zero
        var total = 0.0
        for (sent, delivery) in list {
            guard let first = delivery.first else { continue }
            #expect(first - sent >= .milliseconds(20))
            #expect(first - sent <= .milliseconds(60))
            #expect(first >= last)
            last = first
            total += (first - sent).milliseconds
        }
        #expect((35...55).contains(total / Double(list.count)))
    }

    @Test func burstsLoseRunsOfDatagrams() {
        var conditions = NetworkConditions()
        conditions.bursts = .init(meanGood: .milliseconds(900), meanBad: .milliseconds(100))
        let (model, list) = deliveries(conditions)
        let share = Double(model.statistics.lost) / Double(model.statistics.offered)
        #expect((0.06...0.14).contains(share))
        var runs = 0
        for index in 1..<list.count where list[index].delivery.first == nil && list[index - 1].delivery.first != nil {
            runs += 1
        }
        // 100 ms hold twenty datagrams: far fewer runs than losses.
        #expect(runs * 8 < model.statistics.lost)
    }

    @Test func theWeatherIsTheSameWhateverTheTraffic() {
        var conditions = NetworkConditions()
        conditions.bursts = .init(meanGood: .milliseconds(500), meanBad: .milliseconds(200))
        let dense = deliveries(conditions, count: 4_000, every: .milliseconds(5)).list
        let sparse = deliveries(conditions, count: 1_000, every: .milliseconds(20)).list
        for (index, item) in sparse.enumerated() {
            #expect(dense[index * 4].delivery == item.delivery)
        }
    }

    @Test func theSameSeedGivesTheSameRun() {
        let conditions = NetworkConditions(delay: .milliseconds(10), jitter: .milliseconds(30), loss: 0.1)
        let one = deliveries(conditions, seed: 7, count: 500).list.map(\.delivery)
        let two = deliveries(conditions, seed: 7, count: 500).list.map(\.delivery)
        let other = deliveries(conditions, seed: 8, count: 500).list.map(\.delivery)
        #expect(one == two)
        #expect(one != other)
    }

    @Test func duplicationAndReordering() {
        var conditions = NetworkConditions(delay: .milliseconds(10))
        conditions.duplication = 0.2
        conditions.reordering = 0.1
        let (model, list) = deliveries(conditions)
        #expect((3_400...4_600).contains(model.statistics.duplicated))
        #expect((1_600...2_400).contains(model.statistics.reordered))
        #expect(list.contains { $0.delivery.duplicate != nil })
        #expect(list.contains { ($0.delivery.first ?? $0.sent) - $0.sent == .milliseconds(20) })
    }

    @Test func aSlowLinkQueuesAndThenDrops() {
        var conditions = NetworkConditions()
        conditions.rate = 1_000_000
        conditions.queue = .milliseconds(100)
        // Twice what passes: 1,028 bytes each 4.112 ms.
        let (model, list) = deliveries(conditions, count: 2_000, every: .microseconds(4_112))
        let passed = list.compactMap(\.delivery.first)
        #expect((950...1_050).contains(passed.count - 12))
        #expect(model.statistics.overflowed > 900)
        #expect(list.allSatisfy { ($0.delivery.first ?? $0.sent) - $0.sent <= .milliseconds(110) })
    }

    @Test func nothingPassesInABlackout() {
        var conditions = NetworkConditions()
        let start = Instant.zero + .seconds(2)
        conditions.blackouts = [start..<(start + .seconds(3))]
        let (_, list) = deliveries(conditions, count: 2_000)
        for (sent, delivery) in list {
            #expect((delivery.first == nil) == (sent >= start && sent < start + .seconds(3)))
        }
    }
}

@Suite struct EventQueueTests {
    @Test func comesOutInOrderOfTimeThenOfEntry() {
        var queue = EventQueue<Int>()
        var generator = SeededGenerator(seed: 3)
        var expected: [(Int64, Int)] = []
        for index in 0..<500 {
            let time = Int64(generator.next() % 50)
            queue.add(index, at: Instant(nanoseconds: time))
            expected.append((time, index))
        }
        expected.sort { $0 < $1 }
        var seen: [Int] = []
        while let item = queue.pop(by: .distantFuture) { seen.append(item.element) }
        #expect(seen == expected.map(\.1))
        #expect(queue.isEmpty)
    }

    @Test func keepsWhatIsNotDue() {
        var queue = EventQueue<Int>()
        queue.add(1, at: Instant(nanoseconds: 10))
        let early = queue.pop(by: Instant(nanoseconds: 9))
        #expect(early == nil)
        #expect(queue.next == Instant(nanoseconds: 10))
        let due = queue.pop(by: Instant(nanoseconds: 10))
        #expect(due?.element == 1)
    }

    @Test func exponentialHasItsMean() {
        var generator = SeededGenerator(seed: 11)
        var sum = 0.0
        for _ in 0..<50_000 { sum += generator.exponential(mean: 3) }
        #expect(abs(sum / 50_000 - 3) < 0.1)
    }
}
