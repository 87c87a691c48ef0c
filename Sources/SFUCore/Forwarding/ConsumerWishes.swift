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

    var spatialLimit: Int { min(layerLimit, allocation.spatial) }

    /// What to send at most of a stream whose temporal layers come so often; nil where no stream is sent.
    func limit(_ rates: TemporalRates?) -> LayerPoint {
        var temporal = allocation.temporal
        if let frameRateLimit, let rates { temporal = min(temporal, rates.layer(covering: Double(frameRateLimit))) }
        return LayerPoint(spatial: spatialLimit, temporal: temporal)
    }
}
