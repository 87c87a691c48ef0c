import RTCSim
import RTCWire
import Testing

@testable import RTCCore

private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

/// Calls a mutating method inside an expectation.
private func change<Value, Result>(_ value: inout Value, _ body: (inout Value) -> Result) -> Result { body(&value) }

@Suite struct StreamsLossListTests {
    private func collect(_ list: inout LossList, _ ms: Int, tries: Int = 10) -> [UInt16] {
        var requests: [UInt16] = []
        _ = list.collect(now: at(ms), interval: .milliseconds(50), maximumRequests: tries, into: &requests)
        return requests
    }

    @Test func asksAtOnceAndAgainPerInterval() {
        var list = LossList()
        _ = list.add(10..<13, now: at(0), due: at(0), limit: 100)
        #expect(list.deadline == at(0))
        #expect(collect(&list, 0) == [10, 11, 12])
        #expect(list.deadline == at(50))
        #expect(collect(&list, 49).isEmpty)
        #expect(change(&list) { $0.remove(11) } != nil)
        #expect(collect(&list, 50) == [10, 12])
    }

    /// The first request is said twice or three times; the second keeps its time.
    @Test func saysTheFirstRequestAgain() {
        for (echoes, times) in [(0, [0, 120, 240]), (1, [0, 40, 120, 240]), (2, [0, 20, 60, 120, 240])] {
            var list = LossList()
            func collect(_ ms: Int) -> [UInt16] {
                var requests: [UInt16] = []
                _ = list.collect(
                    now: at(ms), interval: .milliseconds(120), echoes: echoes, maximumRequests: 10, into: &requests)
                return requests
            }
            _ = list.add(10..<12, now: at(0), due: at(0), limit: 100)
            let asked = (0..<300).filter { !collect($0).isEmpty }
            #expect(asked == times)
            #expect(change(&list) { $0.remove(11) }?.requests == UInt8(times.count))
            #expect(collect(359).isEmpty && collect(360) == [10])
        }
    }

    /// Where answers are soon there, or nobody wants it, nothing is said twice; a third time where much is lost.
    @Test func echoesWhereAnAnswerTakesLong() {
        var limits = StreamLimits()
        #expect(limits.echoes(.milliseconds(59), loss: 0.5) == 0 && limits.echoes(.milliseconds(60), loss: 0.05) == 1)
        #expect(limits.echoes(.milliseconds(60), loss: 0.1) == 2)
        limits.leastEchoedNACKInterval = nil
        #expect(limits.echoes(.seconds(1), loss: 0.1) == 0)
    }

    @Test func waitsForReorderedPackets() {
        var list = LossList()
        _ = list.add(1..<3, now: at(0), due: at(8), limit: 100)
        #expect(collect(&list, 7).isEmpty)
        #expect(change(&list) { $0.remove(2) }?.requests == 0)
        #expect(collect(&list, 8) == [1])
    }

    @Test func givesUpAfterSoManyRequests() {
        var list = LossList()
        _ = list.add(1..<2, now: at(0), due: at(0), limit: 100)
        for round in 0..<3 { #expect(collect(&list, round * 50, tries: 3) == [1]) }
        #expect(collect(&list, 150, tries: 3).isEmpty)
        #expect(list.count == 0)
        #expect(list.deadline == .distantFuture)
    }

    @Test func isBoundedAndDropsTheOldest() {
        var list = LossList()
        #expect(change(&list) { $0.add(0..<90, now: at(0), due: at(0), limit: 100) } == 0)
        #expect(change(&list) { $0.add(100..<120, now: at(0), due: at(0), limit: 100) } == 10)
        #expect(list.count == 100)
        #expect(!list.contains(9))
        #expect(list.contains(10))
        #expect(change(&list) { $0.add(1_000..<20_000, now: at(0), due: at(0), limit: 100) } == 19_000)
        #expect(list.count == 100)
        #expect(list.contains(19_999))
    }

    @Test func forgetsWhatAKeyFrameReplaces() {
        var list = LossList()
        _ = list.add(0..<10, now: at(0), due: at(0), limit: 100)
        list.removeAll(before: 7)
        #expect(collect(&list, 0) == [7, 8, 9])
        list.removeAll(before: 100)
        #expect(list.deadline == .distantFuture)
    }
}

@Suite struct StreamsReceiveWindowTests {
    @Test func placesPackets() {
        var window = ReceiveWindow()
        #expect(change(&window) { $0.insert(100) } == .newest(missing: 0))
        #expect(change(&window) { $0.insert(101) } == .newest(missing: 0))
        #expect(change(&window) { $0.insert(105) } == .newest(missing: 3))
        #expect(change(&window) { $0.insert(103) } == .late)
        #expect(change(&window) { $0.insert(103) } == .duplicate)
        #expect(change(&window) { $0.insert(101) } == .duplicate)
        #expect(change(&window) { $0.insert(99) } == .late)
    }

