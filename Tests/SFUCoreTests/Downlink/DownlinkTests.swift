import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import SFUCore

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
        for isTold in [false, true] {
            let downlink = try Downlink(rate: 5_000_000, isTold: isTold, seed: seed)
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
                "500 kbit/s, seed \(seed), told \(isTold): smaller after \(down ?? -1) s, largest for",
                "\((large * 100).rounded()) %, queue \(queue) ms, sound \(sound) ms, dropped \(downlink.overflowed);",
                "back after \(up ?? -1) s")
            guard isTold else {
                #expect(queue > 400, "losses alone tell of a queue that is full")
                continue
            }
            #expect(try #require(down) < 3 && large < 0.1)
            #expect(queue < 100 && sound < 250)
            #expect(try #require(up) < 40)
        }
    }

    /// Who joins over a narrow way has what fits soon, and no queue that stays.
    @Test(arguments: [1, 2] as [UInt64]) func aNarrowWayIsFoundAfterTheJoin(seed: UInt64) throws {
        let downlink = try Downlink(rate: 500_000, seed: seed)
        downlink.addMicrophone()
        downlink.addCamera(Self.simulcast)
        downlink.run(1)
        downlink.subscribe()
        downlink.run(30)
        let (median, high) = (downlink.queues.percentile(0.5, from: 6), downlink.queues.percentile(0.9, from: 6))
        let late = downlink.layers.filter { $0.at > 6 }
        let large = Double(late.count { $0.layer == 2 }) / Double(late.count)
        print("joined over 500 kbit/s, seed \(seed): queue \(median) ms, 90 % \(high) ms; largest for \(large)")
        #expect(median < 50 && high < 300)
        #expect(large < 0.1)
    }
}
