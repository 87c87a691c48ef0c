/// Who is in a room and what they publish. A value; who is told of changes is another's business.
package struct RoomRoster: Sendable {
    /// In the order in which they came.
    package private(set) var participants: [RoomParticipant] = []
    /// Where each of them stands, by id.
    private var positions: [String: Int] = [:]
    /// Whose each track is.
    private var publishers: [String: String] = [:]

    init() {}

    package subscript(_ id: String) -> RoomParticipant? { positions[id].map { participants[$0] } }

    package func participant(identity: String) -> RoomParticipant? { participants.first { $0.identity == identity } }

    /// The publisher of a track, and the track.
    package func track(_ id: String) -> (publisher: RoomParticipant, track: PublishedTrack)? {
        guard let publisher = publishers[id].flatMap({ self[$0] }), let track = publisher.track(id) else { return nil }
        return (publisher, track)
    }

    package func isPublished(_ track: String) -> Bool { publishers[track] != nil }

    // MARK: Changes

    mutating func append(_ participant: RoomParticipant) {
        positions[participant.id] = participants.count
        participants.append(participant)
    }

    /// Removes somebody and gives the last state of things.
    mutating func remove(_ id: String) -> RoomParticipant? {
        guard let index = positions.removeValue(forKey: id) else { return nil }
        var gone = participants.remove(at: index)
        for position in index..<participants.count { positions[participants[position].id] = position }
        for track in gone.tracks { publishers[track.id] = nil }
        gone.state = .disconnected
        gone.version += 1
        return gone
    }

    /// Changes a participant in a way that others are told of.
    mutating func update(_ id: String, _ change: (inout RoomParticipant) -> Void) -> RoomParticipant? {
        guard let index = positions[id] else { return nil }
        change(&participants[index])
        participants[index].version += 1
        return participants[index]
    }

    /// Changes what a participant wants or allows; others are not told.
    mutating func adjust(_ id: String, _ change: (inout RoomParticipant) -> Void) {
        if let index = positions[id] { change(&participants[index]) }
    }

    /// Nil where there is no such participant, or there is such a track already.
    mutating func publish(_ track: PublishedTrack, by id: String) -> RoomParticipant? {
        guard publishers[track.id] == nil, positions[id] != nil else { return nil }
        publishers[track.id] = id
        return update(id) { $0.tracks.append(track) }
    }

    /// Puts another record in the place of a published track's; nil where there is none.
    mutating func replace(_ track: PublishedTrack) -> RoomParticipant? {
        guard let publisher = publishers[track.id] else { return nil }
        return update(publisher) { participant in
            participant.tracks = participant.tracks.map { $0.id == track.id ? track : $0 }
        }
    }

    /// Wishes about a track end with it.
    mutating func unpublish(_ track: String) -> RoomParticipant? {
        guard let publisher = publishers.removeValue(forKey: track) else { return nil }
        for index in participants.indices { participants[index].choices[track] = nil }
        return update(publisher) { $0.tracks.removeAll { $0.id == track } }
    }
}