    @Test func forgetsOnlyWhatIsOld() {
        var window = ReceiveWindow()
        _ = window.insert(0)
        _ = window.insert(2_047)
        #expect(change(&window) { $0.insert(0) } == .duplicate)
        #expect(change(&window) { $0.insert(1) } == .late)
        _ = window.insert(2_048)
        #expect(change(&window) { $0.insert(0) } == .tooOld)
        _ = window.insert(1_000_000)
        #expect(change(&window) { $0.insert(999_999) } == .late)
        #expect(change(&window) { $0.insert(999_999 - 2_048) } == .tooOld)
    }

    @Test func agreesWithASet() {
        var window = ReceiveWindow()
        var seen: Set<Int64> = []
        var state: UInt64 = 99
        var base: Int64 = 0
        for _ in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            base += Int64(state >> 60) / 8
            let sequence = base + Int64(state >> 33 & 127)
            let placement = window.insert(sequence)
            #expect((placement == .duplicate) == seen.contains(sequence))
            seen.insert(sequence)
        }
    }
}

@Suite struct StreamsTimingTests {
    @Test func reorderDelayLearnsAndForgets() {
        var delay = ReorderDelay()
        #expect(delay.current == .zero)
        delay.observe(.milliseconds(7), maximum: .milliseconds(20))
        #expect(delay.current == .milliseconds(8))
        delay.observe(.milliseconds(90), maximum: .milliseconds(20))
        #expect(delay.current == .milliseconds(20))
        for _ in 0..<64 { delay.decay() }
        #expect(delay.current == .milliseconds(10))
        for _ in 0..<1_000 { delay.decay() }
        #expect(delay.current == .zero)
    }

    @Test func keyFramesAreAskedForAtOnceAndThenPerInterval() {
        var throttle = KeyFrameThrottle()
        let interval = Interval.milliseconds(500)
        #expect(change(&throttle) { $0.request(now: at(0), interval: interval) })
        #expect(!change(&throttle) { $0.request(now: at(100), interval: interval) })
        #expect(!change(&throttle) { $0.request(now: at(200), interval: interval) })
        #expect(throttle.deadline == at(500))
        #expect(!change(&throttle) { $0.takeDue(now: at(499)) })
        #expect(change(&throttle) { $0.takeDue(now: at(500)) })
        #expect(!change(&throttle) { $0.takeDue(now: at(600)) })
        #expect(!change(&throttle) { $0.request(now: at(700), interval: interval) })
        throttle.satisfy()
        #expect(throttle.deadline == .distantFuture)
        #expect(!change(&throttle) { $0.takeDue(now: at(5_000)) })
        #expect(change(&throttle) { $0.request(now: at(5_000), interval: interval) })
    }

    @Test func roundTripIsSmoothed() {
        var trip = RoundTripTime()
        #expect(trip.timeout(initial: .milliseconds(100)) == .milliseconds(100))
        trip.measure(.milliseconds(40))
        #expect(trip.smoothed == .milliseconds(40))
        trip.measure(.milliseconds(-5))
        trip.measure(.seconds(90))
        #expect(trip.smoothed == .milliseconds(40))
        for _ in 0..<100 { trip.measure(.milliseconds(80)) }
        #expect((78...80).contains(trip.smoothed?.milliseconds ?? 0))
        #expect(trip.timeout(initial: .zero) < .milliseconds(90))
    }

    /// A queue is told from a longer way by its end: what lasts is the way.
    @Test func aQueueMakesRoundTripsLonger() {
        var trip = RoundTripTime()
        #expect(!trip.isQueued)
        for _ in 0..<20 { trip.measure(.milliseconds(40)) }
        for _ in 0..<20 { trip.measure(.milliseconds(90)) }
        #expect(!trip.isQueued)
        for _ in 0..<20 { trip.measure(.milliseconds(240)) }
        #expect(trip.isQueued)
        for _ in 0..<300 { trip.measure(.milliseconds(240)) }
        #expect(!trip.isQueued)
        for _ in 0..<20 { trip.measure(.milliseconds(40)) }
        for _ in 0..<20 { trip.measure(.milliseconds(240)) }
        #expect(trip.isQueued)
    }

