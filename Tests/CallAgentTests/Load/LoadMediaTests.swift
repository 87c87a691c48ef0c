import LoadCore
import MediaCore
import Synchronization
import Testing

@testable import callagent

/// What load publishers send decodes as what was encoded, and says which frame it is.
@Suite struct LoadMediaTests {
    private func media(_ change: (inout LoadMedia.Format) -> Void = { _ in }) throws -> LoadMedia {
        var format = LoadMedia.Format()
        (format.frameRate, format.bitrate) = (15, 400_000)
        change(&format)
        return try LoadMedia(format, pictures: true, sound: true)
    }

    private let time = MediaTime(nanoseconds: 1_000_000_000)

    private func stampOf(_ payload: [UInt8]) -> MediaStamp? { payload.withUnsafeBytes { MediaStamp(of: $0) } }

    @Test(arguments: VideoCodec.allCases) func stampedPicturesDecodeToTheCardThatTheyName(codec: VideoCodec) throws {
        let truth = SentTruth(.video, run: 9, publisher: 3)
        let media = try media {
            $0.isSimulcast = false
            $0.codec = codec
        }
        let source = StampedVideoSource(media, truth, start: 0)
        #expect(source.codecName == codec.name)
        let decoder = try #require(try MediaCodec(sdpName: codec.name)?.makeDecoder())
        var read = 0
        for number in 0..<70 {
            let frame = try #require(source.nextFrame(at: time))
            let stamp = try #require(stampOf(frame.payload))
            #expect((stamp.run, stamp.publisher, stamp.layer, stamp.number) == (9, 3, 0, UInt32(number)))
            #expect(stamp.nanoseconds == time.nanoseconds)
            let picture = try #require(
                try frame.payload.withUnsafeBytes { try decoder.decode($0, captureTime: time) })
            if TestCardReader.read(picture)?.frameNumber == UInt32(stamp.clip) { read += 1 }
        }
        // How many are too coarse to be read depends on the encoder's version: 66 with VP9 of libvpx 1.15.
        #expect(read >= 63 && truth.counts.frames == 70, "\(read) pictures could be read")
        #expect(truth.last == [0: 69])
    }

    @Test func aKeyFrameComesAtOnceAndNumbersGoOn() throws {
        let truth = SentTruth(.video, run: 1, publisher: 1)
        let source = StampedVideoSource(try media { $0.isSimulcast = false }, truth, start: 0)
        for _ in 0..<7 { _ = source.nextFrame(at: time) }
        source.requestKeyFrame()
        let frame = try #require(source.nextFrame(at: time))
        #expect(frame.isKeyFrame)
        #expect(stampOf(frame.payload)?.number == 7)
        #expect(truth.counts.keyFrames == 2)
    }

    @Test func layersHaveNumbersAndPlacesOfTheirOwn() throws {
        let truth = SentTruth(.video, run: 1, publisher: 1)
        let source = StampedVideoSource(try media(), truth, start: 0)
        #expect(source.layers.map(\.rid) == ["h", "q"])
        #expect(source.layers.map(\.width) == [640, 320])
        for _ in 0..<5 { _ = source.nextFrame(of: "h", at: time) }
        source.requestKeyFrame(of: "q")
        let low = try #require(source.nextFrame(of: "q", at: time))
        #expect((low.width, low.isKeyFrame) == (320, true))
        #expect(stampOf(low.payload).map { ($0.layer, $0.number) } ?? (9, 9) == (1, 0))
        #expect(truth.last == [0: 4, 1: 0])
        #expect(source.nextFrame(of: "x", at: time)?.width == nil)
    }

    @Test func stampedSpeechDecodesToTheSameSamples() throws {
        let media = try media()
        let truth = SentTruth(.audio, run: 1, publisher: 1)
        let source = StampedAudioSource(media.speech[0], truth, start: 0)
        let (plain, stamped) = (try OpusDecoder(channels: 1), try OpusDecoder(channels: 1))
        for place in 0..<100 {
            let frame = try #require(source.nextFrame())
            #expect(stampOf(frame.payload)?.number == UInt32(place))
            #expect(try samples(frame.payload, stamped) == samples(media.speech[0][place].payload, plain))
        }
    }

    private func samples(_ packet: [UInt8], _ decoder: OpusDecoder) throws -> [Int16] {
        var samples = [Int16](repeating: 0, count: 960)
        let count = try packet.withUnsafeBytes { bytes in
            try samples.withUnsafeMutableBufferPointer { try decoder.decode(bytes, into: $0) }
        }
        #expect(count == 960)
        return samples
    }

    @Test func whatIsPausedOrSilentIsNotNumbered() throws {
        let truth = SentTruth(.audio, run: 1, publisher: 1, isSilent: true)
        let source = StampedAudioSource(try media().speech[0], truth, start: 0.5)
        #expect(source.nextFrame()?.payload == [])
        truth.isPaused = true
        #expect(source.nextFrame()?.payload == nil)
        (truth.isPaused, truth.isSilent) = (false, false)
        #expect(try stampOf(#require(source.nextFrame()).payload)?.number == 0)
    }

    @Test func aProbeCountsWhatCameByTheTruth() throws {
        let meters = LoadMeters()
        let truth = SentTruth(.video, run: 4, publisher: 2)
        let probe = SubscriptionProbe(.video, of: truth, run: 4, meters: meters)
        for number in 0..<20 {
            let stamp = truth.next(
                layer: 0, clip: number, bytes: 10, isKeyFrame: number == 0, interval: 0.1, at: MediaTime.now.nanoseconds
            )
            guard number < 5 || (8..<18).contains(number) else { continue }
            stamp.stamped(picture: [1, 2]).withUnsafeBytes { probe.count($0, packets: 2, isKeyFrame: number == 0) }
        }
        #expect((probe.counts.expected, probe.counts.missing, probe.counts.packets) == (18, 3, 30))
        #expect(probe.settled().missing == 5)
        #expect(probe.settled(grace: 2).missing == 3)
        #expect(meters.latency.snapshot.count == 15)
        #expect(probe.takeChange().expected == 18)
        #expect(probe.takeChange().expected == 0)
        // What the end adds is told once.
        #expect(probe.takeChange(probe.settled()).missing == 2)
    }

    private func next(_ truth: SentTruth, _ layer: UInt8, _ interval: Double, at milliseconds: Int64) {
        _ = truth.next(
            layer: layer, clip: 0, bytes: 1, isKeyFrame: false, interval: interval, at: milliseconds * 1_000_000)
    }

    /// What holds a sender up holds up all of its streams; one that nobody receives for a while is not late.
    @Test func delaysAreThoseOfTheSender() {
        let truth = SentTruth(.video, run: 1, publisher: 1)
        next(truth, 0, 0.033, at: 0)
        for time in stride(from: Int64(50), through: 700, by: 50) { next(truth, 1, 0.05, at: time) }
        next(truth, 0, 0.033, at: 733)
        #expect(truth.takeLongestDelay() < 1)
        next(truth, 1, 0.05, at: 903)
        #expect(abs(truth.takeLongestDelay() - 120) < 0.001)
        next(truth, 1, 0.05, at: 2_000)
        #expect(truth.takeLongestDelay() < 1)
    }

    @Test(arguments: [(1, 2, 1), (249, 2, 1), (250, 2, 2), (501, 2, 2), (501, 8, 3), (5_000, 8, 8), (500, 1, 1)])
    func loopsAreAsManyAsTheyHaveWork(participants: Int, cores: Int, loops: Int) {
        #expect(LoadWorld.loops(for: participants, cores: cores) == loops)
    }
}
