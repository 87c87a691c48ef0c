import CallBridge
import MediaCore

/// What one participant was told, checked for what can't be as it comes.
struct ConformanceRecord {
    var log: [String] = []
    var violations: [String] = []
    /// By the provider's id.
    var people: [String: Participant] = [:]
    var arrivals: [String: Int] = [:]
    var departures: [String: [ParticipantLeftReason]] = [:]
    /// By the provider's id of the track.
    var probes: [String: ConformanceProbe] = [:]
    var states: [CallState] = []
    var gaps: [Double] = []
    var srtpProfile: String?
    var serverSpeakers: Set<String> = []
    var activeSpeaker: String?
    var ending: CallEndReason?

    func probe(_ identity: String, _ kind: MediaKind) -> ConformanceProbe? {
        probes.values.first { $0.owner == identity && $0.kind == kind }
    }

    mutating func note(_ event: CallEvent) {
        if ending != nil { violations.append("something after the end") }
        switch event {
        case .stateChanged(let state):
            states.append(state)
            log.append("state \(state.rawValue)")
        case .mediaConnected(let profile, _): srtpProfile = profile
        case .reconnected(let gap, _): gaps.append(gap)
        case .participantJoined(let participant): joined(participant)
        case .participantLeft(let participant, let reason): left(participant, reason)
        case .trackPublished(let track, let owner): published(track, owner)
        case .trackUnpublished(let track, let owner): unpublished(track, owner)
        case .trackMuted(let track, let owner): muted(true, track, owner)
        case .trackUnmuted(let track, let owner): muted(false, track, owner)
        case .trackSubscribed(let media, let track, let owner): subscribed(media, track, owner)
        case .trackUnsubscribed(let track, let owner): unsubscribed(track, owner)
        case .activeSpeakerChanged(let participant):
            activeSpeaker = participant?.identity
            log.append("active speaker \(participant?.identity ?? "nobody")")
        case .speakersChanged(let speakers):
            serverSpeakers.formUnion(speakers.filter { $0.level > 0 }.map(\.participant.identity))
        case .ended(let reason, _): end(reason)
        default: break
        }
    }

    // MARK: People

    private mutating func joined(_ participant: Participant) {
        log.append("joined \(participant.identity)")
        arrivals[participant.identity, default: 0] += 1
        if people.updateValue(participant, forKey: participant.id) != nil {
            violations.append("\(participant.identity) joins twice")
        }
        people[participant.id]?.tracks = []
    }

    private mutating func left(_ participant: Participant, _ reason: ParticipantLeftReason) {
        log.append("left \(participant.identity) \(reason.rawValue)")
        departures[participant.identity, default: []].append(reason)
        guard let known = people.removeValue(forKey: participant.id) else {
            return violations.append("\(participant.identity) leaves without being there")
        }
        if !known.tracks.isEmpty { violations.append("\(participant.identity) leaves before the tracks are gone") }
    }

    private mutating func end(_ reason: CallEndReason) {
        log.append("ended \(reason.rawValue)")
        if states.last != .ended { violations.append("the end comes before the state ENDED") }
        ending = reason
    }

    // MARK: Tracks

    private mutating func published(_ track: Track, _ owner: Participant) {
        guard !owner.isLocal else { return }
        log.append("published \(owner.identity) \(track.kind.rawValue)")
        guard let person = people[owner.id] else {
            return violations.append("\(owner.identity) publishes without being there")
        }
        if person.tracks.contains(where: { $0.id == track.id }) {
            return violations.append("\(owner.identity) publishes a track twice")
        }
        people[owner.id]?.tracks.append(track)
    }

    private mutating func unpublished(_ track: Track, _ owner: Participant) {
        guard !owner.isLocal else { return }
        log.append("unpublished \(owner.identity) \(track.kind.rawValue)")
        if probes[track.id] != nil { violations.append("a track of \(owner.identity) is gone and still subscribed") }
        guard let index = people[owner.id]?.tracks.firstIndex(where: { $0.id == track.id }) else {
            return violations.append("\(owner.identity) takes back what was not published")
        }
        people[owner.id]?.tracks.remove(at: index)
    }

    private mutating func muted(_ isMuted: Bool, _ track: Track, _ owner: Participant) {
        guard !owner.isLocal else { return }
        log.append("\(isMuted ? "muted" : "unmuted") \(owner.identity) \(track.kind.rawValue)")
        guard let index = people[owner.id]?.tracks.firstIndex(where: { $0.id == track.id }) else {
            return violations.append("\(owner.identity) mutes what was not published")
        }
        if people[owner.id]?.tracks[index].isMuted == isMuted {
            violations.append("a track of \(owner.identity) is \(isMuted ? "muted" : "unmuted") twice")
        }
        people[owner.id]?.tracks[index].isMuted = isMuted
    }

    private mutating func subscribed(_ media: RemoteTrack, _ track: Track, _ owner: Participant) {
        log.append("subscribed \(owner.identity) \(track.kind.rawValue)")
        if people[owner.id]?.tracks.contains(where: { $0.id == track.id }) != true {
            violations.append("media of \(owner.identity) that was not published")
        }
        if media.kind != track.kind { violations.append("media of another kind than its track") }
        probes[track.id] = ConformanceProbe(media, of: owner.identity)
    }

    private mutating func unsubscribed(_ track: Track, _ owner: Participant) {
        log.append("unsubscribed \(owner.identity) \(track.kind.rawValue)")
        if probes.removeValue(forKey: track.id) == nil {
            violations.append("media of \(owner.identity) ends that never began")
        }
    }
}
