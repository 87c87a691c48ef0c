import Testing

@testable import MediaCore

/// Sounds for the tests of this folder.
enum TestSound {
    static let texts = [
        "The quick brown fox jumps over the lazy dog. Then it sleeps, and the dog wonders what to do next.",
        "Good morning everybody, this is the weekly meeting. Let us begin with the open questions.",
        "In the beginning there was silence on the line. After a while somebody coughed.",
        "Seven ships sailed south in September, while we watched the white waves roll in.",
    ]

    static func pcm(_ source: any AudioSource, seconds: Double) -> [Int16] {
        var samples = [Int16](repeating: 0, count: Int(seconds * 48_000))
        _ = samples.withUnsafeMutableBufferPointer { source.read(into: $0) }
        return samples
    }

    static func speech(_ text: Int, voice: Int, seconds: Double = 6) throws -> [Int16] {
        pcm(try SpeechSource(texts[text], voice: .numbered(voice)), seconds: seconds)
    }

    /// Notes of 100 ms, out of order, with edges of 5 ms.
    static func melody(seconds: Double) -> [Int16] {
        (0..<Int(seconds * 10)).flatMap { note in
            let samples = pcm(ToneSource(frequency: 500 + 190 * Double(note * 5 % 12)), seconds: 0.1)
            return samples.enumerated().map { place, sample in
                Int16(Double(sample) * min(1, Double(min(place + 1, samples.count - place)) / 240))
            }
        }
    }

    static func noise(seed: UInt64, seconds: Double = 6) -> [Int16] {
        var random = TraceRandom(seed: seed)
        return (0..<Int(seconds * 48_000)).map { _ in Int16(random.float(-6_000, 6_000)) }
    }

    /// What an Opus encoder makes of it, packet by packet.
    static func packets(_ pcm: [Int16], bitrate: Int, fec: Bool = false) throws -> [[UInt8]] {
        var configuration = OpusEncoderConfiguration(channels: 1, bitrate: bitrate)
        configuration.inbandFEC = fec
        let encoder = try OpusEncoder(configuration)
        var buffer = [UInt8](repeating: 0, count: 1_500)
        return try stride(from: 0, to: pcm.count - 959, by: 960).map { start in
            let length = try pcm.withUnsafeBufferPointer { samples in
                try buffer.withUnsafeMutableBytes {
                    try encoder.encode(UnsafeBufferPointer(rebasing: samples[start..<(start + 960)]), into: $0)
                }
            }
            return Array(buffer[..<length])
        }
    }

    /// Through Opus and back.
    static func coded(_ pcm: [Int16], bitrate: Int, fec: Bool = false) throws -> [Int16] {
        let decoder = try OpusDecoder(channels: 1)
        var buffer = [Int16](repeating: 0, count: OpusDecoder.maximumFrameCount)
        var result: [Int16] = []
        for packet in try packets(pcm, bitrate: bitrate, fec: fec) {
            let count = try packet.withUnsafeBytes { bytes in
                try buffer.withUnsafeMutableBufferPointer { try decoder.decode(bytes, into: $0) }
            }
            result += buffer[..<count]
        }
        return result
    }

    static func profile(_ pcm: [Int16]) -> SpectralProfile {
        var profile = SpectralProfile()
        for start in stride(from: 0, to: pcm.count, by: 960) {
            profile.append(Array(pcm[start..<min(start + 960, pcm.count)]))
        }
        return profile
    }
}

@Suite struct SpectralMatchTests {
    /// Each sound through Opus, later than its source, against all sources.
    private func expectOwnSource(_ sounds: [[Int16]], bitrate: Int, atLeast: Double) throws {
        let sources = sounds.map { TestSound.profile($0) }
        for (own, sound) in sounds.enumerated() {
            let received = TestSound.profile(
                [Int16](repeating: 0, count: 17_760) + (try TestSound.coded(sound, bitrate: bitrate)))
            let matches = sources.map { SpectralMatch(received: received, source: $0) }
            #expect(matches[own].similarity >= atLeast)
            for other in sounds.indices where other != own {
                #expect(matches[other].similarity < matches[own].similarity / 2)
            }
        }
    }

