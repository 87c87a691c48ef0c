import LiveKitProtocol

/// What happens in rooms and others may want to know of.
enum RoomEvent: Sendable {
    case started
    case finished(Livekit_RoomEndReason)
    /// The participant's media is connected.
    case participantJoined(Livekit_ParticipantInfo)
    /// Somebody who had joined has gone.
    case participantLeft(Livekit_ParticipantInfo)
    /// Somebody has gone whose media never was connected.
    case participantAborted(Livekit_ParticipantInfo)
    case trackPublished(Livekit_TrackInfo, by: Livekit_ParticipantInfo)
    case trackUnpublished(Livekit_TrackInfo, by: Livekit_ParticipantInfo)
}

/// Is told what happens in the server's rooms: for each room in order, on that room's loop.
protocol RoomObserver: Sendable {
    func room(_ room: Livekit_Room, did event: RoomEvent)
}

extension LiveKitRoom {
    func observe(_ event: RoomEvent) { directory.observer?.room(info, did: event) }

    /// Tells of the end of everything somebody had: the tracks first, then the participant.
    func observeDeparture(_ info: Livekit_ParticipantInfo, wasActive: Bool) {
        guard directory.observer != nil else { return }
        for track in info.tracks { observe(.trackUnpublished(track, by: info)) }
        observe(wasActive ? .participantLeft(info) : .participantAborted(info))
    }

    /// Tells of a track that has become real, or has ended.
    func observe(_ event: (Livekit_TrackInfo, Livekit_ParticipantInfo) -> RoomEvent, _ track: LiveKitTrack) {
        guard directory.observer != nil, let record = model.participant(track.publisher),
            let participant = participants[track.publisher]
        else { return }
        observe(event(track.info, info(of: record, participant)))
    }
}
