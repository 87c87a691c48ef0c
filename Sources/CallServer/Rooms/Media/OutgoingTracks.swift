import SFUCore

/// The tracks of a connection that sends them.
struct OutgoingTracks {
    /// What the connection is to send, with or without a line.
    private(set) var wanted: [OutgoingTrack] = []
    /// What is no longer wanted and ends in black pictures; it keeps its line until then.
    private(set) var ending: [OutgoingTrack] = []

    /// The consumer of a source that the client knows.
    func consumer(ssrc: UInt32) -> ConsumerID? {
        (wanted.first { $0.ssrc == ssrc } ?? ending.first { $0.ssrc == ssrc })?.consumer
    }

    /// The consumers of all that is sent still.
    var consumers: [ConsumerID] { (wanted + ending).compactMap(\.consumer) }

    mutating func add(_ track: OutgoingTrack) { wanted.append(track) }

    /// Takes out what is no longer wanted.
    mutating func remove(track: String) -> OutgoingTrack? {
        wanted.firstIndex { $0.trackID == track }.map { wanted.remove(at: $0) }
    }

    /// Keeps a track that was taken out until its consumer has ended.
    mutating func letEnd(_ track: OutgoingTrack) { ending.append(track) }

    /// Takes out what has ended.
    mutating func remove(ended consumer: ConsumerID) -> OutgoingTrack? {
        ending.firstIndex { $0.consumer == consumer }.map { ending.remove(at: $0) }
    }
}
