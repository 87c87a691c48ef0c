import LiveKitProtocol

/// What happens in rooms and others may want to know of.
enum RoomObservation: Sendable {
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
    func room(_ room: Livekit_Room, did event: RoomObservation)
}
