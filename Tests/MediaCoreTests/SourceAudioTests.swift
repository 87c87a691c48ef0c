import MediaCore
import Testing

@Suite struct SourceAudioTests {
    @Test func aToneHasItsFrequencyAndLevelForGood() throws {
        let tone = ToneSource(frequency: 997, levelDBFS: -6)
        var samples = read(tone, 48_000 * 20)
        #expect(samples.count == 48_000 * 20)
        samples = Array(samples.suffix(8_192))
        #expect(abs(try #require(dominantFrequency(samples)) - 997) < 0.5)
        #expect(abs(Double(samples.max() ?? 0) / 32_767 - 0.501) < 0.005)
        _ = read(ToneSource(frequency: .nan, levelDBFS: .nan), 10)
    }

    /// Beeps begin at the clock's full seconds; a reader that was held up is put back.
    @Test func beepsKeepToTheClock() {
        let clock = ManualClock(now: MediaTime(nanoseconds: 3_750_000_000))
        let source = BeepSource(frequency: 480, clock: clock.clock)
        /// Which tens of milliseconds of a second of reading sound.
        func loud() -> [Int] {
            (0..<100).filter { _ in
                defer { clock.advance(to: clock.now.advanced(seconds: 0.01)) }
                return read(source, 480).contains { abs($0) > 5_000 }
            }
        }
        #expect(loud() == Array(25..<35))
        clock.advance(to: clock.now.advanced(seconds: 0.2))
        #expect(loud() == Array(5..<15), "4.95 s it is")
    }

    @Test func silenceIsSilent() {
        #expect(read(SilenceSource(channels: 2), 100) == [Int16](repeating: 0, count: 200))
    }

    @Test func samplesPlayOnceOrAgainWithAPause() {
        #expect(read(PCMSource(samples: [1, 2, 3]), 10) == [1, 2, 3])
        let source = PCMSource(samples: [1, 2], repeats: true, pause: 2.0 / 48_000)
        #expect(read(source, 9, step: 3) == [1, 2, 0, 0, 1, 2, 0, 0, 1])
        #expect(read(PCMSource(samples: [], repeats: true), 5).isEmpty)
        #expect(read(PCMSource(samples: [], repeats: true, pause: 1), 5).isEmpty)
    }

    @Test func aFrameIsFilledUpWithSilence() {
        var frame = AudioFrame(samples: [9, 9, 9, 9])
        #expect(PCMSource(samples: [1, 2]).read(into: &frame) == 2)
        #expect(frame.samples == [1, 2, 0, 0])
    }

    @Test func turnsComeAtTheirTimesWithoutClicks() throws {
        let schedule = try ScheduledAudioSource(
            turns: [
                .init(from: 1, to: 2, ToneSource(frequency: 440)),
                .init(from: 0.25, to: 0.5, ToneSource(frequency: 880)),
            ], period: 3)
        let samples = read(schedule, 6 * 48_000, step: 441)
        func part(_ from: Double, _ to: Double) -> [Int16] { Array(samples[Int(from * 48_000)..<Int(to * 48_000)]) }
        for period in [0.0, 3.0] {
            #expect(part(period, period + 0.25).allSatisfy { $0 == 0 })
            #expect(abs(try #require(dominantFrequency(part(period + 0.27, period + 0.48))) - 880) < 1)
            #expect(part(period + 0.5, period + 1).allSatisfy { $0 == 0 })
            #expect(abs(try #require(dominantFrequency(part(period + 1.1, period + 1.9))) - 440) < 1)
            #expect(part(period + 2, period + 3).allSatisfy { $0 == 0 })
            // A 5 ms fade: nothing steep at the edges.
            #expect(abs(Int(samples[Int((period + 1) * 48_000) + 1])) < 50)
            #expect(abs(Int(samples[Int((period + 2) * 48_000) - 1])) < 50)
        }
    }

    @Test func aSourceGoesOnWhereItsLastTurnEnded() throws {
        let counter = PCMSource(samples: (0..<2_000).map { Int16($0) })
        let turn = 1_000.0 / 48_000
        let schedule = try ScheduledAudioSource(turns: [
            .init(from: 0, to: turn, counter), .init(from: 2 * turn, to: 3 * turn, counter),
        ])
        let samples = read(schedule, 3_000)
        #expect(samples[500] == 500 && samples[1_500] == 0 && samples[2_500] == 1_500)
    }

