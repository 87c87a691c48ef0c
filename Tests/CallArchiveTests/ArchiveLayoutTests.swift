import Testing

@testable import CallArchive

@Suite struct ArchiveLayoutTests {
    private static func streams(_ count: Int) -> [LayoutStream] {
        (0..<count).map { LayoutStream("s\($0)", width: 640, height: 360) }
    }

    private static func overlap(_ a: LayoutTile, _ b: LayoutTile) -> Bool {
        a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
    }

    @Test(arguments: ArchiveLayout.allCases, [1, 2, 3, 4, 5, 7, 9, 12, 16])
    func tilesLieInsideAndDoNotOverlap(layout: ArchiveLayout, count: Int) {
        for (width, height) in [(640, 480), (1_280, 720), (480, 640)] {
            let tiles = layout.tiles(Self.streams(count), width: width, height: height)
            #expect(tiles.count == count)
            for (index, tile) in tiles.enumerated() {
                #expect(tile.x >= 0 && tile.y >= 0 && tile.x + tile.width <= width && tile.y + tile.height <= height)
                #expect([tile.x, tile.y, tile.width, tile.height].allSatisfy { $0 % 2 == 0 })
                let aspect = Double(tile.width) / Double(tile.height)
                if tile.width > 60 { #expect(abs(aspect - 16.0 / 9) < 0.2) }
                // In `pip` the small ones lie on the large one.
                for other in tiles[(index + 1)...] where layout != .pip || index > 0 {
                    #expect(!Self.overlap(tile, other))
                }
            }
        }
    }

    @Test func fourFillAGridOfTwoByTwo() {
        let tiles = ArchiveLayout.bestFit.tiles(Self.streams(4), width: 1_280, height: 720)
        #expect(tiles.map { [$0.x, $0.y] } == [[0, 0], [640, 0], [0, 360], [640, 360]])
        #expect(tiles.allSatisfy { $0.width == 640 && $0.height == 360 })
    }

    @Test(arguments: [ArchiveLayout.pip, .verticalPresentation, .horizontalPresentation])
    func theFocusIsLarge(layout: ArchiveLayout) {
        var streams = Self.streams(4)
        streams[2].classes = ["focus"]
        let tiles = layout.tiles(streams, width: 1_280, height: 720)
        let largest = tiles.max { $0.width < $1.width }
        #expect(largest?.stream == "s2")
        streams[2].classes = []
        streams[3].isScreen = true
        #expect(layout.tiles(streams, width: 1_280, height: 720).max { $0.width < $1.width }?.stream == "s3")
    }

    @Test func presentationsLieAsDocumented() {
        let vertical = ArchiveLayout.verticalPresentation.tiles(Self.streams(3), width: 1_280, height: 720)
        #expect(vertical[0].x > vertical[1].x && vertical[1].x == vertical[2].x && vertical[1].y < vertical[2].y)
        let horizontal = ArchiveLayout.horizontalPresentation.tiles(Self.streams(3), width: 1_280, height: 720)
        #expect(horizontal[0].y < horizontal[1].y && horizontal[1].y == horizontal[2].y)
        #expect(horizontal[1].x < horizontal[2].x)
    }

    @Test func nobodyIsNoTileAndManyAreCut() {
        #expect(ArchiveLayout.bestFit.tiles([], width: 640, height: 480).isEmpty)
        #expect(ArchiveLayout.pip.tiles([], width: 640, height: 480).isEmpty)
        #expect(ArchiveLayout.bestFit.tiles(Self.streams(30), width: 640, height: 480).count == 16)
    }
}
