/// Reads test cards out of pictures that have been compressed and scaled.
public enum TestCardReader {
    /// Black and white have to differ by this much luma.
    private static let minimumContrast = 48

    /// What the card says; nil when there is none or it can't be read with certainty.
    public static func read(_ frame: VideoFrame) -> TestCardReading? {
        frame.withPlanes { read($0) }
    }

    /// Reads from borrowed planes.
    package static func read(_ planes: I420Planes) -> TestCardReading? {
        guard planes.width >= 80, planes.height >= 45, let levels = levels(planes) else { return nil }
        let middle = (levels.black + levels.white) / 2
        // A cell between the two levels is neither: better no reading than a lie.
        let margin = (levels.white - levels.black) / 8
        var word: UInt128 = 0
        for row in 0..<TestCardCode.rows {
            for column in 2..<2 + TestCardCode.dataColumns {
                let value = luma(planes, row: row, column: column)
                guard abs(value - middle) > margin else { return nil }
                word = word << 1 | (value > middle ? 1 : 0)
            }
        }
        return TestCardCode.reading(word)
    }

    /// The luma of black and white as the pilot cells show it; nil where they don't look like pilots.
    private static func levels(_ planes: I420Planes) -> (black: Int, white: Int)? {
        var sums = (black: 0, white: 0)
        var darkestWhite = 255
        var brightestBlack = 0
        for row in 0..<TestCardCode.rows {
            for index in 0..<4 {
                let value = luma(planes, row: row, column: index < 2 ? index : index + 36)
                if TestCardCode.pilots[row][index] {
                    sums.white += value
                    darkestWhite = min(darkestWhite, value)
                } else {
                    sums.black += value
                    brightestBlack = max(brightestBlack, value)
                }
            }
        }
        guard darkestWhite - brightestBlack >= minimumContrast else { return nil }
        return (sums.black / 6, sums.white / 6)
    }

    /// Mean luma of the inner half of a cell.
    private static func luma(_ planes: I420Planes, row: Int, column: Int) -> Int {
        let lines = inner(TestCardCode.lines(row: row, height: planes.height))
        let span = inner(TestCardCode.span(column: column, width: planes.width))
        var sum = 0
        for line in lines {
            let pixels = planes.y + line * planes.yStride
            for x in span { sum &+= Int(pixels[x]) }
        }
        return sum / (lines.count * span.count)
    }

    private static func inner(_ range: Range<Int>) -> Range<Int> {
        let edge = range.count / 4
        return range.lowerBound + edge..<range.upperBound - edge
    }
}
