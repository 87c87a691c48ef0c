/// What not every provider can do. Where it can't, these throw a `CallError` that names provider and feature.
extension Call {
    /// Attaches free text to ourselves, for everybody to see, and returns when the server has taken it. Throws `CallError`.
    public func setMetadata(_ metadata: String) async throws {
        try await perform("change the metadata") { try await $0.setMetadata(metadata) }
    }

    /// Changes our name and returns when the server has taken it. Throws `CallError`.
    public func setName(_ name: String) async throws {
        try await perform("change the name") { try await $0.setName(name) }
    }

    /// Attaches key and value pairs to ourselves: those given change, an empty value takes one away. Throws `CallError`.
    public func setAttributes(_ attributes: [String: String]) async throws {
        try await perform("change attributes") { try await $0.setAttributes(attributes) }
    }

    /// Says which layer of a remote video track we want at most. Throws `CallError`.
    public func setTrackQuality(_ quality: TrackSettings.Quality, _ track: Track) async throws {
        try await setTrackSettings(TrackSettings(quality: quality), track)
    }

    /// Says what we want to receive of a remote track. Throws `CallError`.
    public func setTrackSettings(_ settings: TrackSettings, _ track: Track) async throws {
        try await perform("choose what to receive") { try await $0.setTrackSettings(settings, trackID: track.id) }
    }

    /// Says where a remote video track is shown, whenever that changes; with adaptive streaming media follows it.
    ///
    /// Throws `CallError`; it does where the bridge was configured without `StreamingOptions.adaptiveStream`.
    public func setVideoLayout(_ layout: VideoLayout, _ track: Track) async throws {
        try await perform("follow the layout") { try await $0.setVideoLayout(layout, trackID: track.id) }
    }

    /// Says who may receive what we publish, from now on and for later tracks. Throws `CallError`.
    public func setSubscriptionPermissions(_ permissions: SubscriptionPermissions) async throws {
        try await perform("set permissions") { try await $0.setSubscriptionPermissions(permissions) }
    }

    /// Runs a provider's optional feature and names the provider that lacks it.
    func perform<Result: Sendable>(
        _ action: String, _ body: (any ProviderSession) async throws -> Result
    ) async throws -> Result {
        try requireOpen(action)
        do {
            return try await body(session)
        } catch let missing as FeatureUnavailable {
            throw CallError(
                .provider, .featureUnavailable,
                "the provider \(descriptor.provider.rawValue) has no \(missing.feature); use another provider for it")
        }
    }
}

extension Call {
    func roomUpdated(_ room: RoomInfo) {
        send(.roomUpdated(room))
    }

    func qualityChanged(_ changes: [ParticipantQuality]) {
        for change in changes {
            guard let participant = roster[change.participantID] else { continue }
            send(.connectionQuality(change, participant))
        }
    }

    func streamPaused(_ isPaused: Bool, _ id: String, of owner: String) {
        guard let participant = roster[owner], let track = participant.tracks.first(where: { $0.id == id }) else {
            return
        }
        roster.media[id]?.isPaused = isPaused || track.isMuted
        send(.streamState(isPaused ? .paused : .active, track, participant))
    }

    func subscriptionAllowed(_ isAllowed: Bool, _ id: String, of owner: String) {
        guard let participant = roster[owner], let track = participant.tracks.first(where: { $0.id == id }) else {
            return
        }
        send(.subscriptionPermission(isAllowed: isAllowed, track, participant))
    }

    func subscriptionFailed(_ id: String, of owner: String, _ why: String) {
        guard let participant = roster[owner], let track = participant.tracks.first(where: { $0.id == id }) else {
            return
        }
        send(.subscriptionFailed(track, participant, detail: why))
    }

    /// The server muted one of our tracks, or lifted that.
    func serverMuted(_ isMuted: Bool, _ id: String) {
        guard let (track, _) = roster.setMuted(isMuted, id, of: roster.local.id) else { return }
        send(.localTrackMuted(track))
    }

    /// One of our tracks that was no longer published is so again.
    func localTrackRestored(_ track: Track) {
        roster.addLocalTrack(track)
        send(.trackPublished(track, roster.local))
    }

    /// One of our tracks is no longer published, though we did not ask for it.
    func localTrackLost(_ id: String) {
        guard let track = roster.local.tracks.first(where: { $0.id == id }) else { return }
        roster.removeLocalTrack(id)
        send(.trackUnpublished(track, roster.local))
    }
}
