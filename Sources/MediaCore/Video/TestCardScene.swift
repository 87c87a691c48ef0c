import Glibc

/// The moving landscape below a test card's strip: sky, hills, ground in perspective, and a ball with the sender's number.
///
/// Each row is a window that slides over a row painted once, so that drawing a picture is a few hundred row copies, and
/// a codec finds the motion with whole-pixel vectors.
struct TestCardScene {
    private let width: Int
    private let height: Int
    private let top: Int
    private let horizon: Int
    private let palette: TestCardPalette
    private let digits: [Int]
    /// Rows of twice the picture's width; the second half repeats the first.
    private var luma: [UInt8]
    private var blue: [UInt8]
    private var red: [UInt8]
    /// How fast each row slides: pixels per picture when 640 wide.
    private var speeds: [Int]

    init(sender: UInt16, width: Int, height: Int) {
        self.width = width
        self.height = height
        top = TestCardCode.lines(row: TestCardCode.rows - 1, height: height).upperBound & ~1
        horizon = top + (height - top) * 6 / 10
        palette = TestCardPalette(sender: sender)
        digits = String(sender).utf8.map { Int($0) - 48 }
        let half = (width + 1) / 2
        luma = [UInt8](repeating: 0, count: 2 * width * height)
        blue = [UInt8](repeating: 128, count: 2 * half * ((height + 1) / 2))
        red = blue
        speeds = [Int](repeating: 0, count: height)
        paint()
    }

    /// Draws everything below the strip.
    func draw(frame: Int, into planes: MutableI420Planes) {
        slide(luma, width: width, shift: 0, frame: frame, to: planes.y, stride: planes.yStride)
        slide(blue, width: planes.chromaWidth, shift: 1, frame: frame, to: planes.u, stride: planes.uvStride)
        slide(red, width: planes.chromaWidth, shift: 1, frame: frame, to: planes.v, stride: planes.uvStride)
        drawBall(frame: frame, into: planes)
    }

    private func slide(
        _ plane: [UInt8], width: Int, shift: Int, frame: Int, to target: UnsafeMutablePointer<UInt8>, stride: Int
    ) {
        plane.withUnsafeBufferPointer { plane in
            guard let base = plane.baseAddress else { return }
            for row in (top >> shift)..<((height + shift) >> shift) {
                let offset = offset(row: min(row << shift, height - 1), frame: frame) >> shift
                (target + row * stride).update(from: base + row * 2 * width + offset % width, count: width)
            }
        }
    }

    /// Pixels by which a row has slid: even, so that chroma follows exactly.
    private func offset(row: Int, frame: Int) -> Int { (frame * speeds[row] * width / 640) & ~1 }
}

// MARK: - Painting, once

extension TestCardScene {
    private mutating func paint() {
        let skyline = skyline()
        for row in top..<height {
            if row < horizon {
                paintSky(row, skyline)
            } else {
                paintGround(row)
            }
        }
    }

    /// The height of the hills above the horizon for each column, seamless at the edges.
    private func skyline() -> [Int] {
        let tall = Double(horizon - top) * 0.3
        return (0..<width).map { x in
            let angle = 2 * Double.pi * Double(x) / Double(width)
            let wave = 0.5 + 0.25 * sin(3 * angle) + 0.15 * sin(7 * angle + 1) + 0.1 * sin(13 * angle + 2)
            return Int(tall * wave)
        }
    }

    private mutating func paintSky(_ row: Int, _ skyline: [Int]) {
        speeds[row] = 2
        let sky = palette.sky(Double(row - top) / Double(max(1, horizon - top)))
        let hills = palette.hills
        for x in 0..<width { set(x, row, horizon - row <= skyline[x] ? hills : sky) }
    }

