import MediaCore

extension Call {
    /// Turns one of the provider's events into the call's state and events.
    func handle(_ event: ProviderEvent) {
        guard state != .ended else { return }
        switch event {
        case .mediaConnected(let profile): mediaConnected(srtpProfile: profile)
        case .reconnecting(let mode): beginReconnecting(mode)
        case .reconnected(let mode): endReconnecting(mode)
        case .participantJoined(let participant): joined(participant)
        case .participantUpdated(let participant): updated(participant)
        case .participantLeft(let id, let reason): left(id, reason)
        case .trackPublished(let track, let owner): published(track, by: owner)
        case .trackUnpublished(let track, let owner): unpublished(track, by: owner)
        case .trackMuted(let muted, let track, let owner): setMuted(muted, track, of: owner)
        case .trackSubscribed(let media, let track, let owner): subscribed(media, track, of: owner)
        case .trackUnsubscribed(let track, let owner): unsubscribed(track, of: owner)
        case .speakersChanged(let speakers): serverSpeakers(speakers)
        case .audioLevels(let levels): heard(levels)
        case .connectionQuality(let changes): qualityChanged(changes)
        case .streamPaused(let isPaused, let track, let owner): streamPaused(isPaused, track, of: owner)
        case .localTrackMuted(let isMuted, let track): serverMuted(isMuted, track)
        case .localTrackUnpublished(let track): localTrackLost(track)
        case .localTrackPublished(let track): localTrackRestored(track)
        case .localTrackSubscribed(let id):
            guard let track = roster.local.tracks.first(where: { $0.id == id }) else { return }
            send(.localTrackSubscribed(track))
        case .localPermissions(let permissions): send(.localPermissions(permissions))
        case .subscriptionPermission(let isAllowed, let track, let owner):
            subscriptionAllowed(isAllowed, track, of: owner)
        case .subscriptionFailed(let track, let owner, let why): subscriptionFailed(track, of: owner, why)
        case .roomUpdated(let room): roomUpdated(room)
        case .dataReceived(let message, let identity):
            send(.dataReceived(message, participant(identity: identity)))
        case .textReceived(let message, let identity):
            send(.textReceived(message, participant(identity: identity)))
        case .streamOpened(let stream, let identity):
            send(.streamOpened(stream, participant(identity: identity)))
        case .chatReceived(let line, let identity): send(.chatReceived(line, participant(identity: identity)))
        case .rpcInvoked(let invocation): invoked(invocation)
        case .excluded(let why): departure.exclusion = why
        case .ended(let reason, let detail): end(reason, detail: detail)
        }
    }

    private func beginReconnecting(_ mode: ReconnectMode) {
        connection.lost(at: clock.now)
        move(to: .reconnecting)
        send(.reconnecting(mode))
    }

    private func endReconnecting(_ mode: ReconnectMode) {
        if let gap = connection.regained(at: clock.now) { send(.reconnected(gapMilliseconds: gap, mode)) }
        move(to: .active)
    }

    private func joined(_ participant: Participant) {
        guard !participant.isLocal, roster[participant.id] == nil else { return }
        var arrived = participant
        arrived.tracks = []
        roster.insert(arrived)
        send(.participantJoined(arrived))
        for track in participant.tracks { published(track, by: participant.id) }
    }

    private func updated(_ participant: Participant) {
        guard let known = roster.update(participant) else { return }
        send(.participantUpdated(known))
    }

    private func left(_ id: String, _ reason: ParticipantLeftReason) {
        guard let known = roster[id], !known.isLocal else { return }
        for track in known.tracks { unpublished(track.id, by: id) }
        guard let gone = roster.remove(id) else { return }
        speaker.remove(id)
        send(.participantLeft(gone, reason))
    }

    private func published(_ track: Track, by owner: String) {
        guard let participant = roster.addTrack(track, to: owner) else { return }
        send(.trackPublished(track, participant))
    }

    private func unpublished(_ id: String, by owner: String) {
        if roster.media[id] != nil { unsubscribed(id, of: owner) }
        guard let (track, participant) = roster.removeTrack(id, from: owner) else { return }
        send(.trackUnpublished(track, participant))
    }

    private func setMuted(_ muted: Bool, _ id: String, of owner: String) {
        guard let (track, participant) = roster.setMuted(muted, id, of: owner) else { return }
        roster.media[id]?.isPaused = muted
        send(muted ? .trackMuted(track, participant) : .trackUnmuted(track, participant))
    }

    private func subscribed(_ media: RemoteTrack, _ id: String, of owner: String) {
        guard let participant = roster[owner], let track = participant.tracks.first(where: { $0.id == id }) else {
            return
        }
        roster.media[id] = media
        media.isPaused = track.isMuted
        send(.trackSubscribed(media, track, participant))
    }

    private func unsubscribed(_ id: String, of owner: String) {
        guard roster.media.removeValue(forKey: id) != nil, let participant = roster[owner],
            let track = participant.tracks.first(where: { $0.id == id })
        else { return }
        send(.trackUnsubscribed(track, participant))
    }

    private func serverSpeakers(_ speakers: [(participantID: String, level: Double)]) {
        send(
            .speakersChanged(
                speakers.compactMap { speaker in
                    roster[speaker.participantID].map { CallEvent.Speaker(participant: $0, level: speaker.level) }
                }))
    }

    private func heard(_ levels: [ParticipantLevel]) {
        guard let change = speaker.observe(levels) else { return }
        setActiveSpeaker(roster[change])
    }
}
