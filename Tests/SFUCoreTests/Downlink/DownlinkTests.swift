import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import SFUCore

/// How a subscriber may tell.
private let told = [Downlink.Telling.estimate, .packets]

/// What an agent behind a narrow way gets of a room, which tells the server what that way bears. What is printed stands in
/// docs/congestion.md.
@Suite struct DownlinkTests {
    private static let simulcast: [Downlink.Layer] = [
        .init(rid: "q", bitrate: 100_000, keyFrameBytes: 4_000),
        .init(rid: "h", bitrate: 300_000, keyFrameBytes: 10_000),
        .init(rid: "f", bitrate: 900_000, keyFrameBytes: 30_000),
    ]

    /// Three simulcast layers of 100, 300 and 900 kbit/s over five megabits, half a megabit, and five again.
    @Test(arguments: [1, 2, 3] as [UInt64]) func theLayerFollowsTheWay(seed: UInt64) throws {
        for telling in Downlink.Telling.allCases {
            let downlink = try Downlink(rate: 5_000_000, telling: telling, seed: seed)
            downlink.addMicrophone()
            downlink.addCamera(Self.simulcast)
            downlink.subscribe()
            downlink.run(10)
            #expect(downlink.layers.last?.layer == 2)
            let narrow = downlink.seconds
            downlink.setRate(500_000)
            downlink.run(40)
            let wide = downlink.seconds
            downlink.setRate(5_000_000)
            downlink.run(45)
            let samples = downlink.layers.filter { $0.at >= narrow + 3 && $0.at < wide }
            let large = Double(samples.count { $0.layer == 2 }) / Double(samples.count)
            let down = downlink.layers.first { $0.at > narrow && $0.layer < 2 }.map { $0.at - narrow }
            let up = downlink.layers.first { $0.at > wide && $0.layer == 2 }.map { $0.at - wide }
            let queue = downlink.queues.percentile(0.95, from: narrow + 3, to: wide)
            let sound = downlink.soundDelays.percentile(0.95, from: narrow + 3, to: wide)
            print(
                "500 kbit/s, seed \(seed), told \(telling): smaller after \(down ?? -1) s, largest for",
                "\((large * 100).rounded()) %, queue \(queue) ms, sound \(sound) ms, dropped \(downlink.overflowed);",
                "back after \(up ?? -1) s")
            guard telling != .nothing else {
                #expect(queue > 400, "losses alone tell of a queue that is full")
                continue
            }
            #expect(try #require(down) < 3 && large < 0.1)
            #expect(queue < 120 && sound < 250)
            #expect(try #require(up) < 40)
        }
    }

    /// What is lost on its way to the server is no limit of the way from there, nor does the way's pace change: not what was lost
    /// in an outage, and not a tenth of all.
    @Test(arguments: [1, 2] as [UInt64], told) func lossesOfTheSenderAreItsOwn(
        seed: UInt64, telling: Downlink.Telling
    ) throws {
        let downlink = try Downlink(rate: nil, telling: telling, seed: seed)
        downlink.addMicrophone()
        downlink.addCamera([.init(rid: nil, bitrate: 900_000, keyFrameBytes: 30_000)])
        downlink.subscribe()
        for loss in [0, 1, 0, 0.1] {
            downlink.lossBefore = loss
            for _ in 0..<32 {
                downlink.run(0.25)
                #expect(downlink.capacity.limit == nil, "\(loss) lost, after \(downlink.seconds) s")
            }
        }
        let delay = downlink.pictureDelays.percentile(0.95, from: 16.5, to: 32)
        print("losses of the sender, seed \(seed), told \(telling): pictures \(delay) ms")
        #expect(delay < 80)
    }

    /// A tenth lost before the server doesn't hide what is lost behind it.
    @Test(arguments: [1, 2] as [UInt64]) func lossesOfTheWayCountBesideTheSenders(seed: UInt64) throws {
        var conditions = NetworkConditions(delay: .milliseconds(30), jitter: .milliseconds(2))
        conditions.loss = 0.3
        let downlink = try Downlink(rate: nil, telling: .nothing, seed: seed, conditions: conditions)
        downlink.addCamera([.init(rid: nil, bitrate: 900_000, keyFrameBytes: 30_000)])
        downlink.subscribe()
        downlink.lossBefore = 0.1
        downlink.run(10)
        #expect(downlink.capacity.limit != nil)
    }

