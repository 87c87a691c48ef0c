import MediaCore
import Testing

@Suite struct SinkMeterTests {
    @Test(arguments: [1, 2])
    func measuresATone(channels: Int) throws {
        let meter = AudioMeter()
        let tone = ToneSource(frequency: 440, levelDBFS: -20)
        var frame = AudioFrame(silence: 480)
        for _ in 0..<100 {
            tone.read(into: &frame)
            let samples = channels == 1 ? frame.samples : frame.samples.flatMap { [$0, $0] }
            meter.receive(AudioFrame(samples: samples, channels: channels))
        }
        let measured = meter.measurement
        #expect(abs(measured.duration - 1) < 1e-9)
        #expect(abs(measured.rms - 0.0707) < 0.001 && abs(measured.peak - 0.1) < 0.001)
        #expect(measured.level == 23)
        #expect(abs(try #require(measured.dominantHz) - 440) < 0.5)
        #expect(abs(try #require(measured.pitchHz) - 440) < 10)
        meter.reset()
        #expect(meter.measurement == AudioMeasurement())
    }

    /// Of a long sound only samples are analyzed, but what is measured is what it is for the most part.
    @Test(arguments: [(3, 440.0), (9, 700.0)])
    func aLongSoundIsMeasuredByItsLongestPart(seconds: Int, expected: Double) throws {
        let meter = AudioMeter()
        for (frequency, length) in [(440.0, 5), (700.0, seconds)] {
            let tone = ToneSource(frequency: frequency, levelDBFS: -20)
            var frame = AudioFrame(silence: 960)
            for _ in 0..<(50 * length) {
                tone.read(into: &frame)
                meter.receive(frame)
            }
        }
        let measured = meter.measurement
        #expect(abs(measured.duration - Double(5 + seconds)) < 1e-9)
        #expect(abs(measured.rms - 0.0707) < 0.001)
        #expect(abs(try #require(measured.dominantHz) - expected) < 2)
    }

    /// Whoever speaks last, and shortly, has been silent before.
    @Test func aShortSoundAfterALongSilenceIsMeasured() throws {
        let meter = AudioMeter()
        for _ in 0..<165 { meter.receive(AudioFrame(samples: (0..<960).map { Int16($0 % 7) - 3 })) }
        let tone = ToneSource(frequency: 440, levelDBFS: -20)
        var frame = AudioFrame(silence: 960)
        for _ in 0..<25 {
            tone.read(into: &frame)
            meter.receive(frame)
        }
        for _ in 0..<200 { meter.receive(AudioFrame(silence: 960)) }
        #expect(abs(try #require(meter.measurement.dominantHz) - 440) < 2)
    }

    @Test func aShortSoundIsMeasuredToo() throws {
        let meter = AudioMeter()
        meter.receive(AudioFrame(samples: sine(1_000, count: 2_400)))
        #expect(abs(try #require(meter.measurement.dominantHz) - 1_000) < 5)
        #expect(AudioMeter().measurement.dominantHz == nil)
    }
}

@Suite struct SinkTestCardTests {
    private func frame(_ sender: UInt16, _ number: Int, _ time: MediaTime) throws -> VideoFrame {
        let source = try TestCardSource(sender: sender, width: 160, height: 90)
        for _ in 0..<number { _ = source.nextFrame(at: .zero) }
        return try #require(source.nextFrame(at: time))
    }

    @Test func countsWhatIsMissingDoubledStrangeAndLate() throws {
        let sink = TestCardSink()
        let start = MediaTime(nanoseconds: 1_000_000_000)
        for number in [3, 4, 7, 7, 6, 9] {
            sink.receive(try frame(5, number, start), at: start.advanced(seconds: 0.010))
        }
        sink.receive(try frame(6, 10, start), at: start)
        sink.receive(VideoFrame(black: 160, by: 90), at: start)
        let report = sink.report
        #expect(report.framesReceived == 8 && report.framesRead == 6)
        #expect(report.unreadable == 1 && report.wrongSender == 1)
        #expect(report.duplicates == 1 && report.outOfOrder == 1 && report.missing == 3)
        #expect(report.first == 3 && report.last == 9)
        #expect(report.gaps == [5...6, 8...8])
        #expect(abs(report.latency.percentile(0.5) - 10) < 0.4)
    }

