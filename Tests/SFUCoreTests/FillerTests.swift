import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// What subscribers get when a stream stops. The numbers are those of a livekit-server, as browsers know it.
@Suite struct FillerTests {
    /// Calls the consumer whenever it wants to be called, until it has no more wishes; gives when packets left.
    @discardableResult
    private func runFiller(_ bench: Bench) -> [Instant] {
        var times = bench.sink.sent.map { _ in milliseconds(-1) }
        while !bench.sink.wakes.isEmpty {
            let now = bench.sink.wakes.removeFirst()
            let before = bench.sink.sent.count
            bench.consumer.fill(now: now)
            times += Array(repeating: now, count: bench.sink.sent.count - before)
        }
        return times
    }

    private func speak(_ bench: Bench, _ numbers: Range<Int>, from start: Int = 0) {
        for number in numbers {
            bench.feed(
                Int64(number), timestamp: UInt32(number) * 960, payload: [0x78, UInt8(number & 255)],
                at: milliseconds(start + number * 20), level: 5)
        }
    }

    private func audio(redundancy: UInt8? = nil, trailer: [UInt8] = []) -> Bench {
        var configuration = ConsumerConfiguration(
            ssrc: 7, payloadType: 111, redundancyPayloadType: redundancy, firstSequence: 100, firstRTXSequence: 5)
        configuration.fillerTrailer = trailer
        return Bench(codec: .opus, configuration)
    }

    @Test func mutedSoundEndsInASecondOfSilence() throws {
        let bench = audio()
        speak(bench, 0..<10)
        let last = try #require(bench.sink.sent.last)
        bench.sink.sent = []
        // 170 ms after the last packet, as a client that says so over signalling.
        bench.producer.setMuted(true, now: milliseconds(350))
        #expect(bench.sink.sent.count == 2, "the first two leave together")
        let times = runFiller(bench)
        let sent = bench.sink.sent
        #expect(sent.count == 51)
        #expect(sent.map(\.packet.sequenceNumber) == (0..<51).map { last.packet.sequenceNumber &+ 1 &+ UInt16($0) })
        #expect(sent.allSatisfy { $0.packet.marker && $0.packet.payloadType == 111 })
        #expect(sent.allSatisfy { $0.payload == [0xf8, 0xff, 0xfe] + [UInt8](repeating: 0, count: 77) })
        let stamps = sent.map(\.packet.timestamp)
        #expect(stamps[0] == last.packet.timestamp)
        #expect(stamps[1] == last.packet.timestamp + 170 * 48, "the present moment")
        #expect(zip(stamps.dropFirst(), stamps.dropFirst(2)).allSatisfy { $1 - $0 == 961 })
        #expect(zip(times.dropFirst(2), times.dropFirst(3)).allSatisfy { $1 - $0 == .milliseconds(20) })
        #expect(!bench.consumer.isFilling)
    }

    @Test func silenceComesAsRedundantAudioWhereThatIsSpoken() {
        let bench = audio(redundancy: 63)
        speak(bench, 0..<10)
        bench.sink.sent = []
        bench.producer.setMuted(true, now: milliseconds(350))
        runFiller(bench)
        #expect(bench.sink.sent.count == 51)
        #expect(bench.sink.sent.allSatisfy { $0.packet.payloadType == 63 && $0.payload.count == 81 })
        #expect(bench.sink.sent.allSatisfy { $0.payload.prefix(4) == [111, 0xf8, 0xff, 0xfe] })
    }

    @Test func encryptedMediaIsFilledInTheClearAndSaysSo() {
        let trailer = Array("an-agreed-trailer".utf8)
        let sound = audio(trailer: trailer)
        speak(sound, 0..<10)
        sound.sink.sent = []
        sound.producer.setMuted(true, now: milliseconds(350))
        #expect(sound.sink.sent.allSatisfy { $0.payload.count == 80 + trailer.count })
        #expect(sound.sink.sent.allSatisfy { $0.payload.suffix(trailer.count) == trailer[...] })
        var configuration = ConsumerConfiguration(ssrc: 7, payloadType: 96, firstSequence: 100, firstRTXSequence: 5)
        configuration.fillerTrailer = trailer
        let video = Bench(codec: .vp8, configuration)
        video.feed(1, timestamp: 9, payload: vp8(1, key: true), at: .zero)
        video.sink.sent = []
        #expect(video.consumer.end(now: milliseconds(10)))
        #expect(video.sink.sent.allSatisfy { $0.payload.suffix(trailer.count) == trailer[...] })
    }

