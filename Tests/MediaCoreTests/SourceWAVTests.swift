import MediaCore
import Testing

/// Writes WAV files byte by byte, so that every oddity can be made.
struct WAVBuilder {
    var tag: UInt16 = 1
    var channels = 1
    var rate = 48_000
    var bits = 16
    var isExtensible = false
    var blockSize: Int?
    /// Chunks between `fmt ` and `data`.
    var extra: [UInt8] = []
    /// What the data chunk's header says; nil for the truth.
    var claimedSize: UInt32?

    func file(_ data: [UInt8]) -> [UInt8] {
        var format: [UInt8] = []
        format.little(isExtensible ? 0xfffe : tag, 2)
        format.little(channels, 2)
        format.little(rate, 4)
        let block = blockSize ?? channels * bits / 8
        format.little(rate * block, 4)
        format.little(block, 2)
        format.little(bits, 2)
        if isExtensible {
            format.little(22, 2)
            format.little(bits, 2)
            format.little(3, 4)
            format.little(tag, 2)
            format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
        }
        var bytes = Array("RIFF".utf8)
        bytes.little(data.count + format.count + extra.count + 20, 4)
        bytes += Array("WAVEfmt ".utf8)
        bytes.little(format.count, 4)
        bytes += format + extra + Array("data".utf8)
        bytes.little(claimedSize ?? UInt32(data.count), 4)
        return bytes + data
    }

    /// Encodes samples of the full scale ±1.
    func encode(_ values: [Double]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values {
            switch (tag, bits) {
            case (3, _): bytes.little(Float(value).bitPattern, 4)
            case (_, 16): bytes.little(Int16(value * 32_767), 2)
            case (_, 24): bytes.little(Int32(value * 8_388_607), 3)
            default: bytes.little(Int32(value * 2_147_483_000), 4)
            }
        }
        return bytes
    }
}

extension [UInt8] {
    mutating func little(_ value: some BinaryInteger, _ count: Int) {
        let bits = UInt64(truncatingIfNeeded: value)
        for index in 0..<count { append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * index))) }
    }
}

@Suite struct SourceWAVTests {
    private static let formats: [(tag: UInt16, bits: Int)] = [(1, 16), (1, 24), (1, 32), (3, 32)]

    @Test(arguments: [0, 1, 2, 3], [false, true])
    func eachSampleFormatPlaysAlike(format: Int, isExtensible: Bool) throws {
        var builder = WAVBuilder(isExtensible: isExtensible)
        (builder.tag, builder.bits) = Self.formats[format]
        let tone = sine(440, count: 9_600)
        let bytes = builder.file(builder.encode(tone.map { Double($0) / 32_767 }))
        let source = try WAVSource(bytes: bytes, name: "tone.wav")
        let played = read(source, 20_000)
        #expect(played.count == tone.count)
        #expect(zip(tone, played).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        #expect(source.failure == nil && !source.isTruncated)
    }

    @Test(arguments: [8_000, 11_025, 16_000, 22_050, 44_100, 96_000], [1, 2])
    func anyRateAndBothChannelCounts(rate: Int, channels: Int) throws {
        let builder = WAVBuilder(channels: channels, rate: rate)
        let values = sine(440, count: rate, rate: Double(rate)).flatMap {
            [Double](repeating: Double($0) / 32_767, count: channels)
        }
        let source = try WAVSource(bytes: builder.file(builder.encode(values)), name: "tone.wav")
        #expect(source.channels == channels)
        let played = read(source, 100_000, step: 480)
        #expect(abs(played.count / channels - 48_000) <= 2)
        let left = stride(from: 0, to: played.count, by: channels).map { played[$0] }
        #expect(abs(try #require(dominantFrequency(Array(left[4_800...]))) - 440) < 1)
        #expect(signalToNoise(Array(sine(440, count: 48_000)[4_800..<43_000]), Array(left[4_800..<43_000])) > 50)
    }

    @Test func manyChannelsBecomeTheirMean() throws {
        let builder = WAVBuilder(channels: 6)
        let values = (0..<480).flatMap { _ in [0.6, 0.0, 0.3, 0.0, 0.0, 0.3] }
        let source = try WAVSource(bytes: builder.file(builder.encode(values)), name: "surround.wav")
        #expect(source.channels == 1)
        #expect(read(source, 480).allSatisfy { abs(Int($0) - 6_553) <= 2 })
    }

