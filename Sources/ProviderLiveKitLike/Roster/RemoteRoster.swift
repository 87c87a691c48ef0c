import CallBridge
import LiveKitProtocol
import MediaCore

/// What the server has told about the others, by its ids.
struct RemoteRoster {
    /// Those who publish nothing are kept, too.
    private let keepsListeners: Bool
    private var participants: [String: Livekit_ParticipantInfo] = [:]
    private var owners: [String: String] = [:]
    private var speakerLevels: [String: Double] = [:]
    /// In the single mode: which track a section of our description carries.
    var midToTrack: [String: String] = [:]
    /// Media whose track the server has not announced yet.
    private var orphans: [(track: RemoteTrack, sid: String)] = []
    /// Media that has been announced, and as which track.
    private var received: [ObjectIdentifier: (track: RemoteTrack, sid: String)] = [:]
    /// After a resume the next list of participants is complete: who is not on it has gone.
    var awaitsList = false

    init(keepsListeners: Bool = true) { self.keepsListeners = keepsListeners }

    /// The participant who publishes a track.
    func owner(of track: String) -> String? { owners[track] }

    /// Whether somebody with that identity is there.
    func contains(identity: String) -> Bool { participants.values.contains { $0.identity == identity } }

    /// The identity of a participant who is there.
    func identity(of sid: String) -> String? { participants[sid]?.identity }

    /// What is known of a track.
    func track(_ sid: String) -> Livekit_TrackInfo? {
        owners[sid].flatMap { participants[$0] }?.tracks.first { $0.sid == sid }
    }

    /// Whether a track is encrypted end to end, and by whom.
    func protection(of sid: String) -> RemoteTrack.Protection {
        guard let track = track(sid), track.encryption != .none, let owner = owners[sid] else { return .clear }
        return .encrypted(participant: participants[owner]?.identity ?? "")
    }

    /// Takes over a complete list: who is not on it is gone.
    mutating func reconcile(_ list: [Livekit_ParticipantInfo]) -> [ProviderEvent] {
        awaitsList = false
        let present = Set(list.map(\.sid))
        var events: [ProviderEvent] = []
        for known in participants.values.sorted(by: { $0.sid < $1.sid }) where !present.contains(known.sid) {
            events += remove(known)
        }
        for participant in list { events += apply(participant) }
        return events
    }

    /// Takes over the latest news of a participant; says what changed.
    mutating func apply(_ info: Livekit_ParticipantInfo) -> [ProviderEvent] {
        let known = participants[info.sid]
        if let known, info.version < known.version { return [] }
        if info.state == .disconnected { return remove(info) }
        guard keepsListeners || known != nil || !info.tracks.isEmpty else { return [] }
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

    // MARK: Media

    /// The server's id of a negotiated track: by its section in the single mode, else from its stream id `PA_...|TR_...`.
    func sid(of track: RemoteTrack, isSingle: Bool) -> String {
        if isSingle, let sid = midToTrack[track.mid] { return sid }
        if let bar = track.streamID.firstIndex(of: "|") {
            let rest = String(track.streamID[track.streamID.index(after: bar)...])
            if rest.hasPrefix("TR_") { return rest }
        }
        return track.trackID
    }

    /// Media was negotiated: what to tell and how it is encrypted; nil while its owner is not known, it is kept until then.
    mutating func announce(_ track: RemoteTrack, sid: String) -> (ProviderEvent, RemoteTrack.Protection)? {
        guard let owner = owner(of: sid) else {
            orphans.append((track, sid))
            return nil
        }
        received[ObjectIdentifier(track)] = (track, sid)
        return (.trackSubscribed(track, trackID: sid, participantID: owner), protection(of: sid))
    }

    /// Media is gone from the negotiation.
    mutating func retract(_ track: RemoteTrack) -> [ProviderEvent] {
        orphans.removeAll { $0.track === track }
        guard let (_, sid) = received.removeValue(forKey: ObjectIdentifier(track)), let owner = owner(of: sid) else {
            return []
        }
        return [.trackUnsubscribed(trackID: sid, participantID: owner)]
    }

    /// The media connections are being replaced: nothing arrives on the old ones.
    mutating func retractAll() -> [ProviderEvent] {
        let events = received.values.sorted { $0.sid < $1.sid }.flatMap { retract($0.track) }
        orphans = []
        midToTrack = [:]
        return events
    }

    /// Media that can be named now.
    mutating func claimOrphans() -> [(track: RemoteTrack, sid: String)] {
        let claimed = orphans.filter { owners[$0.sid] != nil }
        orphans.removeAll { owners[$0.sid] != nil }
        return claimed
    }

    /// Measured levels of those whose tracks are known.
    func named(_ levels: [AudioLevelReport]) -> [ParticipantLevel] {
        levels.compactMap { level in
            owner(of: level.trackID).map {
                ParticipantLevel(participantID: $0, level: level.level, atNanoseconds: level.atNanoseconds)
            }
        }
    }
}
