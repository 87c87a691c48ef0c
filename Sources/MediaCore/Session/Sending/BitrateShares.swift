/// How the streams of one track share what the network carries.
enum BitrateShares {
    /// A layer that would get less than this part of its own rate is better left out.
    private static let least = 0.4
    /// The smallest layer is sent with this much at least, bits per second: nothing at all helps nobody.
    private static let floor = 30_000

    /// Bits per second of each layer, 0 where it pauses.
    ///
    /// - Parameter layers: rate and whether it is active, the smallest first.
    static func share(_ total: Int, among layers: [(bitrate: Int, isActive: Bool)]) -> [Int] {
        var left = total
        var isFirst = true
        return layers.map { layer in
            guard layer.isActive else { return 0 }
            defer { isFirst = false }
            let share = min(layer.bitrate, left)
            if Double(share) < Double(layer.bitrate) * least {
                guard isFirst else {
                    left = 0
                    return 0
                }
                left = 0
                return max(share, min(floor, max(layer.bitrate, 1)))
            }
            left -= share
            return share
        }
    }
}
