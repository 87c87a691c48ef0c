import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import SFUCore

/// What the pacer of each subscriber does for those behind a narrow way. What is printed stands in docs/congestion.md.
@Suite struct PacedDownlinkTests {
    /// One layer, of pictures that have a key frame like a scene's change every two seconds.
    private static let scenes = [Downlink.Layer(rid: nil, bitrate: 700_000, keyFrameBytes: 40_000)]

    private static func downlink(
        rate: Int, isPaced: Bool, seed: UInt64, cameras: Int = 1, keyFrames: Double? = nil
    ) throws -> Downlink {
        let downlink = try Downlink(rate: rate, isPaced: isPaced, seed: seed)
        downlink.addMicrophone()
        for index in 0..<cameras { downlink.addCamera(scenes, keyFrames: keyFrames, phase: 0.004 * Double(index)) }
        return downlink
    }

    /// Over 1.2 Mbit/s a key frame of 40 kB is a quarter of a second of queue, for sound behind it too.
    @Test(arguments: [1, 2, 3] as [UInt64]) func soundDoesNotWaitBehindKeyFrames(seed: UInt64) throws {
        var delays: [Bool: (sound: Double, queue: Double, picture: Double)] = [:]
        for isPaced in [false, true] {
            let downlink = try Self.downlink(rate: 1_200_000, isPaced: isPaced, seed: seed, keyFrames: 2)
            downlink.subscribe()
            downlink.run(30)
            delays[isPaced] = (
                downlink.soundDelays.percentile(0.95, from: 5), downlink.queues.percentile(0.95, from: 5),
                downlink.pictureDelays.percentile(0.95, from: 5)
            )
            #expect(downlink.pictureDelays.count > 25 * 30, "pictures come whole")
        }
        let (plain, paced) = (try #require(delays[false]), try #require(delays[true]))
        print("key frames over 1.2 Mbit/s, seed \(seed): at once \(plain), paced \(paced)")
        #expect(paced.sound < plain.sound && paced.queue < plain.queue)
        #expect(paced.sound < 130 && paced.queue < 100)
    }

    /// Twenty who join in one moment, each over two megabits, and begin with a key frame that is at hand.
    @Test func twentyJoinInOneMoment() throws {
        var figures: [Bool: (peak: Int, sound: Double, queue: Double, first: Double)] = [:]
        for isPaced in [false, true] {
            var (sum, sound, queue, first) = ([Int](), 0.0, 0.0, 0.0)
            for seed in 1...20 as ClosedRange<UInt64> {
                let downlink = try Self.downlink(rate: 2_000_000, isPaced: isPaced, seed: seed)
                downlink.run(1)
                let joined = downlink.seconds
                downlink.subscribe()
                downlink.run(2)
                sum = Self.add(downlink.left, to: sum)
                sound = max(sound, downlink.soundDelays.percentile(1, from: joined))
                queue = max(queue, downlink.queues.percentile(1, from: joined))
                first = max(first, (downlink.pictureDelays.first?.at ?? 9) - joined)
            }
            let peak = zip(sum, sum.dropFirst()).map { $1 - $0 }.max() ?? 0
            figures[isPaced] = (peak, sound, queue, first)
        }
        let (plain, paced) = (try #require(figures[false]), try #require(figures[true]))
        print("twenty join, worst of all: at once \(plain), paced \(paced)")
        #expect(paced.peak * 2 < plain.peak)
        #expect(paced.sound < plain.sound && paced.queue < plain.queue)
        #expect(paced.first < 0.2)
    }

    /// What left in each slot, over all of them.
    private static func add(_ bytes: [Int], to sum: [Int]) -> [Int] {
        (0..<max(bytes.count, sum.count)).map { index in
            let more: Int = index < bytes.count ? bytes[index] : bytes.last ?? 0
            return index < sum.count ? sum[index] + more : more
        }
    }

    /// However much comes, and however narrow the way gets in the middle, nothing waits for longer than it may.
    @Test(arguments: [(300_000, 1), (900_000, 2), (3_000_000, 3)] as [(Int, UInt64)])
    func noPacketWaitsLongerThanItMay(rate: Int, seed: UInt64) throws {
        let downlink = try Self.downlink(rate: rate, isPaced: true, seed: seed, cameras: 2, keyFrames: 2)
        downlink.subscribe()
        downlink.run(10)
        downlink.setRate(rate / 3)
        downlink.run(20)
        let paced = downlink.pair.alice.peer.pacedPackets
        print("two cameras over \(rate) bit/s, then a third of it: \(paced.count) waited, \(paced.longestWait) at most")
        #expect(paced.count > 100 && paced.longestWait <= Pacer.longestWait + .milliseconds(10))
    }

    /// On a wide way ordinary pictures leave as they come, and nothing is held for them.
    @Test(arguments: [1, 2] as [UInt64]) func ordinaryPicturesDoNotWait(seed: UInt64) throws {
        let downlink = try Self.downlink(rate: 20_000_000, isPaced: true, seed: seed)
        downlink.subscribe()
        downlink.run(5)
        let held = downlink.pair.alice.peer.pacedPackets.count
        downlink.run(20)
        #expect(downlink.pair.alice.peer.pacedPackets.count == held)
        #expect(downlink.pair.alice.peer.pacingBacklog == .zero && downlink.capacity.limit == nil)
    }

    /// A small picture that becomes a large one, over a way that is wide: the estimate lags far behind, and nothing waits for it.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aLaggingEstimateHoldsNothing(seed: UInt64) throws {
        var figures: [Bool: (median: Double, high: Double)] = [:]
        for isPaced in [false, true] {
            let downlink = try Downlink(rate: 5_000_000, isPaced: isPaced, seed: seed)
            downlink.addMicrophone()
            downlink.addCamera([
                .init(rid: "q", bitrate: 100_000, keyFrameBytes: 4_000),
                .init(rid: "h", bitrate: 400_000, keyFrameBytes: 12_000),
                .init(rid: "f", bitrate: 1_500_000, keyFrameBytes: 40_000),
            ])
            downlink.wanted = 0
            downlink.subscribe()
            downlink.run(10)
            let small = downlink.layers.last?.layer
            downlink.wanted = 2
            downlink.run(10)
            #expect(small == 0 && downlink.layers.last?.layer == 2 && downlink.capacity.limit == nil)
            figures[isPaced] = (
                downlink.pictureDelays.percentile(0.5, from: 10), downlink.pictureDelays.percentile(0.98, from: 10)
            )
        }
        let (plain, paced) = (try #require(figures[false]), try #require(figures[true]))
        print("a small picture becomes a large one, seed \(seed): at once \(plain), paced \(paced)")
        #expect(paced.median < plain.median + 3 && paced.high < plain.high + 40)
    }

    /// What waits says that more is sent than the way bears, before losses do.
    @Test func aQueueOfOursIsALimit() {
        var capacity = ChannelCapacity()
        func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }
        capacity.note(estimate: 1_000_000, sent: 1_000_000, now: at(0))
        for step in 0...3 { capacity.note(backlog: .milliseconds(300), now: at(1000 + 250 * step)) }
        #expect(capacity.limit == 850_000)
        let pace = capacity.pace(cost: 800_000, beside: 50_000, now: at(2000))
        #expect(pace == SubscriberPace(rate: 900_000, isLimited: true))
        // One key frame that drains is none, nor is what waits where nobody has told anything.
        capacity = ChannelCapacity()
        capacity.note(estimate: 1_000_000, sent: 1_000_000, now: at(0))
        for (step, wait) in [300, 300, 300, 100, 300, 300, 300].enumerated() {
            capacity.note(backlog: .milliseconds(wait), now: at(1000 + 250 * step))
        }
        #expect(capacity.limit == nil)
        var unknown = ChannelCapacity()
        for step in 0...9 { unknown.note(backlog: .seconds(1), now: at(250 * step)) }
        #expect(unknown.limit == nil && unknown.pace(cost: 1_000_000, now: at(3000)) == nil)
    }

    /// Where packets are lost and nothing queues, pictures leave as they come: what is repeated comes to more than such a limit.
    @Test func lossesAloneHoldNothingBack() {
        var capacity = ChannelCapacity()
        func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }
        capacity.note(estimate: 1_000_000, sent: 600_000, now: at(1))
        capacity.note(loss: 0.2, sent: 600_000, now: at(2))
        #expect(capacity.limit == 540_000)
        #expect(capacity.pace(cost: 600_000, now: at(2)) == SubscriberPace(rate: 600_000, isLimited: false))
        capacity.note(estimate: 500_000, sent: 600_000, now: at(3))
        #expect(capacity.pace(cost: 600_000, now: at(3)) == SubscriberPace(rate: 600_000, isLimited: true))
        #expect(capacity.pace(cost: 600_000, now: at(64))?.isLimited == false)
    }

