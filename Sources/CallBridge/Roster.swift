import MediaCore

/// Who is in the call and what they publish.
struct Roster {
    private(set) var local: Participant
    private var remotes: [String: Participant] = [:]
    private var order: [String] = []
    /// Media of subscribed tracks by the provider's track id.
    var media: [String: RemoteTrack] = [:]

    init(local: Participant) { self.local = local }

    var all: [Participant] { [local] + order.compactMap { remotes[$0] } }

    subscript(id: String) -> Participant? { id == local.id ? local : remotes[id] }

    mutating func insert(_ participant: Participant) {
        if remotes.updateValue(participant, forKey: participant.id) == nil { order.append(participant.id) }
    }

    mutating func remove(_ id: String) -> Participant? {
        order.removeAll { $0 == id }
        return remotes.removeValue(forKey: id)
    }

    /// Takes over name, metadata and attributes; nil where the participant is unknown or nothing changed.
    mutating func update(_ participant: Participant) -> Participant? {
        guard var known = self[participant.id] else { return nil }
        let before = known
        known.name = participant.name
        known.metadata = participant.metadata
        known.attributes = participant.attributes
        guard known != before else { return nil }
        store(known)
        return known
    }

    mutating func addTrack(_ track: Track, to owner: String) -> Participant? {
        guard var participant = remotes[owner], !participant.tracks.contains(where: { $0.id == track.id }) else {
            return nil
        }
        participant.tracks.append(track)
        store(participant)
        return participant
    }

    mutating func removeTrack(_ id: String, from owner: String) -> (Track, Participant)? {
        guard var participant = remotes[owner], let index = participant.tracks.firstIndex(where: { $0.id == id }) else {
            return nil
        }
        let track = participant.tracks.remove(at: index)
        store(participant)
        return (track, participant)
    }

    mutating func setMuted(_ muted: Bool, _ id: String, of owner: String) -> (Track, Participant)? {
        guard var participant = self[owner], let index = participant.tracks.firstIndex(where: { $0.id == id }),
            participant.tracks[index].isMuted != muted
        else { return nil }
        participant.tracks[index].isMuted = muted
        store(participant)
        return (participant.tracks[index], participant)
    }

    mutating func addLocalTrack(_ track: Track) {
        if !local.tracks.contains(where: { $0.id == track.id }) { local.tracks.append(track) }
    }

    mutating func removeLocalTrack(_ id: String) { local.tracks.removeAll { $0.id == id } }

    mutating func setLocalTrackMuted(_ id: String, _ muted: Bool) {
        if let index = local.tracks.firstIndex(where: { $0.id == id }) { local.tracks[index].isMuted = muted }
    }

    private mutating func store(_ participant: Participant) {
        if participant.id == local.id { local = participant } else { remotes[participant.id] = participant }
    }
}
