import CoBrowsingModel
import Testing

@testable import CoBrowsing

@Suite struct TileCodecTests {
    private let codec = TileCodec()

    private static func tile(_ encoded: SharerMachine.EncodedTile) -> CoBrowsingMessage.Tile {
        .init(frame: 1, index: 0, rect: encoded.rect, format: encoded.format, bytes: encoded.bytes)
    }

    private static func noise(_ size: FrameSize) -> ScreenFrame {
        var state: UInt64 = 7
        let pixels = (0..<size.area * 4).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 40)
        }
        return ScreenFrame(size: size, pixels: pixels) ?? ScreenFrame(size: size)
    }

    @Test(arguments: TileFormat.allCases) func roundTrip(format: TileFormat) throws {
        let masked = MaskedFrame(Pictures.screen(), PrivacyMasks())
        var canvas = ScreenFrame(size: Pictures.size)
        let tiles = codec.encode(masked, Pictures.size.rect, format, quality: 80)
        #expect(!tiles.isEmpty)
        for tile in tiles { canvas.put(rgb: try #require(codec.decode(Self.tile(tile))), at: tile.rect) }
        let difference = Pictures.difference(canvas, masked.frame)
        #expect(format == .png ? difference == 0 : difference < 8, "\(difference)")
    }

    /// Noise is the worst that there is: each tile stays below 20 KB all the same, and the parts are the whole.
    @Test(arguments: TileFormat.allCases) func largeOnesAreSplit(format: TileFormat) throws {
        let size = try #require(FrameSize(width: 300, height: 260))
        let masked = MaskedFrame(Self.noise(size), PrivacyMasks())
        let tiles = codec.encode(masked, size.rect, format, quality: 80)
        #expect(tiles.count > 1 && tiles.allSatisfy { $0.bytes.count <= CoBrowsingBounds.tileBytes })
        #expect(tiles.reduce(0) { $0 + $1.rect.area } == size.area)
        for tile in tiles { #expect(codec.decode(Self.tile(tile)) != nil) }
    }

    /// A picture of another size than its tile says is refused by its header, and so is what is broken.
    @Test(arguments: TileFormat.allCases) func hostileTiles(format: TileFormat) throws {
        let masked = MaskedFrame(Pictures.screen(), PrivacyMasks())
        let good = try #require(
            codec.encode(masked, PixelRect(x: 0, y: 0, width: 64, height: 64), format, quality: 60).first)
        for rect in [PixelRect(x: 0, y: 0, width: 32, height: 64), PixelRect(x: 0, y: 0, width: 64, height: 65)] {
            var tile = Self.tile(good)
            tile.rect = rect
            #expect(codec.decode(tile) == nil)
        }
        for other in TileFormat.allCases where other != format {
            var tile = Self.tile(good)
            tile.format = other
            #expect(codec.decode(tile) == nil)
        }
        for count in stride(from: 0, to: good.bytes.count * 3 / 4, by: 7) {
            var tile = Self.tile(good)
            tile.bytes = Array(good.bytes.prefix(count))
            #expect(codec.decode(tile) == nil, "\(count) of \(good.bytes.count) bytes")
        }
        // Whatever bytes: an answer of the right size, or none.
        var state: UInt64 = 3
        for _ in 0..<500 {
            var tile = Self.tile(good)
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                tile.bytes[Int(state >> 33) % tile.bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            if let rgb = codec.decode(tile) { #expect(rgb.count == 64 * 64 * 3) }
        }
    }

    /// A PNG of 4,096 x 4,096 pixels in 16 KB is a bomb; its header says so.
    @Test func bombs() throws {
        let size = try #require(FrameSize(width: 1_024, height: 1_024))
        let flat = ScreenFrame(size: size).rgb(size.rect)
        let bytes = try #require(PNGCodec.encode(flat, width: 1_024, height: 1_024, most: 32_768))
        let bomb = CoBrowsingMessage.Tile(
            frame: 1, index: 0, rect: PixelRect(x: 0, y: 0, width: 64, height: 64), format: .png, bytes: bytes)
        #expect(codec.decode(bomb) == nil)
        var whole = bomb
        whole.rect = size.rect
        #expect(codec.decode(whole)?.count == 1_024 * 1_024 * 3, "as large as it says is fine")
    }
}