    /// Who joins over a narrow way has what fits soon, and no queue that stays.
    @Test(arguments: [1, 2] as [UInt64], told) func aNarrowWayIsFoundAfterTheJoin(
        seed: UInt64, telling: Downlink.Telling
    ) throws {
        let downlink = try Downlink(rate: 500_000, telling: telling, seed: seed)
        downlink.addMicrophone()
        downlink.addCamera(Self.simulcast)
        downlink.run(1)
        downlink.subscribe()
        downlink.run(30)
        let (median, high) = (downlink.queues.percentile(0.5, from: 6), downlink.queues.percentile(0.9, from: 6))
        let late = downlink.layers.filter { $0.at > 6 }
        let large = Double(late.count { $0.layer == 2 }) / Double(late.count)
        print(
            "joined over 500 kbit/s, seed \(seed), told \(telling): queue \(median) ms, 90 % \(high) ms; largest for \(large)"
        )
        #expect(median < 50 && high < 300)
        #expect(large < 0.1)
    }

    /// A subscriber that has just joined over 400 kbit/s.
    private func joinThatIsTooMuch(
        _ seed: UInt64, _ telling: Downlink.Telling, keyFrameDelay: Interval = .zero
    ) throws -> Downlink {
        let downlink = try Downlink(rate: 400_000, telling: telling, seed: seed, queue: .milliseconds(200))
        downlink.keyFrameDelay = keyFrameDelay
        downlink.addMicrophone()
        downlink.addCamera([
            .init(rid: "q", bitrate: 150_000, keyFrameBytes: 5_000),
            .init(rid: "f", bitrate: 600_000, keyFrameBytes: 16_000),
        ])
        downlink.run(4)
        downlink.subscribe()
        return downlink
    }

    /// Q7 of docs/quality.md: what a subscriber asks for again says at once that the largest layer is too much; what waits of it
    /// isn't sent any more.
    @Test(arguments: [1, 2, 3] as [UInt64], told) func aJoinThatIsTooMuchIsShort(
        seed: UInt64, telling: Downlink.Telling
    ) throws {
        let downlink = try joinThatIsTooMuch(seed, telling)
        let joined = downlink.seconds
        downlink.run(20)
        let down = try #require(downlink.layers.first { $0.at > joined + 0.1 && $0.layer < 2 }).at - joined
        let queue = downlink.queues.percentile(0.95, from: joined + 1.5)
        let lost = downlink.overflowed
        print(
            "joined over 400 kbit/s, seed \(seed), told \(telling): smaller after \(down) s, \(lost) lost, queue \(queue) ms"
        )
        #expect(down < 0.5 && queue < 100 && lost < 60)
    }

    /// The same where its pictures begin nearly a second after the join: the publisher has to make a key frame first.
    @Test(arguments: [1, 2, 3] as [UInt64], told) func whatBeginsLaterIsJudgedFromThere(
        seed: UInt64, telling: Downlink.Telling
    ) throws {
        let downlink = try joinThatIsTooMuch(seed, telling, keyFrameDelay: .milliseconds(900))
        let joined = downlink.seconds
        downlink.run(10)
        let began = try #require(downlink.layers.first { $0.at > joined && $0.layer >= 0 }).at
        let down = try #require(downlink.layers.first { $0.at > began + 0.1 && $0.layer < 2 }).at - began
        let lost = downlink.overflowed
        print(
            "pictures \(began - joined) s after a join, seed \(seed), told \(telling): smaller after \(down) s, \(lost) lost"
        )
        #expect(began - joined > 0.8 && down < 0.5)
    }

    /// What a newcomer says first is taken for what has come, and not for what the way bears.
    @Test(arguments: [5, 30, 150], [0, 0.05])
    func aWideWayIsNotTakenForNarrow(delay: Int, loss: Double) throws {
        for (seed, telling) in zip([1, 2, 3, 4, 1, 2, 3, 4] as [UInt64], told.flatMap { [$0, $0, $0, $0] }) {
            let conditions = NetworkConditions(delay: .milliseconds(delay), jitter: .milliseconds(2), loss: loss)
            let downlink = try Downlink(rate: nil, telling: telling, seed: seed, conditions: conditions)
            downlink.addMicrophone()
            downlink.addCamera(Self.simulcast)
            downlink.run(1)
            downlink.subscribe()
            let joined = downlink.seconds
            downlink.run(6)
            #expect(downlink.layers.allSatisfy { $0.at < joined + 1 || $0.layer == 2 }, "seed \(seed), \(telling)")
            #expect(downlink.capacity.limit == nil, "seed \(seed), \(telling)")
        }
    }

