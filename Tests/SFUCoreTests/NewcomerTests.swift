import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// What somebody gets who subscribes while a stream runs.
@Suite struct NewcomerTests {
    /// A stream of 30 pictures a second: a key frame of `key` packets, then pictures of `delta` packets of 1,100 bytes.
    private func stream(_ bench: Bench, key: Int, delta: Int, milliseconds length: Int) {
        var sequence: Int64 = 0
        for picture in 0...(length / 33) {
            for part in 0..<(picture == 0 ? key : delta) {
                var payload = vp8(UInt16(picture), key: picture == 0 && part == 0, starts: part == 0)
                payload += [UInt8](repeating: 7, count: 1100 - payload.count)
                bench.feed(
                    sequence, timestamp: UInt32(picture) * 3000, payload: payload, at: milliseconds(picture * 33))
                sequence += 1
            }
        }
    }

    private func join(_ bench: Bench, at now: Instant, encrypted: Bool = false) -> RecordingSink {
        let sink = RecordingSink()
        var configuration = ConsumerConfiguration(
            ssrc: 9, payloadType: 1, firstSequence: 500, firstRTXSequence: 0)
        configuration.isEncrypted = encrypted
        TestConsumer(configuration, producer: bench.producer, sink: sink).start(now: now)
        return sink
    }

    /// At no moment and no rate does a newcomer get more at once than a key frame has.
    @Test(arguments: [(1, 1), (4, 1), (12, 2), (12, 6), (60, 6)]) func theFirstFlushIsBounded(key: Int, delta: Int) {
        var largest = 0
        for length in stride(from: 0, through: 2500, by: 33) {
            let bench = Bench(codec: .vp8)
            stream(bench, key: key, delta: delta, milliseconds: length)
            let requests = bench.source.requests.count
            let sink = join(bench, at: milliseconds(length + 1))
            let bytes = sink.sent.reduce(0) { $0 + $1.payload.count }
            largest = max(largest, bytes)
            #expect(sink.sent.isEmpty == (bench.source.requests.count == requests + 1), "else a key frame is asked for")
        }
        print("key frame of \(key), pictures of \(delta) packets: at most \(largest) bytes at once")
        #expect(largest <= 24_000)
    }

    /// Frames that came before the receiver was ready to decrypt are missed by nobody: more key frames follow soon.
    @Test(arguments: [
        (false, [], []), (true, [], [600, 1500]), (true, [495], [1500]), (true, [264], [600, 1500]),
        (true, [495, 1320], []), (true, [1320], [600]),
    ])
    func encryptedStreamsHaveMoreKeyFrames(isEncrypted: Bool, comeAnyway: [Int], expected: [Int]) {
        let bench = Bench(codec: .vp8)
        bench.consumer.stop()
        let sink = join(bench, at: .zero, encrypted: isEncrypted)
        var requested: [Int] = []
        for picture in 0..<120 {
            let time = picture * 33
            let before = bench.source.requests.count
            bench.feed(
                Int64(picture), timestamp: UInt32(picture) * 3000,
                payload: vp8(1, key: picture == 0 || comeAnyway.contains(time)), at: milliseconds(time))
            requested += [Int](repeating: time, count: bench.source.requests.count - before)
        }
        #expect(sink.sent.count == 120 && requested.count == expected.count, "\(requested)")
        for (time, wanted) in zip(requested, expected) { #expect((wanted..<wanted + 33).contains(time)) }
    }

    /// A receiver that makes ready to decrypt would lose what comes in one go.
    @Test func encryptedMediaBeginsWithAKeyFrameOfItsOwn() {
        let bench = Bench(codec: .vp8)
        stream(bench, key: 1, delta: 1, milliseconds: 66)
        let requests = bench.source.requests.count
        #expect(join(bench, at: milliseconds(70), encrypted: true).sent.isEmpty)
        #expect(bench.source.requests.count == requests + 1)
        #expect(!join(bench, at: milliseconds(70)).sent.isEmpty)
    }
}
