import Glibc
import Testing

@testable import MediaCore

/// Four seconds of speech, at half its level, with what prepares it to be compared; made once.
private struct Said: Sendable {
    let samples: [Int16]
    let reference: ReferenceSound

    private init(text: Int, voice: Int) throws {
        samples = try TestSound.speech(text, voice: voice, seconds: 4).map { $0 / 2 }
        reference = ReferenceSound(samples)
    }

    init(_ samples: [Int16]) {
        (self.samples, reference) = (samples, ReferenceSound(samples))
    }

    private static let made = Result { try (0..<3).map { try Said(text: $0, voice: $0) } }
    static func numbered(_ number: Int) throws -> Said { try made.get()[number] }

    func opinion(of heard: [Int16]) -> ReferenceOpinion { ReferenceScore.opinion(of: heard, reference) }
}

private func silence(_ count: Int) -> [Int16] { [Int16](repeating: 0, count: count) }

@Suite struct ReferenceScoreTests {
    @Test func theSameSamplesScoreBest() throws {
        let said = try Said.numbered(0)
        let opinion = said.opinion(of: said.samples)
        #expect(opinion.score > 4.95 && opinion.disturbance < 0.01)
        #expect(opinion.delayMilliseconds == 0 && opinion.gainDecibels == 0 && opinion.jumps == 0)
        #expect((2.5...4).contains(opinion.comparedSeconds))
    }

    @Test(arguments: [5, 9, 203, 900])
    func constantDelayIsNoHarm(milliseconds: Int) throws {
        let said = try Said.numbered(1)
        let opinion = said.opinion(of: silence(milliseconds * 48) + said.samples)
        #expect(opinion.score > 4.8, "\(opinion)")
        #expect(abs(try #require(opinion.delayMilliseconds) - Double(milliseconds)) <= 5)
    }

    @Test(arguments: [0.1, 0.3, 2])
    func gainIsNoHarm(factor: Double) throws {
        let said = try Said.numbered(2)
        let opinion = said.opinion(of: said.samples.map { Int16(clamping: Int((Double($0) * factor).rounded())) })
        #expect(opinion.score > 4.6, "\(opinion)")
        #expect(abs(try #require(opinion.gainDecibels) - 20 * log10(factor)) < 1.5)
    }

    @Test func harmsCost() throws {
        let said = try Said.numbered(0)
        func score(_ change: (_ index: Int, _ sample: Int) -> Int) -> Double {
            said.opinion(of: said.samples.indices.map { Int16(clamping: change($0, Int(said.samples[$0]))) }).score
        }
        let clean = said.opinion(of: try TestSound.coded(said.samples, bitrate: 32_000)).score
        #expect(clean > 4)
        let peak = said.samples.map { abs(Int($0)) }.max() ?? 0
        #expect(score { min(max($1, -peak / 8), peak / 8) } < clean - 0.3)
        #expect(score { $0 % 24_000 < 4_800 ? 0 : $1 } < clean - 1)
        #expect(score { $0 < said.samples.count / 2 ? $1 : 0 } < 2.5)
        let noise = TestSound.noise(seed: 4, seconds: 4)
        #expect(score { $1 + Int(noise[$0]) / 2 } < clean - 0.3)
        // What isn't said costs too.
        #expect(score { $1 + ($0 % 48_000 < 24_000 ? Int(noise[$0]) : 0) } < clean - 1)
    }

    /// What is sent without losses is whole, though it carries copies for the first of them: at 32 kbit/s they take so much of it
    /// that music is heard to suffer.
    @Test func theUsualEncodingIsWhole() throws {
        func score(_ said: Said, bitrate: Int, fec: Bool = true) throws -> Double {
            said.opinion(of: try TestSound.coded(said.samples, bitrate: bitrate, fec: fec)).score
        }
        let (melody, speech) = (Said(TestSound.melody(seconds: 12)), try Said.numbered(1))
        let usual = AudioEncoding().bitrate
        let (music, talk) = (try score(melody, bitrate: usual), try score(speech, bitrate: usual))
        let before = try score(melody, bitrate: 32_000)
        let beside = try score(melody, bitrate: usual * 2 / 3, fec: false)
        print("melody at \(usual) bit/s: \(music), at 32000: \(before), without copies: \(beside); speech: \(talk)")
        #expect(music > 4.7 && talk > 4.5 && before < 4.5 && beside > 4.7)
    }

    @Test func theWrongContentScoresWorst() throws {
        let said = try Said.numbered(0)
        #expect(said.opinion(of: silence(said.samples.count)).score == 1)
        for (text, voice) in [(1, 0), (2, 2), (3, 1)] {
            let score = said.opinion(of: try TestSound.speech(text, voice: voice, seconds: 4)).score
            #expect(score < 1.5, "text \(text), voice \(voice): \(score)")
        }
        #expect(said.opinion(of: TestSound.noise(seed: 1, seconds: 4)).score < 1.3)
        #expect(said.opinion(of: TestSound.pcm(ToneSource(frequency: 440), seconds: 4)).score < 1.3)
    }

