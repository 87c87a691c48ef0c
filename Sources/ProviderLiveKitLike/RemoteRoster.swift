import CallBridge
import LiveKitProtocol
import MediaCore

/// What the server has told about the others, by its ids.
struct RemoteRoster {
    private let localSID: String
    private var participants: [String: Livekit_ParticipantInfo] = [:]
    private var owners: [String: String] = [:]
    private var speakerLevels: [String: Double] = [:]
    /// In the single mode: which track a section of our description carries.
    var midToTrack: [String: String] = [:]
    /// Media whose track the server has not announced yet.
    var orphans: [(track: RemoteTrack, sid: String)] = []

    init(localSID: String) { self.localSID = localSID }

    /// The participant who publishes a track.
    func owner(of track: String) -> String? { owners[track] }

    /// Takes over the latest news of a participant; says what changed.
    mutating func apply(_ info: Livekit_ParticipantInfo) -> [ProviderEvent] {
        let known = participants[info.sid]
        if let known, info.version < known.version { return [] }
        if info.state == .disconnected { return remove(info) }
        participants[info.sid] = info
        for track in info.tracks { owners[track.sid] = info.sid }
        guard let known else { return [.participantJoined(Participant(info, isLocal: false))] }
        return changes(from: known, to: info)
    }

    private mutating func remove(_ info: Livekit_ParticipantInfo) -> [ProviderEvent] {
        guard let known = participants.removeValue(forKey: info.sid) else { return [] }
        for track in known.tracks { owners[track.sid] = nil }
        speakerLevels[info.sid] = nil
        return [.participantLeft(id: info.sid, ParticipantLeftReason(info.disconnectReason))]
    }

    private mutating func changes(from old: Livekit_ParticipantInfo, to new: Livekit_ParticipantInfo) -> [ProviderEvent]
    {
        var events: [ProviderEvent] = []
        let before = Dictionary(old.tracks.map { ($0.sid, $0) }) { $1 }
        let after = Dictionary(new.tracks.map { ($0.sid, $0) }) { $1 }
        for track in old.tracks where after[track.sid] == nil {
            events.append(.trackUnpublished(trackID: track.sid, participantID: new.sid))
            owners[track.sid] = nil
        }
        for track in new.tracks {
            guard let earlier = before[track.sid] else {
                events.append(.trackPublished(Track(track), participantID: new.sid))
                continue
            }
            if earlier.muted != track.muted {
                events.append(.trackMuted(track.muted, trackID: track.sid, participantID: new.sid))
            }
        }
        if old.name != new.name || old.metadata != new.metadata || old.attributes != new.attributes {
            events.append(.participantUpdated(Participant(new, isLocal: false)))
        }
        return events
    }

    /// Applies the server's delta; returns everybody who speaks now.
    mutating func applySpeakers(_ changes: [Livekit_SpeakerInfo]) -> [(participantID: String, level: Double)] {
        for change in changes { speakerLevels[change.sid] = change.active ? Double(change.level) : nil }
        return speakerLevels.map { (participantID: $0.key, level: $0.value) }
            .sorted { ($1.level, $0.participantID) < ($0.level, $1.participantID) }
    }

    /// Media that can be named now.
    mutating func claimOrphans() -> [(track: RemoteTrack, sid: String)] {
        let claimed = orphans.filter { owners[$0.sid] != nil }
        orphans.removeAll { owners[$0.sid] != nil }
        return claimed
    }
}
