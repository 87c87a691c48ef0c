/// A frame in cells of 64 pixels, by which its changes are found.
package struct CellGrid: Sendable, Hashable {
    package static let side = 64

    package let size: FrameSize
    package let columns: Int
    package let rows: Int

    package init(_ size: FrameSize) {
        self.size = size
        columns = (size.width + Self.side - 1) / Self.side
        rows = (size.height + Self.side - 1) / Self.side
    }

    package var count: Int { columns * rows }

    /// Pixels of a cell; smaller at the right and the lower edge.
    package func rect(_ cell: Int) -> PixelRect {
        rect(column: cell % columns, row: cell / columns, width: 1, height: 1)
    }

    /// Pixels of a block of cells.
    func rect(column: Int, row: Int, width: Int, height: Int) -> PixelRect {
        let (x, y) = (column * Self.side, row * Self.side)
        return PixelRect(
            x: x, y: y, width: min(width * Self.side, size.width - x), height: min(height * Self.side, size.height - y))
    }

    /// Cells that a rectangle of whole cells covers.
    package func cells(in rect: PixelRect) -> [Int] {
        let right = (rect.x + rect.width - 1) / Self.side
        let bottom = (rect.y + rect.height - 1) / Self.side
        return (rect.y / Self.side...bottom).flatMap { row in
            (rect.x / Self.side...right).map { row * columns + $0 }
        }
    }
}

/// Hashes of a frame's cells.
package struct FrameDigest: Sendable, Hashable {
    package let grid: CellGrid
    package let hashes: [UInt64]

    package init(grid: CellGrid, hashes: [UInt64]) {
        precondition(hashes.count == grid.count, "a hash a cell")
        self.grid = grid
        self.hashes = hashes
    }
}
