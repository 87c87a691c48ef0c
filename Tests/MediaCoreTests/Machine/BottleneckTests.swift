import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import MediaCore

/// What paced senders make of narrow paths. What is printed stands in docs/congestion.md.
@Suite struct BottleneckTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func soundSurvivesANarrowPath(_ seed: UInt64) throws {
        for isPaced in [false, true] {
            let call = try NarrowCall(rate: 400_000, seed: seed, isPaced: isPaced)
            call.pair.pass(seconds: 20)
            let share = call.sound.concealedMilliseconds / call.sound.playedMilliseconds
            let (estimate, queue) = (call.estimate(from: 5, to: 20), call.queue(from: 0, to: 20))
            print("400 kbit/s, seed \(seed), paced \(isPaced): \(call.summary), queue \(queue) ms, \(estimate) bit/s")
            guard isPaced else { continue }
            #expect(share < 0.01)
            #expect(call.pictures.freezes == 0)
            #expect(queue < 100)
            #expect(estimate > 0.65 * 400_000 && estimate < 1.05 * 400_000)
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func theEstimateFollowsSteps(_ seed: UInt64) throws {
        let call = try NarrowCall(rate: 2_000_000, seed: seed, bitrate: 2_500_000, size: (960, 540))
        call.pair.pass(seconds: 20)
        call.setRate(300_000)
        call.pair.pass(seconds: 20)
        let low = call.sent?.height ?? 0
        call.setRate(1_000_000)
        call.pair.pass(seconds: 25)
        for (from, to, capacity, most) in [
            (5.0, 20.0, 2_000_000.0, 1.1), (25, 40, 300_000, 1.05), (55, 65, 1_000_000, 1.05),
        ] {
            let (estimate, queue) = (call.estimate(from: from, to: to), call.queue(from: from, to: to))
            print("seed \(seed), capacity \(capacity): \(estimate) bit/s, queue \(queue) ms")
            #expect(estimate > 0.65 * capacity && estimate < most * capacity)
            // Of an encoder that can't go so low in its first seconds some waits.
            #expect(queue < (capacity < 500_000 ? 150 : 100))
        }
        print("seed \(seed): pictures of \(low) lines at 300 kbit/s, \(call.summary)")
    }

    /// Q9: a clean way carries two megabits within five seconds.
    @Test(arguments: [10.0, 50.0]) func aCleanPathIsFilledSoon(_ delay: Double) throws {
        let call = try NarrowCall(rate: nil, seed: 4, delay: delay, bitrate: 2_000_000, size: (960, 540))
        call.pair.pass(seconds: 6)
        let first = try #require(call.samples.first { $0.estimate >= 2_000_000 })
        print("2 Mbit/s after \(first.seconds) s with \(delay) ms each way")
        #expect(first.seconds < 5 && call.sound.concealedMilliseconds == 0)
    }

    /// A wide and quick path: once it is known to be that, hardly a packet waits in the pacer.
    @Test(arguments: [1, 2, 3] as [UInt64]) func picturesDoNotWaitOnACleanPath(_ seed: UInt64) throws {
        let call = try NarrowCall(rate: nil, seed: seed, delay: 0.1)
        call.pair.pass(seconds: 3)
        let before = call.pair.perform(call.pair.ada) { machine, _, _ in machine.peer.pacedPackets }
        let sent = call.sent?.packetsSent ?? 0
        call.pair.pass(seconds: 20)
        let after = call.pair.perform(call.pair.ada) { machine, _, _ in machine.peer.pacedPackets }
        let (held, all) = (after.count - before.count, (call.sent?.packetsSent ?? 0) - sent)
        print("clean, seed \(seed): \(held) of \(all) packets waited, the longest \(after.longestWait.milliseconds) ms")
        #expect(all > 1_000 && held * 50 < all)
    }

    /// A path that loses packets at any rate isn't taken for a full one.
    @Test(arguments: [0.05, 0.1], [1, 2, 3] as [UInt64]) func lossAloneIsNoLimit(_ loss: Double, _ seed: UInt64) throws
    {
        for isPaced in [false, true] {
            let call = try NarrowCall(rate: nil, seed: seed, isPaced: isPaced) { $0.loss = loss }
            call.pair.pass(seconds: 20)
            let estimate = call.estimate(from: 5, to: 20)
            print("\(Int(loss * 100)) % loss, seed \(seed), paced \(isPaced): \(call.summary), \(estimate) bit/s")
            guard isPaced else { continue }
            #expect(estimate > 600_000)
            #expect(call.pictures.framesDecoded > 570)
        }
    }

    /// Sound alone nearly fills such a path: its packets get longer, and pictures go on.
    @Test(arguments: [1, 2, 3] as [UInt64]) func soundMakesRoomForPictures(_ seed: UInt64) throws {
        for isPaced in [false, true] {
            let call = try NarrowCall(rate: 110_000, seed: seed, isPaced: isPaced)
            call.pair.pass(seconds: 30)
            let packets = call.pair.statistics(call.pair.ada).senders[0].packetsSent
            print("110 kbit/s, seed \(seed), paced \(isPaced): \(call.summary), \(packets) packets of sound")
            guard isPaced else { continue }
            #expect(packets < 1_200)
            #expect(call.sound.concealedMilliseconds < 0.15 * call.sound.playedMilliseconds)
        }
    }
}
