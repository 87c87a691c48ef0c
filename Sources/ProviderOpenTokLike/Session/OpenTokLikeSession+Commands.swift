import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling

/// What the bridge asks for, in the machine's words.
extension OpenTokLikeSession {
    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        try await publish([(track, source)])[0]
    }

    /// Microphone and camera are one stream; what can't be in it with others is one of its own. All come about or none.
    func publish(_ items: [LocalMediaItem]) async throws -> [Track] {
        var published: [(index: Int, track: Track)] = []
        do {
            for group in StreamGroups.indices(items) {
                let tracks = try await publish(stream: group.map { items[$0] })
                published += zip(group, tracks).map { (index: $0, track: $1) }
            }
        } catch {
            for stream in Set(published.compactMap { ChannelTrack(trackID: $0.track.id)?.stream }) {
                forget(stream)
                try? await ask(.unpublish(stream: stream))
            }
            throw error
        }
        return published.sorted { $0.index < $1.index }.map(\.track)
    }

    private func publish(stream group: [LocalMediaItem]) async throws -> [Track] {
        let media = try PublishedStream(group, id: Identifiers.random(), settings: settings)
        let stream = media.stream
        keep(media)
        do { try await ask(.publish(stream)) } catch {
            forget(stream.id)
            throw error
        }
        return zip(group, stream.channels).map { item, channel in
            var track = Track(channel, of: stream)
            track.source = item.source
            // Force mute may have been faster.
            track.isMuted = media[channel.id]?.isMuted ?? track.isMuted
            words.published(track)
            return track
        }
    }

    /// A stream ends with the last of its tracks; until then the channel of one that is taken back is off.
    func unpublish(trackID: String) async throws {
        let track = try channel(trackID)
        guard words.isPublishedWithOthers(trackID) else {
            defer { forget(track.stream) }
            return try await ask(.unpublish(stream: track.stream))
        }
        try await ask(.setActive(false, stream: track.stream, channel: track.channel))
        words.forget(trackID: trackID)
    }

    func setMuted(_ muted: Bool, trackID: String) async throws {
        let track = try channel(trackID)
        try await ask(.setActive(!muted, stream: track.stream, channel: track.channel))
        words.mute(trackID, muted)
    }

    func setSubscribed(_ subscribed: Bool, trackID: String) async throws {
        let track = try channel(trackID)
        try await ask(.setSubscribed(subscribed, stream: track.stream, channel: track.channel))
    }

    func setTrackSettings(_ settings: TrackSettings, trackID: String) async throws {
        let track = try channel(trackID)
        let preferences = RaptorSubscriberPreferences(settings, size: words.size(of: track))
        try await ask(.prefer(preferences, stream: track.stream, channel: track.channel))
    }

    func setVideoLayout(_ layout: VideoLayout, trackID: String) async throws {
        guard context.streaming.adaptiveStream else {
            throw FeatureUnavailable("adaptive streaming without its option")
        }
        switch layout {
        case .hidden: try await setTrackSettings(TrackSettings(isDisabled: true), trackID: trackID)
        case .visible(let size): try await setTrackSettings(TrackSettings(size: size), trackID: trackID)
        }
    }

    /// A signal: its type is the topic, its data the text.
    func send(_ message: DataMessage, to identities: [String]) async throws {
        guard let text = message.text else {
            throw CallError(
                .caller, .invalidArgument, "signals carry text, and these \(message.bytes.count) bytes are no UTF-8")
        }
        let content = SignalContent(type: message.topic.isEmpty ? nil : message.topic, data: text)
        try await ask(.signal(content, to: try words.connections(of: identities)))
    }

    func moderate(_ action: Moderation) async throws {
        switch action {
        case .mute(let trackID): try await ask(.forceMuteStream(try channel(trackID).stream))
        case .muteEverybody(let trackIDs):
            let excluded = try trackIDs.map { try channel($0).stream }
            try await ask(.forceMuteAll(ForceMute(isActive: true, excludedStreams: excluded.sorted())))
        case .endMute: try await ask(.forceMuteAll(ForceMute(isActive: false)))
        case .unpublish(let trackID): try await ask(.forceUnpublish(stream: try channel(trackID).stream))
        case .remove(let participantID): try await ask(.forceDisconnect(connection: participantID))
        }
    }

    private func channel(_ trackID: String) throws(CallError) -> ChannelTrack {
        guard let track = ChannelTrack(trackID: trackID) else {
            throw CallError(.caller, .invalidArgument, "there is no track \(trackID)")
        }
        return track
    }
}
