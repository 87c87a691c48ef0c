import MediaCore
import Testing

@Suite struct AudioSpectrumTests {
    @Test(arguments: [57.3, 440.0, 441.7, 1_000.0, 3_333.3, 12_345.0])
    func findsAToneWithinATenthOfABin(frequency: Double) throws {
        var spectrum = Spectrum(size: 8_192)
        spectrum.analyze(sine(frequency, count: 8_192))
        let found = try #require(spectrum.dominantFrequency())
        #expect(abs(found - frequency) < spectrum.binWidth / 10)
    }

    @Test func aFullScaleSineReadsOne() {
        var spectrum = Spectrum(size: 1_024)
        let frequency = spectrum.binWidth * 64
        spectrum.analyze(sine(frequency, count: 1_024, amplitude: 32_767))
        #expect(abs(spectrum.powers[64] - 1) < 0.01)
        #expect(spectrum.powers[100] < 1e-6)
    }

    @Test func silenceHasNoFrequency() {
        var spectrum = Spectrum(size: 1_024)
        spectrum.analyze([Int16](repeating: 0, count: 1_024))
        #expect(spectrum.dominantFrequency() == nil)
    }

    @Test func theRangeIsRespected() throws {
        var spectrum = Spectrum(size: 4_096)
        let mix = zip(sine(300, count: 4_096, amplitude: 9_000), sine(2_000, count: 4_096, amplitude: 3_000)).map(&+)
        spectrum.analyze(mix)
        #expect(abs(try #require(spectrum.dominantFrequency()) - 300) < 2)
        #expect(abs(try #require(spectrum.dominantFrequency(in: 1_000...4_000)) - 2_000) < 2)
    }

    @Test func theTransformEqualsItsDefinition() {
        let transform = FourierTransform(size: 16)
        var random = SeededGenerator(seed: 1)
        var real = (0..<16).map { _ in Float.random(in: -1...1, using: &random) }
        var imaginary = (0..<16).map { _ in Float.random(in: -1...1, using: &random) }
        let expected = naive(real, imaginary)
        transform.transform(&real, &imaginary)
        for bin in 0..<16 {
            #expect(abs(real[bin] - expected.real[bin]) < 1e-3)
            #expect(abs(imaginary[bin] - expected.imaginary[bin]) < 1e-3)
        }
    }

    private func naive(_ real: [Float], _ imaginary: [Float]) -> (real: [Float], imaginary: [Float]) {
        var result = (real: [Float](repeating: 0, count: 16), imaginary: [Float](repeating: 0, count: 16))
        for bin in 0..<16 {
            for index in 0..<16 {
                // cos and sin of -2 pi k n / 16, read off exact samples of a sine.
                let angle = Self.turn[(bin * index) % 16]
                result.real[bin] += real[index] * angle.c + imaginary[index] * angle.s
                result.imaginary[bin] += imaginary[index] * angle.c - real[index] * angle.s
            }
        }
        return result
    }

    private static let turn: [(c: Float, s: Float)] = {
        let sixteenths = sine(1, count: 20, amplitude: 32_767, rate: 16).map { Float($0) / 32_767 }
        return (0..<16).map { (sixteenths[$0 + 4], sixteenths[$0]) }
    }()
}

@Suite struct AudioLevelTests {
    @Test(arguments: [(0.0, UInt8(127)), (1.0, 0), (0.1, 20), (0.01, 40), (1e-9, 127), (2.0, 0)])
    func levelsFollowRFC6464(rms: Double, level: UInt8) {
        #expect(PCMLevel.level(rms: rms) == level)
    }

    @Test func rmsOfASine() {
        #expect(abs(PCMLevel.rms(sine(1_000, count: 48_000, amplitude: 32_767)) - 0.7071) < 0.001)
        #expect(PCMLevel.rms([]) == 0)
        #expect(PCMLevel.rms([Int16](repeating: -32_768, count: 1_000)) == 1)
    }

    @Test(arguments: [90.0, 120.0, 180.0, 240.0, 330.0])
    func pitchOfAHarmonicSound(pitch: Double) throws {
        var tracker = PitchTracker()
        var sound = [Int16](repeating: 0, count: 48_000)
        for harmonic in 1...8 {
            let part = sine(pitch * Double(harmonic), count: 48_000, amplitude: 12_000 / Double(harmonic * 2))
            for index in sound.indices { sound[index] += part[index] }
        }
        sound.withUnsafeBufferPointer { tracker.add($0) }
        #expect(abs(try #require(tracker.median) - pitch) < pitch * 0.03)
    }

    @Test func noiseHasNoPitch() {
        var random = SeededGenerator(seed: 7)
        let noise = (0..<48_000).map { _ in Int16.random(in: -8_000...8_000, using: &random) }
        var tracker = PitchTracker()
        noise.withUnsafeBufferPointer { tracker.add($0) }
        #expect(tracker.median == nil)
    }
}