    private mutating func paintGround(_ row: Int) {
        // Bands as tall as a cell slide as one, faster the nearer they are.
        let band = (row - horizon) * 45 / (2 * height)
        let nearness = Double(row - horizon) / Double(max(1, height - horizon))
        speeds[row] = 2 * (band / 2 + 2)
        let light = palette.ground(nearness)
        let dark = palette.ground(nearness * 0.4)
        let stripes = max(2, 10 - band)
        for x in 0..<width {
            let angle = 2 * Double.pi * Double(stripes * x) / Double(width)
            let share = 0.5 + 0.5 * sin(angle)
            set(x, row, YUVColor(mixing: dark, light, share))
        }
    }

    private mutating func set(_ x: Int, _ row: Int, _ color: YUVColor) {
        luma[row * 2 * width + x] = color.y
        luma[row * 2 * width + width + x] = color.y
        guard x & 1 == 0, row & 1 == 0 else { return }
        let half = (width + 1) / 2
        let place = row / 2 * 2 * half + x / 2
        (blue[place], blue[place + half]) = (color.u, color.u)
        (red[place], red[place + half]) = (color.v, color.v)
    }
}

// MARK: - The ball

extension TestCardScene {
    private func drawBall(frame: Int, into planes: MutableI420Planes) {
        let radius = max(4, (height - top) / 8)
        let x = Double(width) * (0.5 + 0.36 * sin(2 * Double.pi * Double(frame % 360) / 360))
        let middle = Double(top) + Double(horizon - top) * 0.5
        let y = middle + Double(horizon - top) * 0.18 * sin(2 * Double.pi * Double(frame % 240) / 240)
        let center = (x: Int(x) & ~1, y: Int(y) & ~1)
        for line in -radius..<radius {
            let half = Int(Double(radius * radius - line * line).squareRoot())
            planes.paint(palette.ball, x: center.x - half, row: center.y + line, count: 2 * half)
        }
        drawNumber(center: center, radius: radius, into: planes)
    }

    private func drawNumber(center: (x: Int, y: Int), radius: Int, into planes: MutableI420Planes) {
        let columns = digits.count * 6 - 1
        let scale = max(1, min(radius * 3 / 2 / columns, radius / 7))
        let left = center.x - columns * scale / 2
        let upper = center.y - 7 * scale / 2
        for (place, digit) in digits.enumerated() {
            for row in 0..<7 {
                let bits = TestCardFont.digits[digit % 10][row]
                for column in 0..<5 where bits >> UInt8(4 - column) & 1 == 1 {
                    for line in 0..<scale {
                        planes.paintLuma(
                            40, x: left + (place * 6 + column) * scale, row: upper + row * scale + line, count: scale)
                    }
                }
            }
        }
    }
}

extension YUVColor {
    /// `share` of the second colour, the rest of the first.
    init(mixing a: YUVColor, _ b: YUVColor, _ share: Double) {
        func mix(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(Double(a) + (Double(b) - Double(a)) * share) }
        self = a
        y = mix(a.y, b.y)
        u = mix(a.u, b.u)
        v = mix(a.v, b.v)
    }
}

extension MutableI420Planes {
    /// Paints a part of a row, as far as it lies in the picture.
    func paint(_ color: YUVColor, x: Int, row: Int, count: Int) {
        paintLuma(color.y, x: x, row: row, count: count)
        guard row & 1 == 0, row >= 0, row < height else { return }
        let first = max(0, x / 2)
        let length = min(chromaWidth, (x + count) / 2) - first
        guard length > 0 else { return }
        (u + row / 2 * uvStride + first).update(repeating: color.u, count: length)
        (v + row / 2 * uvStride + first).update(repeating: color.v, count: length)
    }

    /// Paints a part of a row in the luma plane only.
    func paintLuma(_ value: UInt8, x: Int, row: Int, count: Int) {
        let first = max(0, x)
        let length = min(width, x + count) - first
        guard row >= 0, row < height, length > 0 else { return }
        (y + row * yStride + first).update(repeating: value, count: length)
    }
}