    /// A way that becomes a third narrower than the layer that is sent: neither that layer nor repetitions of what is lost of it keep
    /// the queue full.
    @Test(arguments: [1, 2, 3] as [UInt64], told)
    func aLayerThatIsSlightlyTooMuchGoes(seed: UInt64, telling: Downlink.Telling) throws {
        let queue = Interval.milliseconds(200)
        let downlink = try Downlink(rate: 2_000_000, telling: telling, seed: seed, queue: queue)
        downlink.addMicrophone()
        downlink.addCamera([
            .init(rid: "q", bitrate: 160_000, keyFrameBytes: 6_000),
            .init(rid: "h", bitrate: 450_000, keyFrameBytes: 15_000),
        ])
        downlink.wanted = 1
        downlink.run(1)
        downlink.subscribe()
        downlink.run(14)
        downlink.setRate(300_000, queue: queue)
        let narrow = downlink.seconds
        downlink.run(10)
        let down = downlink.layers.first { $0.at > narrow && $0.layer == 0 }.map { $0.at - narrow }
        let full = Double(downlink.queues.count { $0.at > narrow && $0.delay > 150 }) * 0.005
        let lost = downlink.overflowed
        print(
            "a third narrower, seed \(seed), told \(telling): smaller after \(down ?? -1) s, queue full for \(full) s,",
            "\(lost) lost")
        #expect(try #require(down) < 0.8 && full < 2 && lost < 60)
    }

    /// Q3 of docs/quality.md: a tenth is lost in bursts, whatever is sent. All of it is repeated.
    @Test(arguments: [1, 2, 3, 4] as [UInt64], told)
    func aLossyWayIsNoFullQueue(seed: UInt64, telling: Downlink.Telling) throws {
        var conditions = NetworkConditions(delay: .milliseconds(50), jitter: .milliseconds(30))
        conditions.bursts = .init(meanGood: .milliseconds(270), meanBad: .milliseconds(30))
        let downlink = try Downlink(rate: nil, telling: telling, seed: seed, conditions: conditions)
        downlink.addMicrophone()
        downlink.addCamera([.init(rid: nil, bitrate: 600_000, keyFrameBytes: 16_000)])
        downlink.run(1)
        downlink.subscribe()
        let joined = downlink.seconds
        downlink.run(60)
        // Three packets each.
        let missing = 1_800 * 3 - downlink.pictureDelays.count
        let late = downlink.pictureDelays.percentile(0.98, from: joined)
        print(
            "bursts of 10 %, seed \(seed), told \(telling): \(missing) packets of pictures missing, 98 % within \(late) ms,",
            "\(downlink.refused) refused, limit \(downlink.capacity.limit ?? -1)")
        #expect(missing < 60 && downlink.refused < 60)
    }

    /// Q4 of docs/quality.md: two megabits, 300 kbit/s from 15 s on, a megabit from 35 s on, before a queue of 200 ms.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64], told) func layersFollowSteps(
        seed: UInt64, telling: Downlink.Telling
    ) throws {
        let queue = Interval.milliseconds(200)
        let downlink = try Downlink(rate: 2_000_000, telling: telling, seed: seed, queue: queue)
        downlink.addMicrophone()
        downlink.addCamera([
            .init(rid: "q", bitrate: 160_000, keyFrameBytes: 6_000),
            .init(rid: "h", bitrate: 450_000, keyFrameBytes: 15_000),
            .init(rid: "f", bitrate: 1_700_000, keyFrameBytes: 50_000),
        ])
        downlink.run(1)
        downlink.subscribe()
        downlink.run(14)
        #expect(downlink.layers.last?.layer == 2)
        downlink.setRate(300_000, queue: queue)
        downlink.run(20)
        let lost = downlink.overflowed
        downlink.setRate(1_000_000, queue: queue)
        downlink.run(25)
        func share(_ layer: Int, from: Double, to: Double) -> Double {
            let samples = downlink.layers.filter { $0.at >= from && $0.at < to }
            return Double(samples.count { $0.layer == layer }) / Double(samples.count)
        }
        let (narrow, wide) = (share(0, from: 17, to: 35), share(1, from: 40, to: 60))
        let queues = (downlink.queues.percentile(0.95, from: 20, to: 35), downlink.queues.percentile(0.95, from: 40))
        let pictures = (
            downlink.pictureDelays.percentile(0.95, from: 20, to: 35), downlink.pictureDelays.percentile(0.95, from: 40)
        )
        print(
            "steps, seed \(seed), told \(telling): \(lost) lost; smallest at 300 kbit/s for \(narrow), middle at 1 Mbit/s for \(wide);",
            "queues \(queues) ms, pictures \(pictures) ms")
        // A large layer ends at once where it can't pass, and nothing of it is repeated.
        #expect(lost < 250 && narrow > 0.95)
        // What is tried, and was too much, costs no layer.
        #expect(wide > 0.85)
        #expect(queues.0 < 70 && queues.1 < 50)
        #expect(pictures.0 < 110 && pictures.1 < 110)
    }
}
