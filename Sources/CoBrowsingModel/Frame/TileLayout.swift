/// Which rectangles a change is sent in: disjoint, of whole cells, and by estimate of 5 to 20 KB each; smaller only where
/// there is no more that changed.
package struct TileLayout: Sendable {
    /// Bytes that a tile should have by estimate, so that few have to be encoded twice.
    static let target = 12 * 1_024
    static let least = 5 * 1_024
    /// Blocks that are laid out one by one.
    static let mostBlocks = 64

    let grid: CellGrid
    /// Bytes of a thousand pixels, by estimate.
    let density: Int

    package init(_ grid: CellGrid, density: Int) {
        self.grid = grid
        self.density = max(density, 1)
    }

    private struct Block {
        var column: Int
        var row: Int
        var width: Int
        var height: Int
    }

    /// - Parameter dirty: a flag for each cell.
    package func rects(_ dirty: [Bool]) -> [PixelRect] {
        precondition(dirty.count == grid.count, "a flag a cell")
        var dirty = dirty
        var blocks = blocks(dirty)
        // Each tile has some hundred bytes of its own: changes all over the place are sent with what lies between them.
        var side = 2
        while blocks.count > Self.mostBlocks, side <= 16 {
            dirty = coarse(dirty, side)
            blocks = self.blocks(dirty)
            side *= 2
        }
        let rects = blocks.flatMap {
            split(grid.rect(column: $0.column, row: $0.row, width: $0.width, height: $0.height))
        }
        return rects.count <= Self.mostBlocks ? join(rects) : rects
    }

    /// Squares of cells of which one has changed.
    private func coarse(_ dirty: [Bool], _ side: Int) -> [Bool] {
        let across = (grid.columns + side - 1) / side
        var squares = [Bool](repeating: false, count: across * ((grid.rows + side - 1) / side))
        for cell in dirty.indices where dirty[cell] {
            squares[cell / grid.columns / side * across + cell % grid.columns / side] = true
        }
        return dirty.indices.map { squares[$0 / grid.columns / side * across + $0 % grid.columns / side] }
    }

    /// Runs of cells, and runs of the same extent below them.
    private func blocks(_ dirty: [Bool]) -> [Block] {
        var done: [Block] = []
        var open: [Block] = []
        for row in 0..<grid.rows {
            var next: [Block] = []
            var column = 0
            while column < grid.columns {
                guard dirty[row * grid.columns + column] else {
                    column += 1
                    continue
                }
                let start = column
                while column < grid.columns, dirty[row * grid.columns + column] { column += 1 }
                let width = column - start
                if let index = open.firstIndex(where: { $0.column == start && $0.width == width }) {
                    var block = open.remove(at: index)
                    block.height += 1
                    next.append(block)
                } else {
                    next.append(Block(column: start, row: row, width: width, height: 1))
                }
            }
            done += open
            open = next
        }
        return done + open
    }

    private func estimate(_ rect: PixelRect) -> Int { rect.area * density / 1_000 }

    /// Halves what is too large, along cells.
    package func split(_ rect: PixelRect) -> [PixelRect] {
        let side = CoBrowsingBounds.longestTileSide
        guard estimate(rect) > Self.target * 3 / 2 || rect.width > side || rect.height > side,
            let (one, other) = Self.halves(rect)
        else { return [rect] }
        return split(one) + split(other)
    }

    /// The two halves of a rectangle, along cells; nil where it is one cell.
    package static func halves(_ rect: PixelRect) -> (PixelRect, PixelRect)? {
        let cell = CellGrid.side
        let (columns, rows) = ((rect.width + cell - 1) / cell, (rect.height + cell - 1) / cell)
        guard columns > 1 || rows > 1 else { return nil }
        var (one, other) = (rect, rect)
        if columns >= rows {
            one.width = columns / 2 * cell
            other.x += one.width
            other.width -= one.width
        } else {
            one.height = rows / 2 * cell
            other.y += one.height
            other.height -= one.height
        }
        return (one, other)
    }

    /// Joins small neighbours where little is sent in vain by it.
    private func join(_ rects: [PixelRect]) -> [PixelRect] {
        var out: [PixelRect] = []
        for rect in rects {
            guard estimate(rect) < Self.least,
                let index = out.lastIndex(where: { joins($0, rect, among: out, rects) })
            else {
                out.append(rect)
                continue
            }
            out[index] = out[index].union(rect)
        }
        return out
    }

    private func joins(_ a: PixelRect, _ b: PixelRect, among out: [PixelRect], _ rects: [PixelRect]) -> Bool {
        let union = a.union(b)
        let side = CoBrowsingBounds.longestTileSide
        return estimate(a) < Self.least && union.area <= (a.area + b.area) * 3 / 2 && union.width <= side
            && union.height <= side
            && !out.contains { $0 != a && $0.intersects(union) }
            && !rects.contains { $0 != b && !Self.covers(a, $0) && $0.intersects(union) }
    }

    private static func covers(_ a: PixelRect, _ b: PixelRect) -> Bool { a.union(b) == a }
}
