import MediaCore
import Testing

@Suite struct CodecOpusTests {
    /// Encodes and decodes; `lost` says which packets never arrive and how they are replaced.
    enum Repair { case silence, conceal, recover }

    private func transmit(
        _ samples: [Int16], _ configuration: OpusEncoderConfiguration = .init(), repair: Repair = .conceal,
        lost: (Int) -> Bool = { _ in false }
    ) throws -> [Int16] {
        let encoder = try OpusEncoder(configuration)
        let decoder = try OpusDecoder(channels: configuration.channels)
        let step = configuration.frameCount * configuration.channels
        let packets = try packets(samples, encoder, step)
        var output: [Int16] = []
        var frame = [Int16](repeating: 0, count: step)
        for (index, packet) in packets.enumerated() {
            try frame.withUnsafeMutableBufferPointer { frame in
                if !lost(index) {
                    let count = try packet.withUnsafeBytes { try decoder.decode($0, into: frame) }
                    #expect(count == configuration.frameCount)
                } else if repair == .recover, index + 1 < packets.count, !lost(index + 1) {
                    try packets[index + 1].withUnsafeBytes { try decoder.recover(from: $0, into: frame) }
                } else if repair == .silence {
                    frame.update(repeating: 0)
                } else {
                    try decoder.conceal(into: frame)
                }
            }
            output += frame
        }
        return output
    }

    private func packets(_ samples: [Int16], _ encoder: OpusEncoder, _ step: Int) throws -> [[UInt8]] {
        var room = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
        return try stride(from: 0, through: samples.count - step, by: step).map { start in
            let length = try samples[start..<start + step].withUnsafeBufferPointer { input in
                try room.withUnsafeMutableBytes { try encoder.encode(input, into: $0) }
            }
            return Array(room[..<length])
        }
    }

    @Test(arguments: [10, 20, 40, 60], [1, 2])
    func aToneComesBackAtItsFrequency(milliseconds: Int, channels: Int) throws {
        var configuration = OpusEncoderConfiguration(channels: channels)
        configuration.frameMilliseconds = milliseconds
        let mono = sine(440, count: 48_000)
        let output = try transmit(channels == 1 ? mono : mono.flatMap { [$0, $0] }, configuration)
        let heard = stride(from: 9_600 * channels, to: output.count, by: channels).map { output[$0] }
        #expect(abs(try #require(dominantFrequency(heard)) - 440) < 1)
        #expect(abs(PCMLevel.rms(heard) / PCMLevel.rms(mono) - 1) < 0.1)
    }

    @Test func bitrateIsKept() throws {
        for bitrate in [16_000, 32_000, 64_000] {
            let encoder = try OpusEncoder(.init(bitrate: bitrate))
            let speech = try SpeechSynthesizer.synthesize(Self.sentence)
            let sizes = try packets(speech, encoder, 960).map(\.count)
            let measured = Double(sizes.reduce(0, +) * 8) / (Double(sizes.count) * 0.02)
            #expect(measured < Double(bitrate) * 1.15)
            #expect(measured > Double(bitrate) * 0.6)
        }
    }

    @Test func concealmentAndFECBeatSilence() throws {
        let speech = try SpeechSynthesizer.synthesize(Self.sentence)
        var configuration = OpusEncoderConfiguration(bitrate: 32_000)
        configuration.expectedLossPercent = 20
        let lost: (Int) -> Bool = { $0 > 10 && $0 % 7 == 3 }
        let whole = try transmit(speech, configuration)
        let silence = try transmit(speech, configuration, repair: .silence, lost: lost)
        let concealed = try transmit(speech, configuration, repair: .conceal, lost: lost)
        let recovered = try transmit(speech, configuration, repair: .recover, lost: lost)
        let quality = [silence, concealed, recovered].map { spectralDistance(whole, $0) }
        #expect(quality[1] < quality[0] * 0.8)
        #expect(quality[2] < quality[1] * 0.8)
    }

    /// The mean difference of short-time spectra in dB, which unlike a waveform's doesn't mind a shifted phase.
    private func spectralDistance(_ a: [Int16], _ b: [Int16]) -> Double {
        var (first, second) = (Spectrum(size: 1_024), Spectrum(size: 1_024))
        var sum = 0.0
        var count = 0
        for start in stride(from: 0, to: min(a.count, b.count) - 1_024, by: 480) {
            first.analyze(Array(a[start..<start + 1_024]))
            second.analyze(Array(b[start..<start + 1_024]))
            for bin in 4..<170 {
                sum += abs(decibels(first.powers[bin]) - decibels(second.powers[bin]))
                count += 1
            }
        }
        return sum / Double(max(1, count))
    }

    private func decibels(_ power: Float) -> Double {
        var value = Double(power) + 1e-8
        var result = 0.0
        while value < 0.5 {
            value *= 2
            result -= 3.01
        }
        return result + 3.01 * (value - 1)
    }

    @Test func dtxMakesSilenceCheap() throws {
        var configuration = OpusEncoderConfiguration()
        configuration.dtx = true
        let encoder = try OpusEncoder(configuration)
        let sizes = try packets([Int16](repeating: 0, count: 96_000), encoder, 960).map(\.count)
        #expect(sizes.suffix(50).filter { $0 <= 2 }.count >= 40)
    }

    @Test func settingsChangeWhileRunning() throws {
        let encoder = try OpusEncoder(.init(bitrate: 64_000))
        let tone = sine(440, count: 48_000)
        let rich = try packets(tone, encoder, 960).map(\.count).reduce(0, +)
        try encoder.reconfigure {
            $0.bitrate = 12_000
            $0.channels = 2
        }
        #expect(encoder.configuration.channels == 1)
        let poor = try packets(tone, encoder, 960).map(\.count).reduce(0, +)
        #expect(poor * 2 < rich)
        #expect(throws: MediaError.self) { try encoder.reconfigure { $0.bitrate = 1 } }
        #expect(encoder.configuration.bitrate == 12_000)
    }

    @Test func wrongArgumentsAreErrors() throws {
        #expect(throws: MediaError.self) { try OpusEncoder(.init(channels: 3)) }
        #expect(throws: MediaError.self) { try OpusDecoder(channels: 0) }
        var configuration = OpusEncoderConfiguration()
        configuration.frameMilliseconds = 21
        #expect(throws: MediaError.self) { try OpusEncoder(configuration) }
        let encoder = try OpusEncoder()
        var room = [UInt8](repeating: 0, count: 100)
        #expect(throws: CodecError.invalidArgument) {
            _ = try [Int16](repeating: 0, count: 959).withUnsafeBufferPointer { samples in
                try room.withUnsafeMutableBytes { try encoder.encode(samples, into: $0) }
            }
        }
    }

    @Test func randomPacketsNeverTrap() throws {
        let decoder = try OpusDecoder(channels: 2)
        var random = SeededGenerator(seed: 3)
        var room = [Int16](repeating: 0, count: 2 * OpusDecoder.maximumFrameCount)
        var refused = 0
        for _ in 0..<2_000 {
            let packet = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            do {
                _ = try packet.withUnsafeBytes { packet in
                    try room.withUnsafeMutableBufferPointer { try decoder.decode(packet, into: $0) }
                }
            } catch { refused += 1 }
        }
        #expect(refused > 0)
    }

    static let sentence = "The quick brown fox jumps over the lazy dog, and then it walks slowly home."
}
