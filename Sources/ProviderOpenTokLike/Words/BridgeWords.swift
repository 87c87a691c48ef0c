import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling

/// What the machine reports, in the bridge's words. A value: it knows who is there and which media has come.
struct BridgeWords {
    /// Media that is encrypted end to end, and what the application has asked for.
    let isEncrypted: Bool
    private(set) var local: Participant
    private var people: [String: Participant] = [:]
    private var owners: [String: String] = [:]
    /// What connections have brought, by the kind of media.
    private var received: [RaptorPeer: [MediaKind: RemoteTrack]] = [:]
    private var streams: [String: RaptorStream] = [:]
    /// Media is connected; with somebody, where a profile is known.
    private var hasProfile = false

    init(isEncrypted: Bool) {
        self.isEncrypted = isEncrypted
        local = Participant(id: "", identity: "", isLocal: true)
    }

    // MARK: Sessions

    mutating func events(_ event: ClientEvent) -> [ProviderEvent] {
        switch event {
        case .sessionConnected(let connection):
            local = Participant(connection, isLocal: true)
            // Nobody is there to agree on a profile with.
            return [.mediaConnected(srtpProfile: ""), .localPermissions(.init(connection.permissions))]
        case .connectionCreated(let connection):
            let person = Participant(connection)
            people[connection.id] = person
            return [.participantJoined(person)]
        case .connectionDestroyed(let connection, let reason):
            people[connection.id] = nil
            return [.participantLeft(id: connection.id, .init(reason))]
        case .streamCreated, .streamDestroyed, .streamActive, .streamChanged: return streamEvents(event)
        case .signal(let content, let sender): return signal(content, from: sender)
        case .reconnecting: return [.reconnecting(.quick)]
        case .reconnected: return [.reconnected(.quick)]
        case .muteForced: return []
        case .archive(let archive):
            return [.roomUpdated(RoomInfo(id: archive.id, name: archive.name, isRecorded: archive.status == .started))]
        case .publisher(let event, let stream): return publisherEvents(event, stream)
        case .subscriber(let event, let stream): return subscriberEvents(event, stream)
        }
    }

    // MARK: Streams

    private mutating func streamEvents(_ event: ClientEvent) -> [ProviderEvent] {
        switch event {
        case .streamCreated(let stream):
            guard let owner = stream.connection else { return [] }
            owners[stream.id] = owner
            streams[stream.id] = stream
            return stream.channels.map { .trackPublished(Track($0, of: stream), participantID: owner) }
        case .streamDestroyed(let stream, _):
            guard let owner = owners.removeValue(forKey: stream.id) else { return [] }
            streams[stream.id] = nil
            return stream.channels.map { .trackUnpublished(trackID: id(stream.id, $0.id), participantID: owner) }
        case .streamActive(let isActive, let stream, let channel):
            guard let owner = owners[stream.id] else { return [] }
            streams[stream.id] = stream
            return [.trackMuted(!isActive, trackID: id(stream.id, channel), participantID: owner)]
        case .streamChanged(let stream, _):
            streams[stream.id] = stream
            return []
        default: return []
        }
    }

    private func id(_ stream: String, _ channel: String) -> String {
        ChannelTrack(stream: stream, channel: channel).trackID
    }

    /// Width and height of a channel, as announced; 0 where they are not.
    func size(of track: ChannelTrack) -> (width: Int, height: Int) {
        let properties = streams[track.stream]?.channels.first { $0.id == track.channel }?.properties
        return (properties?.width ?? 0, properties?.height ?? 0)
    }

    // MARK: Own streams

    private mutating func publisherEvents(_ event: PublisherEvent, _ stream: String) -> [ProviderEvent] {
        let tracks = local.tracks.filter { ChannelTrack(trackID: $0.id)?.stream == stream }
        switch event {
        case .streamCreated: return []
        case .streamDestroyed:
            forget(published: stream)
            return tracks.map { .localTrackUnpublished(trackID: $0.id) }
        case .muteForced(let channel):
            mute(id(stream, channel), true)
            return [.localTrackMuted(true, trackID: id(stream, channel))]
        case .subscribed: return tracks.map { .localTrackSubscribed(trackID: $0.id) }
        }
    }

    mutating func published(_ track: Track) { local.tracks.append(track) }

