import MediaCore

/// A line of `--stats`: one participant at one moment.
struct StatsLine: Encodable {
    var participant: String
    /// Since the run began.
    var seconds: Double
    /// Milliseconds since 1970.
    var timestamp: Double
    /// The objects of W3C webrtc-stats.
    var stats: [StatsObject]
    /// What listeners and viewers would say of each track that is received.
    var scores: [TrackScore]
}

/// The scores of a received track.
struct TrackScore: Encodable, Equatable {
    var trackIdentifier: String
    var from: String
    var kind: String
    /// Of the time since the last line: sound by the E-model, pictures by their size, rate and freezes.
    var mos: Double?
}

/// Scores of each second, from counts that only grow.
struct SecondScores {
    private var last: [String: ReceiverStatistics] = [:]
    private var time: MediaTime?

    /// One received track.
    struct Track {
        var id: String
        var from: String
        var counted: ReceiverStatistics
    }

    /// What the time since the last call was worth.
    mutating func take(_ tracks: [Track], roundTripMilliseconds: Double?, at now: MediaTime) -> [TrackScore] {
        let seconds = time.map { now.seconds - $0.seconds } ?? 0
        time = now
        let scores = tracks.map { track in
            let value = last[track.id].flatMap {
                track.counted.score(since: $0, seconds: seconds, roundTripMilliseconds: roundTripMilliseconds)
            }
            return TrackScore(
                trackIdentifier: track.counted.trackID, from: track.from, kind: track.counted.kind.rawValue,
                mos: value.map(Self.rounded))
        }
        last = Dictionary(tracks.map { ($0.id, $0.counted) }) { $1 }
        return scores
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
