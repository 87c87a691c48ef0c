public import MediaCore

/// What happens in a call.
public enum CallEvent: Sendable {
    /// The call moved to another state.
    case stateChanged(CallState)
    /// Media is connected, with this SRTP profile; `afterMilliseconds` since `join` was called.
    case mediaConnected(srtpProfile: String, afterMilliseconds: Double)
    /// Media is back after this many milliseconds.
    case reconnected(gapMilliseconds: Double)
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
    /// The call is over; nothing follows.
    case ended(CallEndReason, detail: String)

    /// A participant who is heard.
    public struct Speaker: Sendable, Hashable {
        /// Who.
        public var participant: Participant
        /// How loud, 0...1.
        public var level: Double
    }
}
