/// How the pictures of a composed archive are arranged, by the documented names.
package enum ArchiveLayout: String, Sendable, Hashable, Codable, CaseIterable {
    /// A grid of equal places that wastes least.
    case bestFit
    /// One picture fills everything; the others lie small along its lower edge, from the right.
    case pip
    /// A large picture on the right, the others on the left edge, one below the other.
    case verticalPresentation
    /// A large picture above, the others in a row at the lower edge.
    case horizontalPresentation

    /// Pictures shown at most, as documented; more are heard only.
    package static let maximumTiles = 16
    /// A stream with one of these classes is the large one; without it the first is.
    package static let focusClasses: Set<String> = ["focus", "full"]
}

/// A stream to be placed.
package struct LayoutStream: Sendable, Hashable {
    package var id: String
    package var classes: Set<String> = []
    package var isScreen = false
    /// Of its picture; 0 where not known.
    package var width = 0, height = 0

    package init(_ id: String, classes: Set<String> = [], isScreen: Bool = false, width: Int = 0, height: Int = 0) {
        self.id = id
        self.classes = classes
        self.isScreen = isScreen
        self.width = width
        self.height = height
    }

    var isFocus: Bool { !classes.isDisjoint(with: ArchiveLayout.focusClasses) }
    var aspect: Double { width > 0 && height > 0 ? Double(width) / Double(height) : 4.0 / 3 }
}

/// A place in the picture; all four numbers are even.
package struct LayoutTile: Sendable, Hashable {
    package var stream: String
    package var x: Int, y: Int
    package var width: Int, height: Int
}

extension ArchiveLayout {
    /// Where each stream's picture goes. Pictures are fitted in whole; what is left of the place stays black.
    ///
    /// - Parameters:
    ///   - streams: in the order of their coming.
    ///   - width: of the whole picture, even.
    package func tiles(_ streams: [LayoutStream], width: Int, height: Int) -> [LayoutTile] {
        let shown = Array(streams.prefix(Self.maximumTiles))
        let whole = Area(x: 0, y: 0, width: width, height: height)
        guard shown.count > 1, self != .bestFit else { return Self.grid(shown, in: whole) }
        let focus = shown.firstIndex(where: \.isFocus) ?? shown.firstIndex(where: \.isScreen) ?? 0
        var others = shown
        let large = others.remove(at: focus)
        switch self {
        case .bestFit: return []
        case .pip: return [whole.fitted(large)] + Self.overlay(others, in: whole)
        case .verticalPresentation:
            let (left, right) = whole.split(left: width / 5)
            return [right.fitted(large)] + Self.line(others, in: left, isColumn: true)
        case .horizontalPresentation:
            let (upper, lower) = whole.split(upper: height * 4 / 5)
            return [upper.fitted(large)] + Self.line(others, in: lower, isColumn: false)
        }
    }

    /// The grid whose smallest picture is largest.
    private static func grid(_ streams: [LayoutStream], in area: Area) -> [LayoutTile] {
        guard !streams.isEmpty else { return [] }
        func smallest(_ columns: Int) -> Int {
            let cell = area.cell(0, columns: columns, rows: rows(streams.count, columns), of: streams.count)
            return streams.map { cell.fitted($0) }.map { $0.width * $0.height }.min() ?? 0
        }
        var best = (columns: 1, size: smallest(1))
        for columns in 2..<max(3, streams.count + 1) where columns <= streams.count {
            let size = smallest(columns)
            if size > best.size { best = (columns, size) }
        }
        let count = rows(streams.count, best.columns)
        return streams.indices.map {
            area.cell($0, columns: best.columns, rows: count, of: streams.count).fitted(streams[$0])
        }
    }

    private static func rows(_ count: Int, _ columns: Int) -> Int { (count + columns - 1) / columns }

    private static func line(_ streams: [LayoutStream], in area: Area, isColumn: Bool) -> [LayoutTile] {
        let columns = isColumn ? 1 : streams.count
        let rows = isColumn ? streams.count : 1
        return streams.indices.map {
            area.cell($0, columns: columns, rows: rows, of: streams.count).fitted(streams[$0])
        }
    }

    /// A row of places of a quarter of the width, or less where there are many.
    private static func overlay(_ streams: [LayoutStream], in area: Area) -> [LayoutTile] {
        let count = max(4, streams.count)
        let slot = area.width / count
        let margin = slot / 10
        let height = area.height / count
        return streams.indices.map { index in
            Area(
                x: area.width - (index + 1) * slot, y: area.height - height - margin, width: slot - margin,
                height: height
            ).fitted(streams[index])
        }
    }
}

/// A rectangle of the picture.
private struct Area {
    var x: Int, y: Int
    var width: Int, height: Int

    func split(left: Int) -> (Area, Area) {
        let left = left & ~1
        return (
            Area(x: x, y: y, width: left, height: height),
            Area(x: x + left, y: y, width: width - left, height: height)
        )
    }

    func split(upper: Int) -> (Area, Area) {
        let upper = upper & ~1
        return (
            Area(x: x, y: y, width: width, height: upper),
            Area(x: x, y: y + upper, width: width, height: height - upper)
        )
    }

    /// A cell of a grid, row by row; an incomplete last row stands in the middle.
    func cell(_ index: Int, columns: Int, rows: Int, of count: Int) -> Area {
        let (row, column) = (index / columns, index % columns)
        let cellWidth = width / columns, cellHeight = height / rows
        let inRow = row == rows - 1 ? count - row * columns : columns
        let indent = (columns - inRow) * cellWidth / 2
        return Area(x: x + indent + column * cellWidth, y: y + row * cellHeight, width: cellWidth, height: cellHeight)
    }

    /// The largest place in the middle that has the shape of the stream's picture.
    func fitted(_ stream: LayoutStream) -> LayoutTile {
        var (fittedWidth, fittedHeight) = (Double(width), Double(height))
        if fittedWidth > fittedHeight * stream.aspect {
            fittedWidth = fittedHeight * stream.aspect
        } else {
            fittedHeight = fittedWidth / stream.aspect
        }
        let evenWidth = min(width, max(2, Int(fittedWidth.rounded()))) & ~1
        let evenHeight = min(height, max(2, Int(fittedHeight.rounded()))) & ~1
        return LayoutTile(
            stream: stream.id, x: (x + (width - evenWidth) / 2) & ~1, y: (y + (height - evenHeight) / 2) & ~1,
            width: max(2, evenWidth), height: max(2, evenHeight))
    }
}
