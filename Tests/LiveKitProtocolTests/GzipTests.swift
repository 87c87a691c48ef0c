import Testing

@testable import LiveKitProtocol

@Suite struct GzipTests {
    private let sdp = String(repeating: "a=rtpmap:96 VP8/90000\r\na=rtcp-fb:96 nack pli\r\n", count: 40)
    /// `sdp`, by zlib with its own codes.
    private let dynamic =
        "H4sIAAAAAAACA0u0LSopyE0ssLI0UwgLsNC3NAACXq5EoHBygW5aEkg8LzE5W6EgJxMiPKp6VPWo6lHVo6pHVY881QByksefMAcAAA=="
    /// "hello" with a file name in the header, by zlib with the fixed code.
    private let named = "H4sICAAAAAAC/3gudHh0AMtIzcnJBwCGphA2BQAAAA=="
    private let stored = "H4sIAAAAAAAEAwEGAPn/c3RvcmVkC/lDVgYAAAA="

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.decode(text)) }

    @Test func threeKindsOfBlocks() throws {
        #expect(try Gzip.decompress(bytes(dynamic), limit: 4096) == Array(sdp.utf8))
        #expect(try Gzip.decompress(bytes(named), limit: 4096) == Array("hello".utf8))
        #expect(try Gzip.decompress(bytes(stored), limit: 4096) == Array("stored".utf8))
    }

    /// What remains of a member without its header of ten bytes; what follows the stream is left alone.
    @Test func streamsWithoutAFrame() throws {
        for text in [dynamic, stored] {
            let member = try bytes(text)
            let plain = try Gzip.decompress(member, limit: 4096)
            #expect(try Inflate.decompress(Array(member[10...]), limit: plain.count) == plain)
            #expect(throws: InflateError.tooLarge) {
                try Inflate.decompress(Array(member[10...]), limit: plain.count - 1)
            }
            #expect(throws: InflateError.truncated) { try Inflate.decompress(Array(member[10..<16]), limit: 4096) }
            #expect(throws: InflateError.invalid) { try Inflate.decompress(member, limit: 4096) }
        }
        #expect(throws: InflateError.truncated) { try Inflate.decompress([], limit: 4096) }
        // A block of the type that there is none of.
        #expect(throws: InflateError.invalid) { try Inflate.decompress([0b111], limit: 4096) }
    }

    @Test func boundedOutput() throws {
        let bomb = try bytes(dynamic)
        #expect(throws: InflateError.tooLarge) { try Gzip.decompress(bomb, limit: 100) }
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        for text in ["", "a", sdp, String(repeating: sdp, count: 20)] {
            let plain = Array(text.utf8)
            let packed = try #require(Gzip.compress(plain))
            #expect(try Gzip.decompress(packed, limit: plain.count) == plain)
            if plain.count > 200 { #expect(packed.count < plain.count / 10) }
            #expect(packed.capacity <= packed.count + 64, "without the room of the compressor")
        }
    }

    /// A few kilobytes that stand for 32 megabytes end at the bound, in the time that the bound takes.
    @Test func aBombEndsAtTheBound() throws {
        let bomb = try #require(Gzip.compress([UInt8](repeating: 0, count: 32 << 20)))
        #expect(bomb.count < 40_000)
        #expect(throws: InflateError.tooLarge) { try Gzip.decompress(bomb, limit: 1 << 20) }
    }

    @Test func damageIsNoticedAndHarmless() throws {
        for text in [dynamic, named, stored] {
            let good = try bytes(text)
            for length in 0..<good.count {
                #expect(throws: InflateError.self) { try Gzip.decompress(Array(good[..<length]), limit: 4096) }
            }
            for position in good.indices {
                for bit in 0..<8 {
                    var bad = good
                    bad[position] ^= 1 << bit
                    _ = try? Gzip.decompress(bad, limit: 4096)
                }
            }
        }
    }
}