    @Test func aPictureThatCannotBeReadIsNotMissing() throws {
        let sink = TestCardSink()
        sink.receive(try frame(5, 3, .zero), at: .zero)
        sink.receive(VideoFrame(black: 160, by: 90), at: .zero)
        sink.receive(try frame(5, 6, .zero), at: .zero)
        // In no gap it stands for none of the numbers.
        sink.receive(VideoFrame(black: 160, by: 90), at: .zero)
        sink.receive(try frame(5, 7, .zero), at: .zero)
        #expect(sink.report.damaged == 1 && sink.report.missing == 1 && sink.report.unreadable == 2)
    }

    @Test func saysForHowLongThereWasNoNewPicture() throws {
        let sink = TestCardSink()
        let start = MediaTime(nanoseconds: 5_000_000_000)
        // Numbers and milliseconds: one comes twice, and after a gap that was expected it goes on.
        let course: [(number: Int, at: Double)] = [
            (3, 0), (4, 33), (4, 150), (5, 240), (6, 441), (2, 500), (9, 700), (10, 890),
        ]
        for (number, at) in course {
            sink.receive(try frame(5, number, start), at: start.advanced(seconds: at / 1_000))
        }
        sink.expectGap()
        sink.receive(try frame(5, 40, start), at: start.advanced(seconds: 9))
        let showing = sink.report.showing
        #expect(showing.pictures == 7 && showing.first == start && showing.last == start.advanced(seconds: 9))
        #expect(showing.pauseCount == 4)
        let pauses = showing.pauses.map { (($0.start.seconds - start.seconds) * 1_000).rounded() }
        #expect(pauses == [33, 240, 441, 890])
        #expect(abs(showing.pausedSeconds - (0.207 + 0.201 + 0.259 + 8.110)) < 1e-6)
        let longest = try #require(showing.longest)
        #expect(abs(longest.seconds - 8.11) < 1e-6 && longest == showing.pauses[3])
    }

    /// A server that changes layers may send the key frames of both.
    @Test func twoLayersOfOneCaptureAreNoDuplicate() throws {
        let sink = TestCardSink()
        let (small, large) = (
            try TestCardSource(sender: 5, width: 160, height: 90),
            try TestCardSource(sender: 5, width: 320, height: 180)
        )
        let first = try #require(small.nextFrame(at: .zero))
        let same = try #require(large.nextFrame(at: .zero))
        for frame in [first, same, same] { sink.receive(frame, at: .zero) }
        #expect(sink.report.otherLayers == 1 && sink.report.duplicates == 1 && sink.report.framesRead == 3)
    }

    @Test func theWrongSenderFromTheStart() throws {
        let sink = TestCardSink(expectedSender: 9)
        sink.receive(try frame(5, 0, .zero), at: .zero)
        #expect(sink.report.wrongSender == 1 && sink.report.framesRead == 0)
    }

    @Test func percentilesAreRightToThreePercent() {
        var histogram = LatencyHistogram()
        #expect(histogram.percentile(0.5) == 0)
        for millisecond in 1...1_000 { histogram.record(seconds: Double(millisecond) / 1_000) }
        for (share, wanted) in [(0.5, 500.0), (0.95, 950), (0.99, 990), (0.001, 1)] {
            #expect(abs(histogram.percentile(share) - wanted) < wanted * 0.032)
        }
        #expect(histogram.percentile(1) == 1_000 && histogram.maximum == 1_000)
        for odd in [-1, 0, .nan, .infinity, 1e300, 3e-5] { histogram.record(seconds: odd) }
        #expect(histogram.count == 1_006 && histogram.maximum == 1_800_000)
        var other = LatencyHistogram()
        other.merge(histogram)
        #expect(other == histogram)
        other.merge(LatencyHistogram())
        #expect(other == histogram, "an empty one adds nothing")
    }
}
