import LiveKitProtocol
import RTCWire
import RoomModel
import SFUCore

/// What the room API asks of a room. Call on the room's loop.
extension LiveKitRoom {
    static func checkMetadata(
        _ metadata: String, _ limits: CallServerConfiguration.Limits
    ) throws(TwirpError) {
        guard metadata.utf8.count <= limits.metadata else {
            throw .exceeds("metadata size exceeds limits", limits.metadata)
        }
    }

    /// Takes over what a request to create this room names.
    func apply(_ request: Livekit_CreateRoomRequest) {
        let before = settings
        settings.apply(request)
        if !describes(metadata: settings.metadata) { settings.metadata = before.metadata }
        guard settings != before else { return }
        directory.setSeats(settings.maxParticipants, in: self)
        settingsChanged()
        if settings.metadata != before.metadata { broadcastInfo() }
    }

    func updateMetadata(_ request: Livekit_UpdateRoomMetadataRequest) throws(TwirpError) -> Livekit_Room {
        try LiveKitRoom.checkMetadata(request.metadata, configuration.limits)
        guard describes(metadata: request.metadata) else { throw .roomDescriptionIsFull }
        settings.metadata = request.metadata
        broadcastInfo()
        return info
    }

    /// Tells everybody what the room is like.
    func broadcastInfo() { tellRoom() }

    // MARK: Participants

    /// Everybody, hidden ones too.
    func listParticipants() -> Livekit_ListParticipantsResponse {
        .with {
            $0.participants = model.participants.compactMap { record in
                participants[record.id].map { info(of: record, $0) }
            }
        }
    }

    func getParticipant(
        _ request: Livekit_RoomParticipantIdentity
    ) throws(TwirpError) -> Livekit_ParticipantInfo {
        let (record, participant) = try find(request.identity)
        return info(of: record, participant)
    }

    func removeParticipant(
        _ request: Livekit_RoomParticipantIdentity, now: Instant
    ) throws(TwirpError) -> EmptyMessage {
        remove(try find(request.identity).record.id, reason: .participantRemoved, now: now)
        return EmptyMessage()
    }

    /// Mutes a track, tells the publisher, and through its client's own message everybody else at the latest.
    func muteTrack(
        _ request: Livekit_MuteRoomTrackRequest, now: Instant
    ) throws(TwirpError) -> Livekit_MuteRoomTrackResponse {
        let (_, participant) = try find(request.identity)
        guard request.muted || configuration.allowsRemoteUnmute else {
            throw TwirpError(.failedPrecondition, "remote unmute not enabled")
        }
        guard let track = tracks[request.trackSid], track.publisher == participant.sid else {
            return Livekit_MuteRoomTrackResponse()
        }
        participant.send(
            .with {
                $0.mute.sid = track.sid
                $0.mute.muted = request.muted
            })
        setMuted(request.muted, track: track.sid, of: participant, now: now)
        return .with { $0.track = track.info }
    }

    func updateSubscriptions(
        _ request: Livekit_UpdateSubscriptionsRequest, now: Instant
    ) throws(TwirpError) -> EmptyMessage {
        let (_, participant) = try find(request.identity)
        participant.updateSubscription(
            .with {
                $0.trackSids = request.trackSids
                $0.subscribe = request.subscribe
                $0.participantTracks = request.participantTracks
            }, now: now)
        return EmptyMessage()
    }

    func find(_ identity: String) throws(TwirpError) -> (record: RoomParticipant, participant: LiveKitParticipant) {
        guard let record = model.participant(identity: identity), let participant = participants[record.id] else {
            throw TwirpError.noParticipant
        }
        return (record, participant)
    }

    // MARK: Changing participants

