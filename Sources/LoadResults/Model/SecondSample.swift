/// What happened in one second of a run, all participants together. Counts are of that second, not running sums.
package struct SecondSample: Codable, Sendable, Equatable {
    /// Seconds since the beginning, from 0.
    package var second: Int
    package var participants = ParticipantCounts()
    package var audio = MediaCounters()
    package var video = MediaCounters()
    /// Times that ended in this second: capture to reception, round trips, joins.
    package var latency: HistogramSnapshot?
    package var roundTripTime: HistogramSnapshot?
    package var join: HistogramSnapshot?
    package var tester = TesterHealth()
    /// Of the server, where the tester can see its process.
    package var server: ServerHealth?
    /// Why the tester was the bottleneck in this second; empty where it was not.
    package var saturated: [SaturationReason] = []

    package init(second: Int) { self.second = second }
}

/// Participants at the end of a second, and what became of some in it.
package struct ParticipantCounts: Codable, Sendable, Equatable {
    /// On their way in.
    package var joining = 0
    /// In a room.
    package var joined = 0
    /// Those of `joined` whose connection is being made anew.
    package var reconnecting = 0
    /// In this second: joins that succeeded, joins that failed, departures as planned, participants that were lost.
    package var joins = 0
    package var failures = 0
    package var leaves = 0
    package var losses = 0

    package init() {}

    mutating func add(_ other: ParticipantCounts) {
        joining = joining.saturatingAdd(other.joining)
        joined = joined.saturatingAdd(other.joined)
        reconnecting = reconnecting.saturatingAdd(other.reconnecting)
        joins = joins.saturatingAdd(other.joins)
        failures = failures.saturatingAdd(other.failures)
        leaves = leaves.saturatingAdd(other.leaves)
        losses = losses.saturatingAdd(other.losses)
    }
}
