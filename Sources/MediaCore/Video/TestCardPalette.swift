import Glibc

/// A colour in BT.601 limited range.
struct YUVColor: Hashable {
    var y: UInt8
    var u: UInt8
    var v: UInt8

    /// - Parameters:
    ///   - hue: a turn of the colour circle per unit, any value.
    ///   - saturation: 0...1.
    ///   - value: 0...1.
    init(hue: Double, saturation: Double, value: Double) {
        func channel(_ offset: Double) -> Double {
            let k = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
            let place = k < 0 ? k + 6 : k
            return value - value * saturation * max(0, min(place, 4 - place, 1))
        }
        let (r, g, b) = (channel(5), channel(3), channel(1))
        y = UInt8(min(max(16 + 65.481 * r + 128.553 * g + 24.966 * b, 16), 235))
        u = UInt8(min(max(128 - 37.797 * r - 74.203 * g + 112 * b, 16), 240))
        v = UInt8(min(max(128 + 112 * r - 93.786 * g - 18.214 * b, 16), 240))
    }
}

/// The colours of one sender's test card: neighbours in number are far apart on the colour circle.
struct TestCardPalette {
    private let hue: Double

    init(sender: UInt16) { hue = Double(sender) * 0.618_033_988_749 }

    /// The sky from its top (0) to the horizon (1).
    func sky(_ depth: Double) -> YUVColor {
        YUVColor(hue: hue + 0.06 * (1 - depth), saturation: 0.75 - 0.45 * depth, value: 0.45 + 0.5 * depth)
    }

    /// The row of hills at the horizon.
    var hills: YUVColor { YUVColor(hue: hue + 0.08, saturation: 0.55, value: 0.38) }

    /// The ground from the horizon (0) to the lower edge (1).
    func ground(_ nearness: Double) -> YUVColor {
        YUVColor(hue: hue + 0.42, saturation: 0.55, value: 0.3 + 0.3 * nearness)
    }

    /// The ball.
    var ball: YUVColor { YUVColor(hue: hue + 0.5, saturation: 0.75, value: 0.98) }
}
