import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// What a receiver makes of packets that say when they left, over a simulated bottleneck.
@Suite struct ReceiverEstimatorTests {
    /// A sender of 1,000-byte packets at some rate, and the estimator behind its way.
    private final class Way {
        var network: NetworkModel
        var estimator = ReceiverEstimator()
        /// In bit/s, of payload.
        var rate: Double
        private(set) var told: [(at: Double, bitrate: Int, sources: [UInt32])] = []
        private(set) var queues: [Double] = []
        var clockShift = Interval.zero
        var ssrc: UInt32 = 7
        private var now = Instant.zero + .seconds(100)
        private var owed = 0.0
        private var arriving: [(at: Instant, time: UInt32)] = []

        init(capacity: Int?, rate: Double, seed: UInt64 = 1, jitter: Double = 3, queue: Double = 2) {
            var conditions = NetworkConditions(delay: .milliseconds(30), jitter: .seconds(jitter / 1000))
            conditions.rate = capacity
            conditions.queue = .seconds(queue)
            network = NetworkModel(conditions, seed: seed)
            self.rate = rate
        }

        var standingDelay: Interval? { estimator.standingDelay(now: now) }

        func run(_ seconds: Double) {
            for _ in 0..<Int(seconds * 200) { step() }
        }

        private func step() {
            now += .milliseconds(5)
            owed += rate / 8 * 0.005
            var clock = NTPClock()
            clock.offset = .seconds(3_950_000_000) + clockShift
            while owed >= 1000 {
                owed -= 1000
                if let at = network.transmit(length: 1040, at: now).first {
                    arriving.append((at, clock.absoluteSendTime(now)))
                }
            }
            queues.append(network.queueDelay(at: now).milliseconds)
            while let first = arriving.first, first.at <= now {
                arriving.removeFirst()
                estimator.add(
                    sendTime: first.time, ssrc: ssrc, size: 1000, arrival: first.at, roundTrip: .milliseconds(60),
                    now: now)
                tell()
            }
        }

        private func tell() {
            guard estimator.deadline <= now, let estimate = estimator.takeEstimate(now: now) else { return }
            told.append(((now - .zero).seconds - 100, estimate.bitrate, estimate.sources))
        }

        /// The sender does as it is told.
        func follow(_ seconds: Double) {
            for _ in 0..<Int(seconds * 20) {
                run(0.05)
                if let bitrate = estimator.bitrate { rate = Double(bitrate) }
            }
        }
    }

    /// On a way that carries more, the estimate is between what comes and one and a half times of it.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aClearWayBearsWhatComes(seed: UInt64) throws {
        let way = Way(capacity: nil, rate: 600_000, seed: seed)
        way.run(20)
        let first = try #require(way.told.first)
        #expect(first.at < 0.6)
        for told in way.told where told.at > 2 { #expect(told.bitrate > 500_000 && told.bitrate < 960_000) }
        #expect(try #require(way.told.last).bitrate > 800_000)
        #expect(way.told.allSatisfy { $0.sources == [7] })
    }

    /// Every 200 ms to a second, for a twentieth of the rate.
    @Test(arguments: [(20_000.0, 0.3, 0.85), (100_000, 0.2, 0.4), (2_000_000, 0.2, 0.22)])
    func estimatesAreToldForATwentiethOfTheRate(rate: Double, least: Double, most: Double) {
        let way = Way(capacity: nil, rate: rate)
        way.run(20)
        let gaps = zip(way.told, way.told.dropFirst()).map { $1.at - $0.at }.dropFirst(5)
        #expect(gaps.count > 5 && gaps.allSatisfy { $0 >= min(least, 0.2) - 0.001 && $0 <= most })
        #expect(gaps.reduce(0, +) / Double(gaps.count) >= least - 0.001)
    }

