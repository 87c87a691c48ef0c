/// Draws a sender's test card: the machine-readable strip, and a moving landscape in the sender's colours below it.
///
/// A picture costs a few hundred row copies, about 0.02 ms at 640x360.
package struct TestCard {
    package let sender: UInt16
    package let width: Int
    package let height: Int
    private let scene: TestCardScene

    /// - Parameters:
    ///   - width: pixels, 160...4,096.
    ///   - height: pixels, 90...4,096.
    package init(sender: UInt16, width: Int, height: Int) throws(MediaError) {
        guard (160...4_096).contains(width), (90...4_096).contains(height) else {
            throw MediaError(
                .argument, "test card of \(width)x\(height)", "its cells would not be readable",
                remedy: "use 160x90 to 4096x4096")
        }
        self.sender = sender
        self.width = width
        self.height = height
        scene = TestCardScene(sender: sender, width: width, height: height)
    }

    /// Draws one picture into planes of the card's size.
    package func draw(frameNumber: UInt32, time: MediaTime, into planes: MutableI420Planes) {
        guard planes.width == width, planes.height == height else { return }
        scene.draw(frame: Int(frameNumber), into: planes)
        let reading = TestCardReading(
            sender: sender, frameNumber: frameNumber,
            timeMicroseconds: UInt32(truncatingIfNeeded: time.nanoseconds / 1_000))
        drawStrip(TestCardCode.word(reading), into: planes)
    }

    private func drawStrip(_ word: UInt128, into planes: MutableI420Planes) {
        for row in 0..<TestCardCode.rows {
            let lines = TestCardCode.lines(row: row, height: height)
            let first = planes.y + lines.lowerBound * planes.yStride
            for column in 0..<TestCardCode.columns {
                let span = TestCardCode.span(column: column, width: width)
                let luma = TestCardCode.luma(word, row: row, column: column)
                (first + span.lowerBound).update(repeating: luma, count: span.count)
            }
            for line in lines.dropFirst() {
                (planes.y + line * planes.yStride).update(from: first, count: width)
            }
        }
        let end = TestCardCode.lines(row: TestCardCode.rows - 1, height: height).upperBound
        for row in 0..<(end + 1) / 2 {
            (planes.u + row * planes.uvStride).update(repeating: 128, count: planes.chromaWidth)
            (planes.v + row * planes.uvStride).update(repeating: 128, count: planes.chromaWidth)
        }
    }
}