    @Test func monoIsDoubledInAStereoSchedule() throws {
        let source = PCMSource(samples: [Int16](repeating: 100, count: 48_000))
        let schedule = try ScheduledAudioSource(turns: [.init(from: 0, to: 1, source)], channels: 2)
        #expect(Array(read(schedule, 1_000)[1_000..<1_004]) == [100, 100, 100, 100])
    }

    @Test func impossibleSchedulesAreErrors() {
        let tone = ToneSource(frequency: 440)
        let wrong: [([ScheduledAudioSource.Turn], Double?)] = [
            ([.init(from: 0, to: 2, tone), .init(from: 1, to: 3, tone)], nil), ([.init(from: -1, to: 2, tone)], nil),
            ([.init(from: 2, to: 1, tone)], nil), ([.init(from: 0, to: 2, tone)], 1), ([], 0), ([], .nan),
            ([.init(from: .nan, to: .nan, tone)], nil), ([.init(from: 0, to: .infinity, tone)], nil),
            ([.init(from: 0, to: 1, SilenceSource(channels: 2))], nil),
        ]
        for (turns, period) in wrong {
            #expect(throws: MediaError.self) { _ = try ScheduledAudioSource(turns: turns, period: period) }
        }
    }
}

@Suite struct SourceSpeechTests {
    private static let text = "We are all here now, and everyone can hear me well. Shall we begin the meeting?"

    @Test func voicesDifferInPitch() throws {
        var pitches: [Double] = []
        for voice in SpeechVoice.all {
            let speech = try SpeechSynthesizer.synthesize(Self.text, voice: voice)
            #expect(speech.count > 2 * 48_000)
            #expect(PCMLevel.rms(speech) > 0.02)
            var tracker = PitchTracker()
            speech.withUnsafeBufferPointer { tracker.add($0) }
            pitches.append(try #require(tracker.median))
        }
        let sorted = pitches.sorted()
        for (low, high) in zip(sorted, sorted.dropFirst()) { #expect(high > low * 1.05) }
    }

    @Test func theSameTextGivesTheSameSamples() throws {
        let first = try SpeechSynthesizer.synthesize("Good morning.", voice: .numbered(1))
        _ = try SpeechSynthesizer.synthesize("Something else.", voice: .numbered(2))
        #expect(try SpeechSynthesizer.synthesize("Good morning.", voice: .numbered(1)) == first)
        #expect(SpeechVoice.numbered(-1) == SpeechVoice.all.last)
    }

    @Test func manyCallersTakeTurns() async throws {
        let expected = try SpeechSynthesizer.synthesize("One two three.")
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { try SpeechSynthesizer.synthesize("One two three.") == expected } }
            for try await isEqual in group { #expect(isEqual) }
        }
    }

    @Test func theSourceSpeaksAndPauses() throws {
        let source = try SpeechSource("Hello.", pause: 0.5)
        let once = Int((source.duration * 48_000).rounded())
        let samples = read(source, 2 * once + 24_000)
        #expect(samples.count == 2 * once + 24_000)
        #expect(samples[once..<once + 24_000].allSatisfy { $0 == 0 })
        #expect(Array(samples[(once + 24_000)...]) == Array(samples[..<once]))
    }

    @Test(arguments: ["", "   \n", "...", String(repeating: "a", count: 10_001), "nul\0byte"])
    func textThatCantBeSpokenIsRefused(text: String) {
        #expect(throws: MediaError.self) { _ = try SpeechSynthesizer.synthesize(text) }
    }

    @Test(arguments: ["nosuchlanguage", "en+q9", ""])
    func anUnknownVoiceIsNamed(name: String) throws {
        let error = try #require(throws: MediaError.self) {
            _ = try SpeechSynthesizer.synthesize("Hello", voice: SpeechVoice(name))
        }
        #expect(error.description.contains("'\(name)'"))
    }
}