    /// A way that carries less than is sent is told of within half a second, at once and not by the clock.
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func aQueueIsToldOfAtOnce(seed: UInt64) throws {
        let way = Way(capacity: 2_000_000, rate: 800_000, seed: seed)
        way.run(10)
        way.network.conditions.rate = 500_000
        way.run(1.5)
        let before = try #require(way.told.last { $0.at < 10 })
        let fall = try #require(way.told.first { $0.at > 10 && Double($0.bitrate) < 0.95 * Double(before.bitrate) })
        #expect(fall.at < 10.5)
        // The second that is measured has some of what came before; up to half is held back while a queue of nearly a second stands.
        let last = try #require(way.told.last)
        #expect(last.bitrate < 520_000 && last.bitrate > 180_000)
    }

    /// A way that becomes narrow before a queue of 200 ms. Of 500 kbit/s it fills in 0.3 s, and what passes is told by then:
    /// whatever came in the second before counts no more. Of 1.5 Mbit/s in 50 ms: it has no slope afterwards, and takes 200 to show.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64], [(500_000.0, 10.35), (1_500_000, 10.45)])
    func aShortQueueTellsWhatPasses(seed: UInt64, sent: (rate: Double, known: Double)) throws {
        let way = Way(capacity: 2_000_000, rate: sent.rate, seed: seed, queue: 0.2)
        way.run(10)
        way.network.conditions.rate = 300_000
        way.run(0.6)
        let fall = try #require(way.told.first { $0.at > 10 && $0.bitrate < 350_000 })
        #expect(fall.at < sent.known)
        #expect(way.told.filter { $0.at > 10 }.allSatisfy { $0.bitrate > 120_000 })
    }

