/// The stand-in for somebody who sends no picture: head and shoulders before a colour of their own.
enum AvatarPicture {
    static func draw(_ identity: String, width: Int, height: Int) -> VideoFrame {
        let frame = VideoFrame(black: width, by: height)
        let planes = frame.buffer.planes
        let (blue, red) = color(of: identity)
        planes.fill(y: 96, u: blue, v: red)
        let unit = Double(height) / 100
        let center = Double(width) / 2
        for row in 0..<height {
            for column in 0..<width {
                let x = (Double(column) - center) / unit
                let y = Double(row) / unit
                let isHead = x * x + (y - 36) * (y - 36) < 18 * 18
                let isBody = y > 60 && (x / 34) * (x / 34) + ((y - 100) / 38) * ((y - 100) / 38) < 1
                if isHead || isBody { planes.y[row * planes.yStride + column] = 208 }
            }
        }
        return frame
    }

    /// A colour that depends on nothing but the name: FNV-1a, as `Hasher` differs from run to run.
    private static func color(of identity: String) -> (blue: UInt8, red: UInt8) {
        var hash: UInt32 = 0x811c_9dc5
        for byte in identity.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return (UInt8(88 + hash % 80), UInt8(88 + (hash >> 8) % 80))
    }
}
