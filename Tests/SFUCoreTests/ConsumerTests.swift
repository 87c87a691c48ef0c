import RTCCore
import RTCWire
import Testing

@testable import SFUCore

@Suite struct ConsumerTests {
    @Test func audioKeepsTimestampsAndRenumbers() {
        let bench = Bench(codec: .opus, firstSequence: 0xffff)
        for step in 0..<4 {
            bench.feed(70_000 + Int64(step), timestamp: 1000 + UInt32(step) * 960, payload: [0x78, 1], level: 20)
        }
        #expect(bench.sink.sequences == [0x7fff, 0x8000, 0x8001, 0x8002])
        #expect(bench.sink.sent.map(\.packet.timestamp) == [1000, 1960, 2920, 3880])
        #expect(bench.sink.sent.allSatisfy { $0.packet.ssrc == 7 && $0.packet.payloadType == 120 })
        #expect(bench.sink.sent[0].packet.extensions.audioLevel?.level == 20)
        #expect(bench.sink.sent[0].packet.extensions.mid == nil)
        #expect(bench.sink.sent[0].packet.extensions.absSendTime == nil)
        #expect(bench.statistics.packetsForwarded == 4)
    }

    @Test func numbersWrapWithoutAHole() {
        let bench = Bench(codec: .opus, firstSequence: 0)
        for step in 0..<70_000 { bench.feed(Int64(step) + 65_000, timestamp: UInt32(step), payload: [1]) }
        let sequences = bench.sink.sequences
        #expect(sequences.count == 70_000)
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
    }

    @Test func lossAndReorderingAreKept() {
        let bench = Bench(codec: .opus)
        for sequence: Int64 in [10, 12, 11, 15, 9] { bench.feed(sequence, timestamp: 0, payload: [1]) }
        // 9 is older than the beginning.
        #expect(bench.sink.sequences == [100, 102, 101, 105])
    }

    @Test func paddingLeavesNoHole() {
        let bench = Bench(codec: .vp8)
        bench.feed(10, timestamp: 0, payload: vp8(1, key: true))
        bench.feed(11, timestamp: 0, payload: [])
        bench.feed(12, timestamp: 0, payload: [])
        bench.feed(13, timestamp: 9, payload: vp8(2))
        // 15 overtakes 14, which is padding: too late to be left out.
        bench.feed(15, timestamp: 18, payload: vp8(3))
        bench.feed(14, timestamp: 9, payload: [])
        bench.feed(16, timestamp: 27, payload: vp8(4))
        #expect(bench.sink.sequences == [100, 101, 103, 102, 104])
        #expect(bench.sink.sent[3].payload.isEmpty)
    }

    @Test func paddingBeforeTheFirstPacketAndGarbage() {
        let bench = Bench(codec: .vp8)
        bench.feed(1, timestamp: 0, payload: [])
        bench.feed(2, timestamp: 0, payload: [0x80])
        bench.feed(3, timestamp: 0, payload: [0x10])
        #expect(bench.sink.sent.isEmpty)
        bench.feed(4, timestamp: 0, payload: vp8(1, key: true))
        bench.feed(5, timestamp: 0, payload: [0x80])
        #expect(bench.sink.sequences == [100, 101])
    }

    @Test func videoBeginsWithAKeyFrameAndAsksForIt() {
        let bench = Bench(codec: .vp8)
        bench.feed(1, timestamp: 0, payload: vp8(1))
        bench.feed(2, timestamp: 0, payload: vp8(1, starts: false))
        #expect(bench.sink.sent.isEmpty)
        #expect(bench.source.requests == [1, 1])
        bench.feed(3, timestamp: 3000, payload: vp8(2, key: true))
        bench.feed(4, timestamp: 3000, payload: vp8(2, starts: false))
        #expect(bench.sink.sequences == [100, 101])
        #expect(bench.source.keyFrames == [1])
    }

    @Test func pauseGoesOnWithAKeyFrameUnderTheNextNumbers() {
        let bench = Bench(codec: .vp8)
        bench.feed(1, timestamp: 0, payload: vp8(10, tl0: 4, key: true))
        bench.consumer.setPaused(true, now: milliseconds(10))
        for step: Int64 in 2..<30 {
            bench.feed(
                step, timestamp: UInt32(step) * 3000, payload: vp8(10 + UInt16(step)), at: milliseconds(Int(step) * 33))
        }
        bench.consumer.setPaused(false, now: milliseconds(990))
        bench.feed(30, timestamp: 90_000, payload: vp8(40), at: milliseconds(1000))
        bench.feed(31, timestamp: 93_000, payload: vp8(41, tl0: 40, key: true), at: milliseconds(1033))
        #expect(bench.sink.sequences == [100, 101])
        #expect(bench.sink.sent[1].packet.timestamp == 93_000)
        #expect(descriptor(bench.sink.sent[1].payload)?.pictureID == 11)
        #expect(descriptor(bench.sink.sent[1].payload)?.tl0PicIdx == 5)
    }

    @Test func restartedSourceContinuesTheRow() {
        let bench = Bench(codec: .vp8)
        bench.feed(40_000, timestamp: 4_294_967_000, payload: vp8(0x7fff, tl0: 255, key: true), at: milliseconds(0))
        bench.feed(3, timestamp: 50, payload: vp8(5, tl0: 9), ssrc: 2, at: milliseconds(50))
        bench.feed(4, timestamp: 77, payload: vp8(6, tl0: 10, key: true), ssrc: 2, at: milliseconds(100))
        bench.feed(5, timestamp: 3077, payload: vp8(7, tl0: 11), ssrc: 2, at: milliseconds(133))
        #expect(bench.sink.sequences == [100, 101, 102])
        // 100 ms at 90 kHz later, across the wrap.
        #expect(bench.sink.sent[1].packet.timestamp == 4_294_967_000 &+ 9000)
        #expect(bench.sink.sent[2].packet.timestamp == 4_294_967_000 &+ 12_000)
        #expect(descriptor(bench.sink.sent[1].payload)?.pictureID == 0)
        #expect(descriptor(bench.sink.sent[1].payload)?.tl0PicIdx == 0)
        #expect(descriptor(bench.sink.sent[2].payload)?.pictureID == 1)
    }

    @Test func jumpOfTheSameSourceContinuesTheRow() {
        let bench = Bench(codec: .opus)
        bench.feed(1, timestamp: 0, payload: [1], at: milliseconds(0))
        bench.feed(20_000, timestamp: 960, payload: [1], at: milliseconds(20))
        #expect(bench.sink.sequences == [100, 101])
        #expect(bench.sink.sent[1].packet.timestamp == 960)
    }

    @Test func refusedPacketsAreCounted() {
        let bench = Bench(codec: .opus)
        bench.sink.accepts = false
        bench.feed(1, timestamp: 0, payload: [1])
        #expect(bench.statistics.dropped == 1)
        #expect(bench.statistics.packetsForwarded == 0)
    }
}
