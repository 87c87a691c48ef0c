import MediaCore
import Testing

@Suite struct AudioResamplerTests {
    @Test(arguments: [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 96_000, 192_000])
    func aToneStaysItselfAndInStep(rate: Int) throws {
        let input = sine(1_000, count: rate, rate: Double(rate))
        let output = try Resampler.convert(input, from: rate, to: 48_000)
        #expect(output.count == 48_000)
        let wanted = sine(1_000, count: 48_000)
        #expect(signalToNoise(Array(wanted[2_000..<46_000]), Array(output[2_000..<46_000])) > 55)
    }

    @Test func whatTheTargetCantHoldIsFilteredOut() throws {
        let output = try Resampler.convert(sine(30_000, count: 96_000, rate: 96_000), from: 96_000, to: 48_000)
        #expect(PCMLevel.rms(Array(output[2_000..<46_000])) < 8_000 * 0.7 / 32_768 / 1_000)
    }

    @Test func channelsStayApart() throws {
        let left = sine(500, count: 44_100, rate: 44_100)
        let stereo = left.flatMap { [$0, Int16(0)] }
        let output = try Resampler.convert(stereo, channels: 2, from: 44_100, to: 48_000)
        let right = stride(from: 1, to: output.count, by: 2).map { output[$0] }
        #expect(right.allSatisfy { abs(Int($0)) <= 1 })
        #expect(output.count == 96_000)
    }

    @Test(arguments: [(0, 48_000), (48_000, 0), (-1, 48_000), (1, 1_000_000)])
    func impossibleRatesAreRefused(rates: (Int, Int)) {
        #expect(throws: MediaError.self) { _ = try Resampler.convert([1, 2], from: rates.0, to: rates.1) }
    }
}
