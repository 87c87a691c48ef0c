import RTCCore
import RTCWire

/// What a subscriber wants of a producer, and what the way to it has room for.
struct ConsumerWishes {
    /// The largest layer that is wanted: 0 the smallest, 2 the largest.
    var layerLimit = 2
    /// Pictures a second that are wanted at most; nil for all.
    var frameRateLimit: Int?
    /// What the way to the subscriber has room for.
    var allocation = LayerPoint.highest
    /// The subscriber wants nothing for now.
    var isPaused = false
    /// Of sound: copies of earlier frames, by what the way loses.
    var copies = SoundCopies()

    var spatialLimit: Int { min(layerLimit, allocation.spatial) }

    /// What to send at most of a stream whose temporal layers come so often; nil where no stream is sent.
    func limit(_ rates: TemporalRates?) -> LayerPoint {
        var temporal = allocation.temporal
        if let frameRateLimit, let rates { temporal = min(temporal, rates.layer(covering: Double(frameRateLimit))) }
        return LayerPoint(spatial: spatialLimit, temporal: temporal)
    }
}

/// How many copies of earlier frames a subscriber's sound carries. A value.
struct SoundCopies {
    /// In each packet, 0...2.
    private(set) var count = 0
    private var demand = CopyDemand(least: 0, most: RecentSound.depth)

    /// Takes in the share of its packets that was lost since the last time, 0...1.
    ///
    /// - Parameter most: copies that the way has room for.
    mutating func note(loss: Double, most: Int, now: Instant) {
        demand.note(loss: loss, now: now)
        count = max(0, min(demand.copies, most))
    }
}
