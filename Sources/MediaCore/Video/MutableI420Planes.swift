/// The three planes of an I420 picture that is being made.
package struct MutableI420Planes: @unchecked Sendable {
    package let y: UnsafeMutablePointer<UInt8>
    package let u: UnsafeMutablePointer<UInt8>
    package let v: UnsafeMutablePointer<UInt8>
    package let yStride: Int
    package let uvStride: Int
    package let width: Int
    package let height: Int

    package var chromaWidth: Int { (width + 1) / 2 }
    package var chromaHeight: Int { (height + 1) / 2 }

    package var readOnly: I420Planes {
        I420Planes(
            y: UnsafePointer(y), u: UnsafePointer(u), v: UnsafePointer(v),
            yStride: yStride, uStride: uvStride, vStride: uvStride, width: width, height: height)
    }

    /// A rectangle of the picture; position even, and held to the picture's bounds by the caller.
    package func part(x: Int, y row: Int, width: Int, height: Int) -> MutableI420Planes {
        MutableI420Planes(
            y: y + row * yStride + x, u: u + row / 2 * uvStride + x / 2, v: v + row / 2 * uvStride + x / 2,
            yStride: yStride, uvStride: uvStride, width: width, height: height)
    }

    /// Paints the whole picture in one colour.
    package func fill(y luma: UInt8, u blue: UInt8, v red: UInt8) {
        for row in 0..<height { (y + row * yStride).update(repeating: luma, count: width) }
        for row in 0..<chromaHeight {
            (u + row * uvStride).update(repeating: blue, count: chromaWidth)
            (v + row * uvStride).update(repeating: red, count: chromaWidth)
        }
    }

    /// Copies a picture of the same size; of any other, what both have.
    package func copy(_ source: I420Planes) {
        let columns = min(width, source.width)
        let rows = min(height, source.height)
        Self.copyRows(source.y, source.yStride, y, yStride, columns, rows)
        Self.copyRows(source.u, source.uStride, u, uvStride, (columns + 1) / 2, (rows + 1) / 2)
        Self.copyRows(source.v, source.vStride, v, uvStride, (columns + 1) / 2, (rows + 1) / 2)
    }

    private static func copyRows(
        _ from: UnsafePointer<UInt8>, _ fromStride: Int, _ to: UnsafeMutablePointer<UInt8>, _ toStride: Int,
        _ width: Int, _ rows: Int
    ) {
        for row in 0..<rows { (to + row * toStride).update(from: from + row * fromStride, count: width) }
    }
}
