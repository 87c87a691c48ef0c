import LiveKitProtocol
import RTCWire
import RoomModel

/// What the room API asks of a room. Call on the room's loop.
extension LiveKitRoom {
    static func checkMetadata(
        _ metadata: String, _ limits: CallServerConfiguration.Limits
    ) throws(TwirpError) {
        guard metadata.utf8.count <= limits.text.metadata else {
            throw .exceeds("metadata size exceeds limits", limits.text.metadata)
        }
    }

    /// Takes over what a request to create this room names.
    func apply(_ request: Livekit_CreateRoomRequest) {
        let before = room.settings
        room.settings.apply(request)
        let metadata = room.settings.metadata
        if !describe({ $0.describes(metadata: metadata) }) { room.settings.metadata = before.metadata }
        guard room.settings != before else { return }
        room.directory.setSeats(room.settings.maxParticipants, in: room)
        room.settingsChanged()
        if room.settings.metadata != before.metadata { tellRoom() }
    }

    func updateMetadata(_ request: Livekit_UpdateRoomMetadataRequest) throws(TwirpError) -> Livekit_Room {
        try LiveKitRoom.checkMetadata(request.metadata, room.configuration.limits)
        guard describe({ $0.describes(metadata: request.metadata) }) else { throw .roomDescriptionIsFull }
        room.settings.metadata = request.metadata
        tellRoom()
        return info
    }

    // MARK: Participants

    /// Everybody, hidden ones too.
    func listParticipants() -> Livekit_ListParticipantsResponse {
        .with {
            $0.participants = room.machine.roster.participants.map { dialect.info(of: $0) }
        }
    }

    func getParticipant(
        _ request: Livekit_RoomParticipantIdentity
    ) throws(TwirpError) -> Livekit_ParticipantInfo {
        dialect.info(of: try find(request.identity))
    }

    func removeParticipant(
        _ request: Livekit_RoomParticipantIdentity, now: Instant
    ) throws(TwirpError) -> EmptyMessage {
        room.remove(try find(request.identity).id, .removed, now: now)
        return EmptyMessage()
    }

    /// Mutes a track, tells the publisher, and through its client's own message everybody else at the latest.
    func muteTrack(
        _ request: Livekit_MuteRoomTrackRequest, now: Instant
    ) throws(TwirpError) -> Livekit_MuteRoomTrackResponse {
        let record = try find(request.identity)
        guard request.muted || room.configuration.rooms.allowsRemoteUnmute else {
            throw TwirpError(.failedPrecondition, "remote unmute not enabled")
        }
        guard record.track(request.trackSid) != nil else { return Livekit_MuteRoomTrackResponse() }
        room.perform(.orderMute(request.trackSid, request.muted), now: now)
        guard let track = room.machine.track(request.trackSid) else { return Livekit_MuteRoomTrackResponse() }
        return .with { $0.track = dialect.tracks.info(of: track) }
    }

    func updateSubscriptions(
        _ request: Livekit_UpdateSubscriptionsRequest, now: Instant
    ) throws(TwirpError) -> EmptyMessage {
        let record = try find(request.identity)
        participant(record.id)?.updateSubscription(
            .with {
                $0.trackSids = request.trackSids
                $0.subscribe = request.subscribe
                $0.participantTracks = request.participantTracks
            }, now: now)
        return EmptyMessage()
    }

    func find(_ identity: String) throws(TwirpError) -> RoomParticipant {
        guard let record = room.machine.roster.participant(identity: identity) else { throw TwirpError.noParticipant }
        return record
    }

    // MARK: Changing participants

    /// Empty strings and an absent permission leave things as they are; an attribute that is set to nothing is removed.
    func updateParticipant(
        _ request: Livekit_UpdateParticipantRequest, now: Instant
    ) throws(TwirpError) -> Livekit_ParticipantInfo {
        let record = try find(request.identity)
        try check(request, of: record)
        room.perform(.change(record.id, ParticipantChange(request), by: .administrator), now: now)
        participant(record.id)?.sendRefreshToken()
        guard let updated = room.machine.participant(record.id) else { throw TwirpError.noParticipant }
        return dialect.info(of: updated)
    }

    private func check(
        _ request: Livekit_UpdateParticipantRequest, of record: RoomParticipant
    ) throws(TwirpError) {
        let limits = room.configuration.limits
        try LiveKitRoom.checkMetadata(request.metadata, limits)
        guard request.name.utf8.count <= limits.text.name else {
            throw .exceeds("name length exceeds limits", limits.text.name)
        }
        let attributes = record.attributes.merging(request.attributes) { $1 }
        guard RequestBounds.attributeBytes(attributes) <= limits.text.attributes,
            attributes.count <= RequestBounds.attributes
        else { throw .exceeds("attribute size exceeds limits", limits.text.attributes) }
        let changed = record.applying(ParticipantChange(request))
        guard describe({ $0.describes(changed) }) else { throw .roomDescriptionIsFull }
    }
}

extension ParticipantChange {
    fileprivate init(_ request: Livekit_UpdateParticipantRequest) {
        self.init(
            name: request.name.isEmpty ? nil : request.name,
            metadata: request.metadata.isEmpty ? nil : request.metadata, attributes: request.attributes,
            permissions: request.hasPermission ? Permissions(request.permission) : nil)
    }
}