    @Test func ntpTime() {
        var clock = NTPClock()
        clock.offset = .seconds(3_900_000_000)
        let ntp = clock.timestamp(at(1_500))
        #expect(ntp >> 32 == 3_900_000_001)
        #expect(ntp & 0xffff_ffff == 0x8000_0000)
        #expect(clock.timestamp(Instant(nanoseconds: .min)) == 0)
        // 6.18 fixed point of ...001.5 s modulo 64 s.
        #expect(clock.absoluteSendTime(at(1_500)) == UInt32((3_900_000_001 % 64) << 18 | 1 << 17))
        #expect(Interval.milliseconds(1_500).dlsr == 0x0001_8000)
        #expect(Interval(dlsr: 0x0001_8000) == .milliseconds(1_500))
        #expect(Interval.milliseconds(-1).dlsr == 0)
    }

    @Test func roundTripOfForwardedReports() {
        var log = SenderReportLog()
        #expect(log.roundTripTime(lastReport: 0, delay: 0, arrival: at(9)) == nil)
        // The NTP time is another machine's and has nothing to do with our time line.
        log.record(ntp: 0x1234_5678_9abc_def0, sent: at(1_000))
        let trip = log.roundTripTime(
            lastReport: 0x5678_9abc, delay: Interval.milliseconds(300).dlsr, arrival: at(1_350))
        #expect(abs((trip?.milliseconds ?? 0) - 50) < 0.1)
        #expect(log.roundTripTime(lastReport: 0x5678_9abd, delay: 0, arrival: at(1_350)) == nil)
        for step in 0..<8 { log.record(ntp: UInt64(step + 1) << 16, sent: at(2_000)) }
        #expect(log.roundTripTime(lastReport: 0x5678_9abc, delay: 0, arrival: at(2_350)) == nil)
        #expect(log.roundTripTime(lastReport: 8, delay: .max, arrival: at(2_350)) == .zero)
    }

    @Test func arrivalStatisticsFollowRFC3550() {
        var arrivals = ArrivalStatistics()
        // Every fourth packet is lost; the rest comes 20 ms apart with 4 ms of alternating jitter.
        for index in 0..<400 where index % 4 != 3 {
            arrivals.count(
                sequence: 65_000 + Int64(index), timestamp: UInt32(truncatingIfNeeded: index * 960) &- 5_000,
                arrival: at(index * 20 + (index % 2) * 4), clockRate: 48_000)
        }
        #expect(arrivals.expected == 399)
        #expect(arrivals.cumulativeLost == 99)
        #expect(change(&arrivals) { $0.takeFractionLost() } == 63)
        #expect(change(&arrivals) { $0.takeFractionLost() } == 0)
        #expect(arrivals.extendedHighest == 65_398)
        #expect((0.002...0.004).contains(arrivals.jitterSeconds(clockRate: 48_000)))
    }
}

@Suite struct StreamsPacketCacheTests {
    @Test func keepsTheLatestAndSpacesRepetitions() {
        let cache = PacketCache(packets: 60, slotSize: 100)
        for sequence in 0..<UInt16(200) {
            withUnsafeBytes(of: sequence) { cache.store($0, sequence: sequence, now: at(Int(sequence))) }
        }
        func take(_ sequence: UInt16, _ ms: Int) -> Bool {
            cache.take(sequence, now: at(ms), age: .seconds(3), spacing: .milliseconds(30)) != nil
        }
        #expect(!take(135, 200))
        #expect(take(136, 200))
        #expect(!take(136, 229))
        #expect(take(136, 230))
        #expect(!take(200, 230))
        #expect(take(199, 3_199))
        #expect(!take(198, 3_199))
        let bytes = cache.take(150, now: at(200), age: .seconds(3), spacing: .zero)
        #expect(bytes?.loadUnaligned(as: UInt16.self) == 150)
    }

    /// What a slow stream keeps is little; a fast one's ring grows until a second of it has a place, and no further than so many
    /// packets need.
    @Test(arguments: [(perSecond: 10, least: 8 * 1024, most: 12 * 1024), (60, 50_000, 75_000), (300, 250_000, 350_000)])
    func aRingIsAsLargeAsTheStreamNeeds(perSecond: Int, least: Int, most: Int) {
        let cache = PacketCache(packets: 512, slotSize: 1200)
        let packet = [UInt8](repeating: 7, count: 900)
        for number in 0..<(perSecond * 20) {
            packet.withUnsafeBytes {
                cache.store($0, sequence: UInt16(number), now: at(number * 1000 / perSecond))
            }
        }
        #expect((least...most).contains(cache.capacity))
        let last = UInt16(perSecond * 20 - 1)
        let reach = UInt16(min(perSecond * 9 / 10, 9))
        #expect(cache.take(last - reach, now: at(20_000), age: .seconds(3), spacing: .zero)?.count == 900)
    }