    /// A join: a queue that fills within the first half second is a limit before twenty groups of packets have a slope.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func aQueueThatStandsIsToldOfSoon(seed: UInt64) throws {
        let way = Way(capacity: 2_000_000, rate: 2_600_000, seed: seed, queue: 0.2)
        way.run(1.2)
        let fall = try #require(way.told.first { $0.bitrate < 1_600_000 })
        #expect(fall.at < 0.9)
        #expect(way.told.filter { $0.at > 0.9 }.allSatisfy { $0.bitrate > 900_000 && $0.bitrate < 1_700_000 })
    }

    /// Whoever asks for repetitions adds what they wait for; nothing waits on a way that has room.
    @Test(arguments: [1, 2, 3] as [UInt64]) func whatWaitsIsKnown(seed: UInt64) throws {
        let way = Way(capacity: 2_000_000, rate: 800_000, seed: seed, queue: 0.2)
        way.run(5)
        #expect(way.standingDelay == nil)
        way.network.conditions.rate = 400_000
        way.run(1)
        #expect((100...260).contains(try #require(way.standingDelay).milliseconds))
        way.rate = 100_000
        way.run(2)
        #expect(way.standingDelay == nil)
        way.rate = 800_000
        way.run(1)
        #expect(way.standingDelay != nil)
        // Half a second after the last packet it says nothing.
        way.rate = 0
        way.run(1)
        #expect(way.standingDelay == nil)
    }

    /// Another route, 150 ms longer, is no queue: delays stay as they are though less is sent.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aLongerWayIsNoQueue(seed: UInt64) throws {
        let way = Way(capacity: 5_000_000, rate: 500_000, seed: seed)
        way.follow(10)
        way.rate = min(way.rate, 1_000_000)
        way.network.conditions.delay = .milliseconds(180)
        way.follow(12)
        let before = try #require(way.told.last { $0.at <= 10 }).bitrate
        let least = try #require(way.told.filter { $0.at > 10 }.map(\.bitrate).min())
        let last = try #require(way.told.last).bitrate
        print("150 ms longer, seed \(seed): \(before), then \(least) bit/s at least, \(last) after 12 s")
        #expect(least > before / 3 && last > before * 4 / 5)
    }

    /// What else took the way has gone: the estimate is what comes, at once and not by 8 % a second.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aCutForOthersIsUndone(seed: UInt64) throws {
        let way = Way(capacity: 1_000_000, rate: 400_000, seed: seed, queue: 0.2)
        way.run(10)
        way.network.conditions.rate = 60_000
        way.run(1)
        #expect(try #require(way.told.last).bitrate < 120_000)
        way.network.conditions.rate = 1_000_000
        way.run(2)
        #expect(try #require(way.told.last).bitrate > 330_000)
    }

    /// What was held up comes at once afterwards: nothing is known of the way.
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func aPauseIsNoNarrowWay(seed: UInt64) throws {
        let way = Way(capacity: 20_000_000, rate: 1_500_000, seed: seed, queue: 2)
        way.run(10)
        for _ in 0..<5 {
            way.network.conditions.rate = 1_000
            way.run(0.2)
            way.network.conditions.rate = 20_000_000
            way.run(2)
        }
        #expect(way.told.filter { $0.at > 10 }.allSatisfy { $0.bitrate > 900_000 })
    }

    @Test(arguments: [(300_000, UInt64(1)), (1_000_000, 2), (3_000_000, 3)])
    func whoFollowsFillsTheWayWithoutAQueue(capacity: Int, seed: UInt64) {
        let way = Way(capacity: capacity, rate: 200_000, seed: seed)
        way.follow(60)
        let late = way.told.filter { $0.at > 40 }.map { Double($0.bitrate) }
        let mean = late.reduce(0, +) / Double(late.count)
        let queue = way.queues.suffix(4000).sorted()[3800]
        print("\(capacity) bit/s: estimate \(Int(mean)), queue \(queue) ms (95 %)")
        #expect(mean > 0.7 * Double(capacity) && mean < 1.02 * Double(capacity))
        #expect(queue < 100)
    }

    /// Two megabits, 300 kbit/s, one megabit: from 5 s after the step down and 15 s after the step up the estimate is what
    /// passes, and no queue is left, however long the one is that the step filled.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64], [0.2, 0.6, 2])
    func stepsAreFollowed(seed: UInt64, longest: Double) {
        let way = Way(
            capacity: 2_000_000, rate: 500_000, seed: seed, jitter: seed % 2 == 0 ? 8 : 2, queue: longest)
        way.follow(30)
        way.network.conditions.rate = 300_000
        way.follow(25)
        way.network.conditions.rate = 1_000_000
        way.follow(40)
        for (capacity, from, to) in [(300_000.0, 35.0, 55.0), (1_000_000, 70, 95)] {
            let shares = way.told.filter { $0.at >= from && $0.at < to }.map { Double($0.bitrate) / capacity }
            let mean = shares.reduce(0, +) / Double(max(shares.count, 1))
            let queues = way.queues[Int(from * 200)..<Int(to * 200)].sorted()
            let queue = queues[queues.count * 95 / 100]
            print(
                "\(Int(capacity)) bit/s, seed \(seed), at most \(longest) s: \(percent(shares.min())) to",
                "\(percent(shares.max())), mean \(percent(mean)), queue \(Int(queue)) ms")
            #expect(shares.count > 15 && mean > 0.65 && mean < 1.05)
            #expect(queue < 100)
        }
    }

    private func percent(_ share: Double?) -> String { share.map { "\(Int(100 * $0)) %" } ?? "-" }

    /// The clock of send times comes round every 64 s: nothing is seen of that.
    @Test func sendTimesThatComeRoundAreNoLimit() throws {
        let way = Way(capacity: nil, rate: 300_000)
        way.run(140)
        let low = way.told.filter { $0.at > 3 }.map(\.bitrate).min()
        #expect(try #require(low) > 290_000)
    }

    /// Who sets its clock is not taken for a way that has become slow.
    @Test(arguments: [-20, -5, 5, 20]) func aClockThatJumpsIsNoQueue(seconds: Int) throws {
        let way = Way(capacity: nil, rate: 500_000)
        way.run(10)
        way.clockShift = .seconds(seconds)
        way.run(10)
        #expect(try #require(way.told.filter { $0.at > 3 }.map(\.bitrate).min()) > 480_000)
        // And a queue is noticed as before.
        way.network.conditions.rate = 300_000
        way.run(2)
        #expect(try #require(way.told.last).bitrate < 400_000)
    }

    @Test func sourcesThatAreSilentAreNotNamed() throws {
        let way = Way(capacity: nil, rate: 300_000)
        way.run(1)
        way.ssrc = 8
        way.run(1)
        #expect(Set(try #require(way.told.last).sources) == [7, 8])
        way.run(3)
        #expect(try #require(way.told.last).sources == [8])
    }

    @Test func nothingIsToldWhereNothingComes() {
        var estimator = ReceiverEstimator()
        #expect(estimator.deadline == .distantFuture && estimator.bitrate == nil)
        let early = estimator.takeEstimate(now: .zero)
        #expect(early == nil)
        estimator.add(sendTime: 5, ssrc: 1, size: 100, arrival: .zero, roundTrip: nil, now: .zero)
        #expect(estimator.deadline == .distantFuture && estimator.bitrate == nil)
    }

    /// Whatever a sender writes there: an estimate stays within its bounds, and nothing traps.
    @Test func arbitrarySendTimesDoNoHarm() {
        var draws = SeededGenerator(seed: 5)
        var estimator = ReceiverEstimator()
        var now = Instant.zero
        for _ in 0..<20_000 {
            now += .microseconds(Int.random(in: 0...20_000, using: &draws))
            let late = Interval.milliseconds(Int.random(in: 0...50, using: &draws))
            estimator.add(
                sendTime: .random(in: 0 ... .max, using: &draws), ssrc: .random(in: 0...200, using: &draws),
                size: .random(in: 0...1500, using: &draws), arrival: now - late, roundTrip: nil, now: now)
            if estimator.deadline <= now, let told = estimator.takeEstimate(now: now) {
                #expect(told.bitrate >= 10_000 && told.bitrate <= 100_000_000 && told.sources.count <= 64)
            }
        }
    }
}

