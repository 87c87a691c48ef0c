extension VideoLayer {
    /// The streams in which LiveKit's clients send a picture of that size, the largest first: three (`f`, `h`, `q`) from
    /// 960 pixels on the longer side, two (`h`, `q`) from 480; none below, where one stream is enough.
    ///
    /// - Parameter bitrate: bits per second of the largest.
    public static func standard(width: Int, height: Int, bitrate: Int) -> [VideoLayer] {
        let longer = max(width, height)
        guard longer >= 480 else { return [] }
        let hasThree = longer >= 960
        let top = VideoLayer(rid: hasThree ? "f" : "h", width: width, height: height, bitrate: bitrate)
        let isWide = Shape(width: width, height: height) == .wide
        let low = top.scaled(toShorter: 180, rid: "q", bitrate: isWide ? 160_000 : 125_000)
        guard hasThree else { return [top, low] }
        return [top, top.scaled(toShorter: 360, rid: "h", bitrate: isWide ? 450_000 : 330_000), low]
    }

    /// 16:9 or 4:3, whichever is closer; turned pictures alike.
    private enum Shape {
        case wide
        case narrow

        init(width: Int, height: Int) {
            let aspect = Double(max(width, height)) / Double(max(1, min(width, height)))
            self = abs(aspect - 16.0 / 9) < abs(aspect - 4.0 / 3) ? .wide : .narrow
        }
    }

    private func scaled(toShorter shorter: Int, rid: String, bitrate: Int) -> VideoLayer {
        let scale = max(1, Double(min(width, height)) / Double(shorter))
        // Chroma is sampled at half the size: odd numbers would be rounded by the encoder.
        let even = { (length: Int) in max(2, Int((Double(length) / scale).rounded()) & ~1) }
        return VideoLayer(
            rid: rid, width: even(width), height: even(height), bitrate: min(bitrate, self.bitrate),
            maximumFramesPerSecond: 20)
    }
}
