public import MediaCore

/// What happens in a call.
public enum CallEvent: Sendable {
    /// The call moved to another state.
    case stateChanged(CallState)
    /// Media is connected, with this SRTP profile; `afterMilliseconds` since `join` was called.
    case mediaConnected(srtpProfile: String, afterMilliseconds: Double)
    /// The call goes through another provider than the one first named for it; said once, at the beginning.
    case providerChanged(ProviderChange)
    /// The connection was lost and is being restored; sent again where a quick attempt gives way to a full one.
    case reconnecting(ReconnectMode)
    /// The connection stands again, this many milliseconds after it was lost. Where only signalling was lost, media has
    /// gone on all the time.
    case reconnected(gapMilliseconds: Double, ReconnectMode)
    /// Somebody is there.
    case participantJoined(Participant)
    /// Somebody's name, metadata or attributes changed.
    case participantUpdated(Participant)
    /// Somebody is gone.
    case participantLeft(Participant, ParticipantLeftReason)
    /// Somebody publishes a track.
    case trackPublished(Track, Participant)
    /// A published track is gone.
    case trackUnpublished(Track, Participant)
    /// A track was muted.
    case trackMuted(Track, Participant)
    /// A track was unmuted.
    case trackUnmuted(Track, Participant)
    /// Media of a remote track can arrive: attach sinks to it.
    case trackSubscribed(RemoteTrack, Track, Participant)
    /// Media of a remote track no longer arrives.
    case trackUnsubscribed(Track, Participant)
    /// Another participant speaks now, by our own detection. Nobody speaking keeps the last one; nil before anybody spoke.
    case activeSpeakerChanged(Participant?)
    /// Who speaks, as the server sees it.
    case speakersChanged([Speaker])
    /// How well somebody is connected, ourselves included, whenever it changes.
    case connectionQuality(ParticipantQuality, Participant)
    /// The server pauses a track that we receive for want of bandwidth, or sends it again.
    case streamState(StreamState, Track, Participant)
    /// The server muted a track of ours, or lifted that; `Track.isMuted` says which.
    case localTrackMuted(Track)
    /// Somebody receives a track of ours for the first time.
    case localTrackSubscribed(Track)
    /// What we may do has changed.
    case localPermissions(ParticipantPermissions)
    /// A publisher lets us receive a track, or no longer.
    case subscriptionPermission(isAllowed: Bool, Track, Participant)
    /// A track that we asked for can't be had.
    case subscriptionFailed(Track, Participant, detail: String)
    /// The room's description changed, or the server moved us to another room.
    case roomUpdated(RoomInfo)
    /// A message came; from nobody where the server sent it.
    case dataReceived(DataMessage, Participant?)
    /// A text of any length is complete.
    case textReceived(TextMessage, Participant?)
    /// A stream of text or bytes begins; one reader can have its content.
    case streamOpened(IncomingDataStream, Participant?)
    /// A line of chat came, changed or was taken back.
    case chatReceived(ChatLine, Participant?)
    /// The call is over; nothing follows.
    case ended(CallEndReason, detail: String)

    /// Whether the server sends a track that we receive.
    public enum StreamState: String, Sendable, Hashable {
        /// It does.
        case active
        /// Not now: the path to us has too little bandwidth.
        case paused
    }

    /// A participant who is heard.
    public struct Speaker: Sendable, Hashable {
        /// Who.
        public var participant: Participant
        /// How loud, 0...1.
        public var level: Double
    }
}
