import MediaCore

extension ActiveCallIndicator {
    /// Takes an event of a call in: who is there, whose video arrives, who speaks.
    public mutating func apply(_ event: CallEvent) -> [Action] {
        ActiveCallIndicator.events(of: event).flatMap { apply($0) }
    }

    private static func events(of event: CallEvent) -> [Event] {
        switch event {
        case .stateChanged(.active), .stateChanged(.reconnecting): [.callStarted]
        case .stateChanged(.ended), .ended: [.callEnded]
        case .participantJoined(let participant): [.participantJoined(id: participant.id)]
        case .participantLeft(let participant, _): [.participantLeft(id: participant.id)]
        case .trackSubscribed(_, let track, let owner) where track.kind == .video:
            [
                .videoMuted(track.isMuted, trackID: track.id),
                .videoOn(participantID: owner.id, trackID: track.id),
            ]
        case .trackMuted(let track, _) where track.kind == .video: [.videoMuted(true, trackID: track.id)]
        case .trackUnmuted(let track, _) where track.kind == .video: [.videoMuted(false, trackID: track.id)]
        case .trackUnsubscribed(let track, let owner), .trackUnpublished(let track, let owner):
            track.kind == .video ? [.videoOff(participantID: owner.id, trackID: track.id)] : []
        case .activeSpeakerChanged(let participant): [.activeSpeaker(participantID: participant?.id)]
        default: []
        }
    }
}