@Suite struct ReceiverEstimatorPartTests {
    /// Arrivals are what the other side says, on a clock of which nothing is known.
    @Test(arguments: [1, 2, 3] as [UInt64]) func arbitraryArrivalsDoNoHarm(seed: UInt64) {
        var draws = SeededGenerator(seed: seed)
        var estimator = ReceiverEstimator()
        var now = Instant.zero
        for _ in 0..<20_000 {
            now += .microseconds(Int.random(in: 0...20_000, using: &draws))
            let span: Int64 = [1_000_000, 1_000_000_000, .max].randomElement(using: &draws) ?? 1
            estimator.add(
                sent: now - .milliseconds(Int.random(in: 0...500, using: &draws)),
                size: .random(in: 0...1500, using: &draws),
                arrival: Instant(nanoseconds: .random(in: -span...span, using: &draws)), roundTrip: nil, now: now)
            guard let bitrate = estimator.bitrate else { continue }
            #expect((10_000...100_000_000).contains(bitrate))
        }
    }

    @Test func sendTimesAreUnwrapped() {
        var unwrapper = SendTimeUnwrapper()
        let first = unwrapper.unwrap(0xff_ff00)
        // To the nanosecond, which 128 of 2^18 of a second are not.
        let (later, between) = (unwrapper.unwrap(0x00_0100) - first, unwrapper.unwrap(0xff_ff80) - first)
        #expect(abs(later.nanoseconds - 1_953_125) < 2 && abs(between.nanoseconds - 488_281) < 2)
        // Bits above the twenty-fourth mean nothing.
        let same = unwrapper.unwrap(0xabff_ff00)
        #expect(same == first)
    }

    @Test func whatComesIsMeasuredOverASecond() throws {
        var rate = ReceivedRate()
        for step in 0..<10 {
            rate.add(500, arrival: .zero + .milliseconds(step * 10))
            #expect(rate.bitrate == nil)
        }
        for step in 10..<200 { rate.add(500, arrival: .zero + .milliseconds(step * 10)) }
        #expect(abs(try #require(rate.bitrate) - 400_000) < 25_000)
        for step in 200..<320 { rate.add(1000, arrival: .zero + .milliseconds(step * 10)) }
        #expect(abs(try #require(rate.bitrate) - 800_000) < 50_000)
        // After a silence only what comes then counts; what is late is left out.
        rate.add(1000, arrival: .zero + .seconds(10))
        rate.add(1_000_000, arrival: .zero + .seconds(8))
        #expect(try #require(rate.bitrate) < 20_000)
    }
}