    /// Empty strings and an absent permission leave things as they are; an attribute that is set to nothing is removed.
    func updateParticipant(
        _ request: Livekit_UpdateParticipantRequest, now: Instant
    ) throws(TwirpError) -> Livekit_ParticipantInfo {
        let (record, participant) = try find(request.identity)
        try check(request, of: record)
        let wasHidden = record.permissions.isHidden
        if request.hasPermission, request.permission.hidden, !wasHidden { hide(participant, record) }
        update(record.id, atOnce: true, now: now) { record in
            if !request.metadata.isEmpty { record.metadata = request.metadata }
            if !request.name.isEmpty { record.name = request.name }
            for (key, value) in request.attributes { record.attributes[key] = value.isEmpty ? nil : value }
            if request.hasPermission { record.permissions = Permissions(request.permission) }
        }
        if wasHidden, request.hasPermission { tellPermissions(about: record.id) }
        if request.hasPermission { enforcePermissions(of: participant, now) }
        participant.sendRefreshToken()
        guard let updated = model.participant(record.id) else { throw TwirpError.noParticipant }
        return info(of: updated, participant)
    }

    private func check(
        _ request: Livekit_UpdateParticipantRequest, of record: RoomParticipant
    ) throws(TwirpError) {
        let limits = configuration.limits
        try LiveKitRoom.checkMetadata(request.metadata, limits)
        guard request.name.utf8.count <= limits.name else {
            throw .exceeds("name length exceeds limits", limits.name)
        }
        let attributes = record.attributes.merging(request.attributes) { $1 }
        guard RequestBounds.attributeBytes(attributes) <= limits.attributes,
            attributes.count <= RequestBounds.attributes
        else { throw .exceeds("attribute size exceeds limits", limits.attributes) }
        var changed = record
        changed.attributes = attributes.filter { !$0.value.isEmpty }
        if !request.metadata.isEmpty { changed.metadata = request.metadata }
        if !request.name.isEmpty { changed.name = request.name }
        guard let participant = participants[record.id], describes(changed, participant) else {
            throw .roomDescriptionIsFull
        }
    }

    /// To the others somebody who hides has gone.
    private func hide(_ participant: LiveKitParticipant, _ record: RoomParticipant) {
        var info = self.info(of: record, participant)
        info.state = .disconnected
        for other in participants.values where other !== participant {
            other.send(.with { $0.update.participants = [info] })
        }
    }

    /// Ends what is published or received and is no longer allowed; begins what has become allowed.
    private func enforcePermissions(of participant: LiveKitParticipant, _ now: Instant) {
        guard let record = model.participant(participant.sid) else { return }
        for track in record.tracks where !record.permissions.mayPublish(track.source) {
            participant.stopTrack(track.id, now: now)
        }
        participant.dropPendingTracks { !record.permissions.mayPublish(TrackSource($0.info.source)) }
        settleSubscriptions(now: now)
    }
}

extension LiveKitParticipant {
    /// Ends a track from here, and tells the client that sends it.
    func stopTrack(_ track: String, now: Instant) {
        for (index, producer) in publisher.ingress.bound where producer == room.tracks[track]?.producer {
            publisher.ingress[line: index] = nil
            room.media.perform(now: now) { room, _, _ in room.removeProducer(producer) }
        }
        room.unpublish(track, of: self, now: now)
        send(.with { $0.trackUnpublished.trackSid = track })
    }

    /// Forgets tracks that are announced and not sent yet, and tells the client.
    fileprivate func dropPendingTracks(where isDropped: (LiveKitTrack) -> Bool) {
        let dropped = pendingTracks.filter(isDropped)
        pendingTracks.removeAll { track in dropped.contains { $0 === track } }
        for track in dropped { send(.with { $0.trackUnpublished.trackSid = track.sid }) }
    }
}

extension Permissions {
    init(_ permission: Livekit_ParticipantPermission) {
        self.init()
        canPublish = permission.canPublish
        canSubscribe = permission.canSubscribe
        canPublishData = permission.canPublishData
        canUpdateMetadata = permission.canUpdateMetadata
        isHidden = permission.hidden
        isRecorder = permission.recorder
        isAgent = permission.agent
        canSubscribeMetrics = permission.canSubscribeMetrics
        canManageAgentSession = permission.canManageAgentSession
        sources = Set(permission.canPublishSources.map(TrackSource.init))
    }
}
