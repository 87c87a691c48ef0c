import RTCWire

/// Payload bytes of one RTP stream by its spatial and temporal layers, since it began. A stream without layers has one.
package struct LayerBytes: Sendable {
    /// Spatial layers told apart, and temporal ones; what lies above counts as the highest.
    package static let spatial = 4
    package static let temporal = 4

    private var counts = InlineArray<16, Int>(repeating: 0)

    mutating func count(_ bytes: Int, spatial: Int, temporal: Int) {
        counts[LayerBytes.index(spatial, temporal)] &+= bytes
    }

    package subscript(spatial spatial: Int, temporal temporal: Int) -> Int {
        counts[LayerBytes.index(spatial, temporal)]
    }

    private static func index(_ spatial: Int, _ temporal: Int) -> Int {
        min(max(spatial, 0), self.spatial - 1) * self.temporal + min(max(temporal, 0), self.temporal - 1)
    }
}

/// What the layers of one RTP stream cost, measured.
package struct LayerRates: Sendable {
    private var meters: [RateMeter] = Array(repeating: RateMeter(), count: LayerBytes.spatial * LayerBytes.temporal)

    package init() {}

    /// To be called some times a second.
    package mutating func update(_ layerBytes: LayerBytes, now: Instant) {
        for spatial in 0..<LayerBytes.spatial {
            for temporal in 0..<LayerBytes.temporal {
                let bytes = layerBytes[spatial: spatial, temporal: temporal]
                meters[spatial * LayerBytes.temporal + temporal].update(bytes, now: now)
            }
        }
    }

    /// Bits a second of these layers and all below them.
    package func bitrate(upTo spatial: Int, _ temporal: Int) -> Int {
        var sum = 0.0
        for row in 0...min(max(spatial, 0), LayerBytes.spatial - 1) {
            for column in 0...min(max(temporal, 0), LayerBytes.temporal - 1) {
                sum += meters[row * LayerBytes.temporal + column].bitrate
            }
        }
        return Int(sum)
    }

    /// What there is to choose from: the smallest picture at each of its picture rates, the larger ones at no less than
    /// half of theirs.
    ///
    /// - Parameter rank: of the stream in a simulcast.
    /// - Parameter isSmallest: no other stream of the simulcast is smaller.
    package func choices(rank: Int, isSmallest: Bool) -> [VideoDemand.Layer] {
        var found: [VideoDemand.Layer] = []
        for spatial in 0..<LayerBytes.spatial {
            let top = (0..<LayerBytes.temporal).last {
                $0 == 0 || bitrate(upTo: spatial, $0) > bitrate(upTo: spatial, $0 - 1)
            }
            let highest = top ?? 0
            // Halved once: a larger picture that stutters is worth less than a smaller one that doesn't.
            let lowest = isSmallest && spatial == 0 ? 0 : max(0, highest - 1)
            guard spatial == 0 || bitrate(upTo: spatial, highest) > bitrate(upTo: spatial - 1, highest) else { break }
            for temporal in lowest...highest {
                found.append(
                    VideoDemand.Layer(
                        rank: rank + spatial, temporal: temporal == highest ? LayerPoint.highest.temporal : temporal,
                        bitrate: bitrate(upTo: spatial, temporal)))
            }
        }
        return found
    }
}