    /// As a jitter buffer does that plays faster and slower: the delay is followed.
    @Test func stretchedTimeIsFollowed() throws {
        let said = try Said.numbered(1)
        var heard: [Int16] = []
        for second in 0..<4 {
            // Now 20 ms are left out, now 20 ms are heard twice.
            let (start, end) = (second * 48_000, (second + 1) * 48_000)
            heard += said.samples[(start + (second % 2 == 0 ? 960 : 0))..<end]
            if second % 2 == 1 { heard += said.samples[(end - 960)..<end] }
        }
        let opinion = said.opinion(of: heard)
        #expect(opinion.score > 3.8 && opinion.jumps == 0, "\(opinion)")
    }

    @Test func goesOnFromAnotherPlace() throws {
        let said = try TestSound.speech(0, voice: 0, seconds: 14)
        // Five seconds are missing, as after a reconnection.
        var score = ReferenceScore(ReferenceSound(said), place: .anywhere)
        score.append(Array(said[..<192_000] + said[432_000...]))
        let opinion = try #require(score.opinion)
        #expect(opinion.jumps == 1)
        // Two of nine seconds are lost until it is found again.
        #expect((1.1...3).contains(opinion.score), "\(opinion)")
    }

    @Test func findsItsPlaceInASourceThatRepeats() throws {
        let said = try TestSound.speech(3, voice: 1, seconds: 4)
        var score = ReferenceScore(ReferenceSound(said, repeats: true))
        score.append(silence(100_000))
        #expect(score.opinion?.score == 1)
        // From the middle and between two steps of 5 ms, and over the end twice.
        score.append(Array(said[60_123...]))
        score.append(said)
        score.append(Array(said[..<50_000]))
        let opinion = try #require(score.opinion)
        #expect(opinion.score > 4.6, "\(opinion)")
        #expect(opinion.delayMilliseconds == nil && opinion.jumps == 0)
    }

    @Test func piecesMakeNoDifference() throws {
        let said = try Said.numbered(2)
        let heard = try TestSound.coded(said.samples, bitrate: 24_000)
        for place in [ReferenceScore.Place.anywhere, .behind(seconds: 3)] {
            var pieces = ReferenceScore(said.reference, place: place)
            for start in stride(from: 0, to: heard.count, by: 481) {
                let mono = heard[start..<min(start + 481, heard.count)]
                let stereo = mono.flatMap { [$0, $0] }
                stereo.withUnsafeBufferPointer { pieces.append($0, channels: 2) }
                // Asking changes nothing.
                if start % 37 == 0 { _ = pieces.opinion }
            }
            var whole = ReferenceScore(said.reference, place: place)
            whole.append(heard)
            #expect(pieces.opinion == whole.opinion)
        }
    }

    @Test func memoryIsBounded() throws {
        var score = ReferenceScore(try Said.numbered(0).reference)
        let noise = TestSound.noise(seed: 2, seconds: 5)
        for _ in 0..<3 { score.append(noise) }
        #expect(score.keptSpectra < 600)
    }

    @Test func tooLittleSaysNothing() throws {
        let said = try Said.numbered(0)
        #expect(ReferenceScore(said.reference).opinion == nil)
        var short = ReferenceScore(said.reference, place: .behind(seconds: 1))
        short.append(Array(said.samples[..<24_000]))
        #expect(short.opinion == nil)
        var nothing = ReferenceScore(ReferenceSound([]))
        nothing.append(said.samples)
        #expect((nothing.opinion?.score ?? 1) == 1)
        // Bounds that nobody means are none.
        for seconds in [-1, .nan, .infinity, 1e300] {
            #expect(ReferenceScore(said.reference, place: .behind(seconds: seconds)).opinion == nil)
        }
    }
}

/// The calibration itself, in small: real Opus, our jitter buffer, virtual time.
@Suite struct ScoreCalibrationTests {
    @Test func everyLossCosts() throws {
        let calibration = ScoreCalibration(seconds: 8, seeds: 1..<5)
        let rows = try calibration.rows(losses: [0, 5, 20, 40])
        for (less, more) in zip(rows, rows.dropFirst()) {
            #expect(more.mean < less.mean, "\(more.loss) % has \(more.mean), \(less.loss) % \(less.mean)")
        }
        #expect(rows[0].lowest > 4, "\(rows[0])")
        #expect(rows[3].highest < 3.7, "\(rows[3])")
        for row in rows { #expect(row.lowest <= row.mean && row.mean <= row.highest + 1e-9) }
    }
}

@Suite struct ReferenceOpinionTests {
    @Test func theScaleFalls() {
        var last = 5.0
        for step in 0...100 {
            let score = ReferenceOpinion(disturbance: Double(step) / 100, comparedSeconds: 1).score
            #expect((1...5).contains(score) && score <= last)
            last = score
        }
        #expect(last == 1)
        for odd in [-1.0, 7, .infinity, .nan] {
            #expect((1...5).contains(ReferenceOpinion(disturbance: odd, comparedSeconds: 1).score))
        }
        #expect(ReferenceOpinion(disturbance: .nan, comparedSeconds: 1).score == 1)
    }

