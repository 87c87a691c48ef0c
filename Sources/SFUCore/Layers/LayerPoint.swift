/// A spatial and a temporal layer, both from 0: what is wanted at most, or what is sent.
package struct LayerPoint: Hashable, Sendable {
    package var spatial: Int
    package var temporal: Int

    package init(spatial: Int, temporal: Int) {
        self.spatial = spatial
        self.temporal = temporal
    }

    /// No limit.
    package static let highest = LayerPoint(spatial: 7, temporal: 7)

    package func limited(to other: LayerPoint) -> LayerPoint {
        LayerPoint(spatial: min(spatial, other.spatial), temporal: min(temporal, other.temporal))
    }
}