    /// Back on the publisher's own line, with no gap; what is left of the silence is not sent.
    @Test func soundGoesOnWhereItsClockStands() {
        let bench = audio()
        speak(bench, 0..<10)
        bench.producer.setMuted(true, now: milliseconds(350))
        for _ in 0..<10 { bench.consumer.fill(now: bench.sink.wakes.removeFirst()) }
        let before = bench.sink.sent.count
        bench.producer.setMuted(false, now: milliseconds(600))
        runFiller(bench)
        #expect(bench.sink.sent.count == before && before == 10 + 12)
        let last = bench.sink.sent[before - 1].packet
        speak(bench, 30..<33)
        let first = bench.sink.sent[before].packet
        #expect(first.timestamp == 30 * 960 && first.sequenceNumber == last.sequenceNumber &+ 1)
    }

    /// A client whose clock rests while it is muted: time never goes back.
    @Test func aRestedClockIsMovedBehindTheSilence() {
        let bench = audio()
        speak(bench, 0..<10)
        bench.producer.setMuted(true, now: milliseconds(200))
        runFiller(bench)
        bench.producer.setMuted(false, now: milliseconds(9_000))
        speak(bench, 10..<13, from: 8_900)
        let stamps = bench.sink.sent.map(\.packet.timestamp)
        #expect(stamps == stamps.sorted() && stamps[stamps.count - 1] > 8 * 48_000)
    }

    @Test func otherSoundAndWhatNeverFlowedIsNotFilled() {
        let telephone = Bench(codec: .otherAudio)
        speak(telephone, 0..<3)
        telephone.producer.setMuted(true, now: milliseconds(80))
        #expect(telephone.sink.sent.count == 3)
        let silent = audio()
        silent.producer.setMuted(true, now: milliseconds(80))
        #expect(silent.sink.sent.isEmpty && silent.sink.wakes.isEmpty)
    }

    @Test func mutedVideoJustStops() {
        let bench = Bench(codec: .vp8)
        bench.feed(1, timestamp: 9, payload: vp8(1, key: true), at: .zero)
        bench.producer.setMuted(true, now: milliseconds(10))
        #expect(bench.sink.sent.count == 1 && bench.sink.wakes.isEmpty)
    }

    @Test func videoEndsInBlackPictures() throws {
        let bench = Bench(codec: .vp8)
        bench.feed(1, timestamp: 90_000, payload: vp8(500, tl0: 7, key: true), at: .zero)
        bench.sink.sent = []
        #expect(bench.consumer.end(now: milliseconds(100)))
        let times = runFiller(bench)
        let sent = bench.sink.sent
        #expect(sent.count == 6)
        let gaps = zip(times.dropFirst(), times.dropFirst(2)).map { ($1 - $0).milliseconds }
        #expect(gaps.allSatisfy { abs($0 - 33.3) < 0.1 }, "paced, not at once")
        #expect(try #require(sent.first).packet.timestamp == 102_001)
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $1.packet.timestamp - $0.packet.timestamp == 3_001 })
        #expect(sent.allSatisfy { $0.packet.marker && descriptor($0.payload)?.startsPartition == true })
        #expect(sent.compactMap { descriptor($0.payload)?.pictureID } == [501, 502, 503, 504, 505, 506])
        // Nothing of the producer's follows.
        bench.feed(2, timestamp: 99_000, payload: vp8(501, key: true), at: milliseconds(400))
        #expect(bench.sink.sent.count == 6)
    }

    @Test func whoSawNothingSeesNoBlackEither() {
        let bench = Bench(codec: .vp8)
        #expect(!bench.consumer.end(now: milliseconds(10)))
        #expect(bench.sink.sent.isEmpty)
    }
}