    /// A tenth lost in bursts, and repeated: nothing waits here for long.
    @Test(arguments: [1, 2, 3] as [UInt64]) func lossesInBurstsMakeNoQueueOfOurs(seed: UInt64) throws {
        var conditions = NetworkConditions(delay: .milliseconds(50), jitter: .milliseconds(30))
        conditions.bursts = .init(meanGood: .milliseconds(270), meanBad: .milliseconds(30))
        let downlink = try Downlink(rate: nil, seed: seed, conditions: conditions)
        downlink.addMicrophone()
        downlink.addCamera([.init(rid: nil, bitrate: 620_000, keyFrameBytes: 20_000)])
        downlink.subscribe()
        downlink.run(60)
        let (median, high) = (
            downlink.pictureDelays.percentile(0.5, from: 5), downlink.pictureDelays.percentile(0.9, from: 5)
        )
        print("a tenth lost in bursts, seed \(seed): pictures under way \(median) ms, 90 % \(high) ms")
        #expect(median < 90 && high < 280)
    }

    /// An estimate that has never fallen says how much is sent; one that has says where the way ends, for a minute.
    @Test func anEstimateThatHasFallenIsTakenByItsWord() {
        var capacity = ChannelCapacity()
        func at(_ seconds: Int) -> Instant { Instant(nanoseconds: Int64(seconds) * 1_000_000_000) }
        func rate(_ cost: Int, _ seconds: Int) -> Int? { capacity.pace(cost: cost, now: at(seconds))?.rate }
        capacity.note(estimate: 800_000, sent: 600_000, now: at(0))
        #expect(rate(600_000, 0) == 2_000_000 && rate(1_500_000, 0) == 3_000_000)
        capacity.note(estimate: 1_000_000, sent: 600_000, now: at(1))
        capacity.note(estimate: 900_000, sent: 600_000, now: at(2))
        #expect(rate(600_000, 3) == 900_000 && rate(1_500_000, 3) == 1_500_000)
        #expect(rate(600_000, 63) == 2_000_000 && capacity.limit == nil)
        capacity.note(estimate: .max, sent: 0, now: at(64))
        #expect(rate(.max, 64) != nil)
    }
}