    /// Whatever comes, a packet that is handed out is the one that was handed in, and the latest ones are there.
    @Test(arguments: 0..<8) func whatIsHandedOutWasHandedIn(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let cache = PacketCache(packets: 32, slotSize: 700)
        var model: [UInt16: UInt8] = [:]
        var sequence = UInt16(65_500)
        for step in 0..<3_000 {
            // Some numbers are left out, and some come again with other bytes.
            sequence &+= UInt16.random(in: 0...2, using: &random)
            let fill = UInt8(truncatingIfNeeded: step)
            let count = Int.random(in: 1...700, using: &random)
            [UInt8](repeating: fill, count: count).withUnsafeBytes {
                cache.store($0, sequence: sequence, now: at(step * Int.random(in: 1...3, using: &random)))
            }
            model[sequence] = fill
            let latest = cache.take(sequence, now: at(step * 3), age: .seconds(60), spacing: .zero)
            #expect(latest?.count == count && latest?.allSatisfy { $0 == fill } == true)
            let other = sequence &- UInt16.random(in: 0..<40, using: &random)
            if let bytes = cache.take(other, now: at(step * 3), age: .seconds(60), spacing: .zero) {
                #expect(bytes.allSatisfy { $0 == model[other] })
            }
        }
        #expect(cache.capacity <= 33 * 700)
    }

    /// A key frame that leaves at once has its place, and not twice that.
    @Test func aBurstHasItsPlaceOnce() {
        let cache = PacketCache(packets: 512, slotSize: 1200)
        for number in 0..<UInt16(600) {
            let isInBurst = number % 30 < 20
            [UInt8](repeating: 7, count: isInBurst ? 1000 : 100).withUnsafeBytes {
                cache.store(
                    $0, sequence: number, now: at(Int(number) / 30 * 500 + (isInBurst ? 0 : Int(number) % 30 * 10)))
            }
            if number >= 22 { cache.release(number - 22) }
        }
        #expect((20_000...30_000).contains(cache.capacity), "\(cache.capacity)")
    }

    /// Of a key frame every two seconds nothing is left a second later, where the other side tells that it has come.
    @Test func whatABurstHasTakenIsGivenBack() {
        let cache = PacketCache(packets: 512, slotSize: 1200)
        var number: UInt16 = 0
        var sizes: [Int] = []
        func store(_ bytes: Int, _ ms: Int) {
            [UInt8](repeating: UInt8(number & 255), count: bytes).withUnsafeBytes {
                cache.store($0, sequence: number, now: at(ms))
            }
            number += 1
        }
        for ms in stride(from: 0, to: 6_000, by: 33) {
            let count = ms % 2_000 < 33 ? 25 : 2
            for _ in 0..<count { store(1_000, ms) }
            sizes.append(cache.capacity)
            // A tenth of a second later.
            if number > 31 { for old in (number - 31)..<(number - 6) { cache.release(old) } }
            for kept in (number - 2)..<number {
                let bytes = cache.take(kept, now: at(ms), age: .seconds(3), spacing: .zero)
                #expect(bytes?.count == 1_000 && bytes?.allSatisfy { $0 == UInt8(kept & 255) } == true)
            }
        }
        #expect((25_000...40_000).contains(sizes.max() ?? 0))
        // 33 ms each: from a second after a burst until the next one.
        #expect(sizes[92..<122].allSatisfy { $0 <= 13_000 }, "\(sizes.map { $0 })")
    }

    /// What is known to have come is given up, and its place is taken by what follows: a tenth of a second instead of a whole one.
    @Test func whatHasComeIsGivenUp() {
        let cache = PacketCache(packets: 512, slotSize: 1200)
        let packet = [UInt8](repeating: 7, count: 900)
        for number in 0..<UInt16(6000) {
            packet.withUnsafeBytes { cache.store($0, sequence: number, now: at(Int(number) * 10)) }
            if number >= 10 { cache.release(number - 10) }
        }
        #expect(cache.capacity <= 16 * 1024)
        func take(_ sequence: UInt16) -> Bool {
            cache.take(sequence, now: at(60_000), age: .seconds(3), spacing: .zero) != nil
        }
        #expect((5990..<6000).allSatisfy(take) && !(5900..<5990).contains(where: take))
        // Of other packets than those that are kept nothing is given up.
        cache.release(5990 &- 512)
        cache.release(5995 &+ 32_768)
        #expect((5990..<6000).allSatisfy(take))
    }

    @Test func refusesWhatDoesNotFit() {
        let cache = PacketCache(packets: 4, slotSize: 8)
        [UInt8](repeating: 1, count: 9).withUnsafeBytes { cache.store($0, sequence: 1, now: at(0)) }
        #expect(cache.take(1, now: at(0), age: .seconds(3), spacing: .zero) == nil)
    }
}