    @Test func unknownChunksAreSkippedAlsoOddOnes() throws {
        var builder = WAVBuilder()
        builder.extra = Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0] + Array("fact".utf8) + [4, 0, 0, 0, 0, 0, 0, 0]
        let source = try WAVSource(bytes: builder.file(builder.encode([0.5, 0.25])), name: "chunks.wav")
        #expect(read(source, 10) == [16_383, 8_191])
    }

    @Test func aTruncatedFilePlaysWhatIsThere() throws {
        var builder = WAVBuilder()
        builder.claimedSize = 9_600
        let source = try WAVSource(bytes: builder.file(builder.encode([0.5, 0.5, 0.5]) + [7]), name: "cut.wav")
        #expect(read(source, 100).count == 3)
        #expect(source.isTruncated)
        builder.claimedSize = .max
        let streamed = try WAVSource(bytes: builder.file(builder.encode([0.5, 0.5, 0.5])), name: "pipe.wav")
        #expect(read(streamed, 100).count == 3)
        #expect(!streamed.isTruncated)
    }

    @Test func repeatingStartsOverWithoutAGap() throws {
        let builder = WAVBuilder()
        let bytes = builder.file(builder.encode([0.1, 0.2, 0.3]))
        let source = try WAVSource(bytes: bytes, name: "loop.wav", repeats: true)
        let played = read(source, 8, step: 8)
        #expect(played.count == 8)
        #expect(played[0] == played[3] && played[1] == played[7])
        let empty = try WAVSource(bytes: builder.file([]), name: "empty.wav", repeats: true)
        #expect(read(empty, 8).isEmpty)
    }

    @Test func floatsOutOfRangeAreClipped() throws {
        let builder = WAVBuilder(tag: 3, bits: 32)
        let bytes = builder.file(builder.encode([2, -7, .nan, .infinity, -.infinity]))
        #expect(read(try WAVSource(bytes: bytes, name: "hot.wav"), 5) == [32_767, -32_767, 0, 32_767, -32_767])
    }

    @Test(arguments: [(UInt16(1), 8), (6, 8), (7, 8), (2, 4), (3, 64), (0x55, 16), (1, 20)])
    func otherFormatsAreRefusedWithARemedy(tag: UInt16, bits: Int) throws {
        let bytes = WAVBuilder(tag: tag, bits: bits).file([UInt8](repeating: 0, count: 64))
        let error = try #require(throws: MediaError.self) { _ = try WAVSource(bytes: bytes, name: "odd.wav") }
        #expect(error.kind == .unsupported)
        #expect(error.description.contains("odd.wav") && error.remedy.contains("ffmpeg"))
    }

    @Test func brokenHeadersAreErrors() throws {
        let good = WAVBuilder().file([1, 2, 3, 4])
        for length in 0..<44 {
            #expect(throws: MediaError.self) { _ = try WAVSource(bytes: Array(good[..<length]), name: "cut.wav") }
        }
        for builder in [
            WAVBuilder(channels: 0), WAVBuilder(channels: 65), WAVBuilder(rate: 0), WAVBuilder(blockSize: 3),
        ] {
            #expect(throws: MediaError.self) { _ = try WAVSource(bytes: builder.file([0, 0]), name: "bad.wav") }
        }
    }

    @Test func filesThatCantBeOpenedAreNamed() throws {
        for path in ["/nonexistent/a.wav", "/tmp"] {
            let error = try #require(throws: MediaError.self) { _ = try WAVSource(path: path) }
            #expect(error.kind == .unreadable && error.subject == path && !error.remedy.isEmpty)
        }
    }

    @Test(arguments: 0..<8)
    func mutatedFilesNeverTrap(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var builder = WAVBuilder(channels: 2, rate: [44_100, 48_000][seed & 1], isExtensible: seed & 2 != 0)
        (builder.tag, builder.bits) = Self.formats[seed % 4]
        let good = builder.file(builder.encode([Double](repeating: 0.3, count: 2_000)))
        for _ in 0..<300 {
            let bytes = good.mutated(&random, within: 80)
            guard let source = try? WAVSource(bytes: bytes, name: "mutated.wav", repeats: true) else { continue }
            _ = read(source, 5_000)
        }
    }
}

extension [UInt8] {
    /// Some bytes among the first `limit` changed, and perhaps the end cut off.
    func mutated(_ random: inout SeededGenerator, within limit: Int) -> [UInt8] {
        var bytes = self
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let index = Int.random(in: 0..<Swift.min(limit, bytes.count), using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[index] = 0xff
            case 1: bytes[index] = 0
            case 2: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
            default: bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
        }
        if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
        return bytes
    }
}
