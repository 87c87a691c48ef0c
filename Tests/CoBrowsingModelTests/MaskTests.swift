import CoBrowsingModel
import Testing

@Suite struct MaskTests {
    private static let size = FrameSize(width: 150, height: 100)!

    private static func noise(_ seed: UInt64, views: [ScreenFrame.View] = []) -> ScreenFrame {
        var random = SeededGenerator(seed)
        let pixels = (0..<size.area * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
        return ScreenFrame(size: size, pixels: pixels, views: views)!
    }

    @Test func areasAndViewsAreCovered() {
        let view = ScreenFrame.View(tag: "card", rect: PixelRect(x: 100, y: 50, width: 500, height: 20))
        let other = ScreenFrame.View(tag: "name", rect: PixelRect(x: 0, y: 90, width: 10, height: 10))
        let frame = Self.noise(1, views: [view, other])
        var masks = PrivacyMasks()
        masks.addPrivateView("card")
        masks.addPrivateArea(.init(id: "pin", tag: "secret", rect: PixelRect(x: -5, y: -5, width: 20, height: 20)))
        masks.cover.green = 1
        let masked = MaskedFrame(frame, masks).frame
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width {
                let at = (y * Self.size.width + x) * 4
                let isPrivate = (x < 15 && y < 15) || (x >= 100 && (50..<70).contains(y))
                let expected = isPrivate ? [0x60, 1, 0x60] : Array(frame.pixels[at..<at + 3])
                if Array(masked.pixels[at..<at + 3]) != expected {
                    Issue.record("\(x), \(y)")
                    return
                }
            }
        }
        #expect(masked.views.isEmpty, "where private views lie is nobody's business")
        masks.removePrivateView("card")
        masks.removePrivateAreas(tag: "secret")
        #expect(MaskedFrame(frame, masks).frame.pixels == frame.pixels)
    }

    /// Rectangles from anywhere: nothing traps, and nothing outside is touched.
    @Test(arguments: [
        PixelRect(x: .min, y: 0, width: .max, height: 10), PixelRect(x: .max, y: .max, width: .max, height: .max),
        PixelRect(x: 0, y: 0, width: -1, height: 10), PixelRect(x: 0, y: 0, width: 0, height: 0),
        PixelRect(x: 5, y: 5, width: .max, height: .max), PixelRect(x: -10, y: .min, width: 5, height: .max),
    ])
    func anyRectangle(_ rect: PixelRect) {
        var masks = PrivacyMasks()
        masks.addPrivateArea(.init(id: "a", rect: rect))
        let frame = Self.noise(2)
        let same = zip(frame.pixels, MaskedFrame(frame, masks).frame.pixels).count { $0 == $1 }
        let covered = (rect.clipped(to: Self.size)?.area ?? 0) * 4
        #expect(same >= frame.pixels.count - covered)
    }

    @Test func idsAndTags() {
        var masks = PrivacyMasks()
        masks.addPrivateArea(.init(id: "a", tag: "t", rect: PixelRect(x: 0, y: 0, width: 1, height: 1)))
        masks.addPrivateArea(.init(id: "a", tag: "t", rect: PixelRect(x: 5, y: 0, width: 1, height: 1)))
        masks.addPrivateArea(.init(id: "b", tag: "u", rect: PixelRect(x: 0, y: 0, width: 1, height: 1)))
        #expect(masks.areas.map(\.rect.x) == [5, 0] && masks.areas.map(\.id) == ["a", "b"])
        #expect(masks.removePrivateArea(id: "a") && !masks.removePrivateArea(id: "a"))
        masks.addPrivateView("x")
        #expect(masks.removePrivateView("x") && !masks.removePrivateView("x"))
    }

    /// What is private takes no part in change detection, and every other pixel does.
    @Test func digests() {
        let rect = PixelRect(x: 20, y: 20, width: 70, height: 30)
        var masks = PrivacyMasks()
        masks.addPrivateArea(.init(id: "a", rect: rect))
        let frame = Self.noise(3)
        let digest = MaskedFrame(frame, masks).digest()
        var random = SeededGenerator(4)
        for _ in 0..<300 {
            var changed = frame
            let (x, y) = (Int.random(in: 0..<150, using: &random), Int.random(in: 0..<100, using: &random))
            let at = (y * 150 + x) * 4
            changed.fill(
                PixelRect(x: x, y: y, width: 1, height: 1), red: frame.pixels[at] ^ 1, green: frame.pixels[at + 1],
                blue: frame.pixels[at + 2])
            let isPrivate = (20..<90).contains(x) && (20..<50).contains(y)
            let other = MaskedFrame(changed, masks).digest()
            #expect((other == digest) == isPrivate)
            let cells = digest.hashes.indices.filter { digest.hashes[$0] != other.hashes[$0] }
            #expect(cells == (isPrivate ? [] : [y / 64 * 3 + x / 64]))
        }
    }
}

@Suite struct TileLayoutTests {
    /// Whatever changed is covered, once, by rectangles of whole cells within the bounds.
    @Test(arguments: 1...40) func layouts(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let size = try #require(
            FrameSize(width: .random(in: 1...2_000, using: &random), height: .random(in: 1...2_000, using: &random)))
        let grid = CellGrid(size)
        let share = Double.random(in: 0...1, using: &random)
        let dirty = (0..<grid.count).map { _ in Double.random(in: 0..<1, using: &random) < share }
        let rects = TileLayout(grid, density: .random(in: 10...3_000, using: &random)).rects(dirty)
        var covered = [Int](repeating: 0, count: grid.count)
        for rect in rects {
            #expect(rect.clipped(to: size) == rect && rect.x % 64 == 0 && rect.y % 64 == 0)
            #expect(rect.width <= 1_024 && rect.height <= 1_024)
            #expect(rect.x + rect.width == size.width || rect.width % 64 == 0)
            for cell in grid.cells(in: rect) { covered[cell] += 1 }
        }
        #expect(covered.allSatisfy { $0 <= 1 }, "no cell twice")
        #expect(zip(dirty, covered).allSatisfy { !$0 || $1 == 1 }, "each that changed")
        #expect(rects.count <= CoBrowsingBounds.tiles)
    }

    /// By estimate tiles have 5 to 20 KB where there is enough that changed.
    @Test func sizes() throws {
        let grid = CellGrid(try #require(FrameSize(width: 1_170, height: 2_532)))
        let rects = TileLayout(grid, density: 100).rects([Bool](repeating: true, count: grid.count))
        let sizes = rects.map { $0.area * 100 / 1_000 }
        #expect(sizes.allSatisfy { $0 <= 20 * 1_024 && $0 >= 5 * 1_024 })
    }

    @Test func smallNeighboursAreJoined() throws {
        let grid = CellGrid(try #require(FrameSize(width: 640, height: 640)))
        var dirty = [Bool](repeating: false, count: grid.count)
        for cell in [0, 1, 10, 12] { dirty[cell] = true }
        #expect(TileLayout(grid, density: 100).rects(dirty).count < 3)
        dirty = [Bool](repeating: false, count: grid.count)
        dirty[0] = true
        dirty[99] = true
        #expect(TileLayout(grid, density: 100).rects(dirty) == [grid.rect(0), grid.rect(99)])
    }
}