    @Test(arguments: [24_000, 32_000])
    func findsTheSpeaker(bitrate: Int) throws {
        let sounds = try (0..<4).map { try TestSound.speech($0, voice: $0) }
        try expectOwnSource(sounds, bitrate: bitrate, atLeast: 0.92)
    }

    @Test func tellsTextsOfOneVoiceApart() throws {
        let sounds = try (0..<4).map { try TestSound.speech($0, voice: 1) }
        try expectOwnSource(sounds, bitrate: 24_000, atLeast: 0.92)
    }

    @Test func tellsTonesApart() throws {
        let sounds = [440.0, 554, 660, 880].map { TestSound.pcm(ToneSource(frequency: $0), seconds: 4) }
        try expectOwnSource(sounds, bitrate: 24_000, atLeast: 0.9)
    }

    /// Noise loses some of its grain in Opus; that somebody falls silent stays.
    @Test func tellsNoisesApart() throws {
        let steady = (0..<3).map { TestSound.noise(seed: UInt64($0)) }
        try expectOwnSource(steady, bitrate: 32_000, atLeast: 0.7)
        // In turns of two seconds.
        let bursts = steady.enumerated().map { index, noise in
            noise.enumerated().map { $0.offset / 96_000 == index ? $0.element : 0 }
        }
        try expectOwnSource(bursts, bitrate: 24_000, atLeast: 0.85)
    }

    @Test func findsTheLag() throws {
        let speech = try TestSound.speech(0, voice: 0)
        let source = TestSound.profile(speech)
        let late = SpectralMatch(
            received: TestSound.profile([Int16](repeating: 0, count: 24_000) + speech), source: source, maximumLag: 1)
        #expect(abs(late.lag - 0.5) < 0.015)
        #expect(late.similarity > 0.98)
        let early = SpectralMatch(
            received: TestSound.profile(Array(speech[36_000...])), source: source, maximumLag: 1)
        #expect(abs(early.lag + 0.75) < 0.015)
        #expect(early.similarity > 0.98)
    }

    @Test func gainDoesNotMatter() throws {
        let speech = try TestSound.speech(1, voice: 2)
        let match = SpectralMatch(received: TestSound.profile(speech.map { $0 / 6 }), source: TestSound.profile(speech))
        #expect(match.similarity > 0.95)
    }

    @Test func silenceMatchesNothing() throws {
        let silence = TestSound.profile([Int16](repeating: 0, count: 96_000))
        let speech = TestSound.profile(try TestSound.speech(0, voice: 0, seconds: 2))
        #expect(SpectralMatch(received: silence, source: speech).similarity == 0)
        #expect(SpectralMatch(received: speech, source: silence).similarity == 0)
        #expect(SpectralMatch(received: SpectralProfile(), source: speech).similarity == 0)
        #expect(SpectralMatch(received: silence, source: silence).similarity == 0)
    }

    @Test func aSilentHalfCosts() throws {
        var speech = try TestSound.speech(0, voice: 0)
        let source = TestSound.profile(speech)
        for index in (speech.count / 2)..<speech.count { speech[index] = 0 }
        #expect(SpectralMatch(received: TestSound.profile(speech), source: source).similarity < 0.8)
    }

    @Test func stereoAndPiecesMakeNoDifference() throws {
        let speech = try TestSound.speech(3, voice: 3, seconds: 1)
        var whole = SpectralProfile()
        whole.append(speech)
        var stereo = SpectralProfile()
        for start in stride(from: 0, to: speech.count, by: 777) {
            stereo.append(speech[start..<min(start + 777, speech.count)].flatMap { [$0, $0] }, channels: 2)
        }
        #expect(whole.count == stereo.count)
        #expect(whole.levels == stereo.levels)
        #expect(abs(Double(whole.count) * SpectralProfile.hop - 1) < 0.04)
    }
}
