import RTCWire

/// A burst at a rate that is to be tried.
struct ProbeCluster: Sendable, Hashable {
    /// 1...255.
    var id: UInt8
    /// In bit/s.
    var rate: Double
    /// What it takes at least to judge by it: 15 ms and five packets, as with libwebrtc.
    var leastBytes: Int
    var leastPackets = 5

    static let shortest = Interval.milliseconds(15)

    init(id: UInt8, rate: Double) {
        self.id = id
        self.rate = rate
        leastBytes = Int(rate / 8 * ProbeCluster.shortest.seconds)
    }
}
