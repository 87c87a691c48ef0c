import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling

/// What the bridge asks for, in the machine's words.
extension OpenTokLikeSession {
    /// Each track is a stream of its own.
    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        let settings = self.settings
        let media =
            try settings.isRelayed
            ? PublishedTrack(relayed: track)
            : PublishedTrack(routed: track, isLayered: settings.info.hasSimulcast ?? true)
        let stream = RaptorStream(track, source: source, id: Identifiers.random())
        keep(media, stream: stream.id)
        do { try await ask(.publish(stream)) } catch {
            forget(stream.id)
            throw error
        }
        var published = Track(stream.channels[0], of: stream)
        published.source = source
        // Force mute may have been faster.
        published.isMuted = media.isMuted
        words.published(published)
        return published
    }

    func unpublish(trackID: String) async throws {
        let track = try channel(trackID)
        defer { forget(track.stream) }
        try await ask(.unpublish(stream: track.stream))
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
