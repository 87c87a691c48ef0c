import RTCWire
import SFUCore

/// Which layers of a room's video tracks are wanted, and when their publishers are told (dynacast). A value.
package struct DemandTable: Sendable {
    static let nobody = LayerDemand.nobody

    private var demands: [String: LayerDemand] = [:]

    init() {}

    /// When `advance` has something to say.
    var nextDeadline: Instant { demands.values.compactMap(\.deadline).min() ?? .distantFuture }

    /// The largest layer that a track's publisher may be taken to send: a rank from 0, or -1.
    package func effectiveLayer(of track: String) -> Int { demands[track]?.effective ?? TrackPreference.largestLayer }

    /// Forgets tracks that are not there any more.
    mutating func keep(_ tracks: Set<String>) { demands = demands.filter { tracks.contains($0.key) } }

    /// Takes in what is wanted of a track now; gives what to tell its publisher at once.
    mutating func update(_ track: String, _ layer: Int, now: Instant) -> Int? {
        demands[track, default: LayerDemand()].update(layer, now: now)
    }

    /// What publishers are to be told now, in order of the tracks.
    mutating func advance(to now: Instant) -> [(track: String, layer: Int)] {
        var told: [(track: String, layer: Int)] = []
        for track in demands.keys.sorted() {
            if let layer = demands[track]?.advance(to: now) { told.append((track, layer)) }
        }
        return told
    }
}