    mutating func forget(published stream: String) {
        local.tracks.removeAll { ChannelTrack(trackID: $0.id)?.stream == stream }
    }

    /// Another track of its stream is published, too.
    func isPublishedWithOthers(_ trackID: String) -> Bool {
        let stream = ChannelTrack(trackID: trackID)?.stream
        return local.tracks.contains { $0.id != trackID && ChannelTrack(trackID: $0.id)?.stream == stream }
    }

    mutating func forget(trackID: String) { local.tracks.removeAll { $0.id == trackID } }

    mutating func mute(_ trackID: String, _ isMuted: Bool) {
        guard let index = local.tracks.firstIndex(where: { $0.id == trackID }) else { return }
        local.tracks[index].isMuted = isMuted
    }

    // MARK: Received streams

    private func subscriberEvents(_ event: SubscriberEvent, _ stream: String) -> [ProviderEvent] {
        guard let owner = owners[stream] else { return [] }
        switch event {
        case .connected(let channel, let peer):
            guard let kind = streams[stream]?.channels.first(where: { $0.id == channel })?.kind,
                let track = received[peer]?[kind == .audio ? .audio : .video]
            else { return [] }
            track.protection = isEncrypted ? .encrypted(participant: people[owner]?.identity ?? "") : .clear
            return [.trackSubscribed(track, trackID: id(stream, channel), participantID: owner)]
        case .disconnected(let channel): return [.trackUnsubscribed(trackID: id(stream, channel), participantID: owner)]
        case .video(let change): return video(change, stream, owner)
        case .failed(let error):
            return (streams[stream]?.channels ?? []).map {
                .subscriptionFailed(
                    trackID: id(stream, $0.id), participantID: owner, detail: error.description)
            }
        }
    }

    /// A warning is about our own link: it is bad, and good again where the warning is lifted.
    private func video(_ change: VideoChange, _ stream: String, _ owner: String) -> [ProviderEvent] {
        let pictures = streams[stream]?.channels.filter { $0.kind == .video } ?? []
        switch change {
        case .disableWarning: return [.connectionQuality([.init(participantID: local.id, level: .poor)])]
        case .disableWarningLifted: return [.connectionQuality([.init(participantID: local.id, level: .good)])]
        case .disabled, .enabled:
            return pictures.map {
                .streamPaused(change == .disabled, trackID: id(stream, $0.id), participantID: owner)
            }
        }
    }

    // MARK: Media

    mutating func arrived(_ track: RemoteTrack, _ peer: RaptorPeer) { received[peer, default: [:]][track.kind] = track }

    mutating func closed(_ peer: RaptorPeer) { received[peer] = nil }

    /// Told once, with the first connection.
    mutating func connected(srtpProfile: String) -> ProviderEvent? {
        guard !hasProfile else { return nil }
        hasProfile = true
        return .mediaConnected(srtpProfile: srtpProfile)
    }

    func levels(_ reports: [AudioLevelReport], _ peer: RaptorPeer) -> ProviderEvent? {
        guard let owner = owners[peer.stream] else { return nil }
        return .audioLevels(
            reports.map { ParticipantLevel(participantID: owner, level: $0.level, atNanoseconds: $0.atNanoseconds) })
    }

    // MARK: Signals

    /// The bridge's messages go to everybody else: our own do not come back.
    private func signal(_ content: SignalContent, from sender: String?) -> [ProviderEvent] {
        guard sender != local.id else { return [] }
        let message = DataMessage(bytes: Array((content.data ?? "").utf8), topic: content.type ?? "")
        return [.dataReceived(message, identity: sender.flatMap { people[$0]?.identity })]
    }

    /// The connections of these identities; nil for everybody. Throws `CallError` where nobody has one of them.
    func connections(of identities: [String]) throws(CallError) -> [String]? {
        guard !identities.isEmpty else { return nil }
        var result: [String] = []
        for identity in identities {
            let ids = people.values.filter { $0.identity == identity }.map(\.id).sorted()
            guard !ids.isEmpty else {
                throw CallError(.caller, .invalidArgument, "nobody in the session has the identity \(identity)")
            }
            result += ids
        }
        return result
    }
}

extension ParticipantPermissions {
    init(_ permissions: OpenTokPermissions) {
        self.init(
            canSubscribe: permissions.contains(.subscribe), canPublish: permissions.contains(.publish),
            canPublishData: permissions.contains(.signal))
    }
}