    @Test func filesThatCannotBeComparedAreNamed() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/said.wav"
            func write(_ samples: [Int16]) throws {
                let writer = try WAVWriter(path: path, channels: 1)
                writer.receive(AudioFrame(samples: samples))
                try writer.close()
            }
            try write(try TestSound.speech(0, voice: 0, seconds: 1))
            #expect(try ReferenceSound(wav: path).places == 200)
            try write([Int16](repeating: 0, count: 48_000))
            #expect(throws: MediaError.self) { _ = try ReferenceSound(wav: path) }
            try write([Int16](repeating: 900, count: 121 * 48_000))
            let error = #expect(throws: MediaError.self) { _ = try ReferenceSound(wav: path) }
            #expect("\(try #require(error))".contains("120 s"))
            #expect(throws: MediaError.self) { _ = try ReferenceSound(wav: directory + "/none.wav") }
        }
    }

    @Test func aSinkScoresWhatItIsGiven() throws {
        let said = try Said.numbered(1)
        let sink = ReferenceScoreSink(said.reference, place: .behind(seconds: 1))
        #expect(sink.opinion == nil)
        for start in stride(from: 0, to: said.samples.count, by: 960) {
            sink.receive(AudioFrame(samples: Array(said.samples[start..<(start + 960)])))
        }
        #expect(try #require(sink.opinion).score > 4.95)
    }
}

@Suite struct DelayPathTests {
    private func path(_ delays: [Int], allowed: ClosedRange<Int> = -100...100, from last: Int = 0) -> [Int] {
        var path = DelayPath()
        path.find(delays.count, from: last, allowed: allowed) { min(20, abs(Float($1 - delays[$0]))) }
        return path.delays
    }

    @Test func followsWhatLasts() {
        let delays = [Int](repeating: 0, count: 20) + [Int](repeating: 30, count: 30)
        #expect(path(delays) == delays)
        #expect(path([Int](repeating: 12, count: 50), from: 12) == [Int](repeating: 12, count: 50))
    }

    @Test func goesNoFurtherThanItsReach() {
        var path = DelayPath()
        path.find(50, from: 7, allowed: -100...100) { _, delay in Float(abs(delay - 90)) }
        #expect(path.delays == [Int](repeating: 7 + DelayPath.reach, count: 50))
    }

    @Test func ignoresWhatDoesNot() {
        let flicker = (0..<50).map { $0 % 7 == 3 ? 3 : 0 }
        #expect(path(flicker) == [Int](repeating: 0, count: 50))
    }

    @Test func keepsToWhatIsAllowed() {
        // The nearest one that is allowed, where the wanted one isn't; from within and from without.
        #expect(path([Int](repeating: -14, count: 50), allowed: -4...100).allSatisfy { $0 == -4 })
        #expect(path([Int](repeating: 14, count: 50), allowed: -100...6).allSatisfy { $0 == 6 })
        #expect(path([Int](repeating: -14, count: 50), allowed: -4...100, from: -9).allSatisfy { $0 == -4 })
        #expect(path([Int](repeating: 3, count: 50), allowed: -4...100, from: -90).allSatisfy { $0 == 3 })
        #expect(path([Int](repeating: 9, count: 50), allowed: 2...2).allSatisfy { $0 == 2 })
    }

    @Test func silenceFitsEverywhereAndStays() {
        var path = DelayPath()
        path.find(50, from: 17, allowed: -100...100) { _, _ in 0 }
        #expect(path.delays == [Int](repeating: 17, count: 50))
    }
}

@Suite struct NeurogramSimilarityTests {
    private func similarity(_ pairs: (Int, Int) -> (Float, Float)) -> Float {
        var similarity = NeurogramSimilarity()
        for spectrum in -1...1 {
            for band in -1...1 {
                let (a, b) = pairs(spectrum, band)
                similarity.add(spectrum, band, a, b)
            }
        }
        return similarity.value
    }

    @Test func isOneForTheSameAndNoneForSilence() {
        #expect(similarity { (Float(20 + 3 * $0 + $1), Float(20 + 3 * $0 + $1)) } > 0.999)
        #expect(similarity { _, _ in (20, 0) } < 0.01)
        #expect(similarity { _, _ in (0, 0) } == 1)
    }

    @Test func levelAndStructureCount() {
        let near = similarity { place, _ in (Float(20 + 3 * place), Float(22 + 3 * place)) }
        let far = similarity { place, _ in (Float(20 + 3 * place), Float(35 + 3 * place)) }
        let against = similarity { place, _ in (Float(20 + 6 * place), Float(20 - 6 * place)) }
        #expect(near > far && near > against && far < 0.95 && against < 0.3)
        #expect(NeurogramSimilarity().value == 1)
    }
}
