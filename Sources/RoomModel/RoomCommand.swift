/// What is to happen in a room. Dialects make commands of their clients' messages, shells of what becomes of connections.
///
/// A command about somebody or something that is not there does nothing.
package enum RoomCommand: Sendable {
    // MARK: Presence
    /// Somebody comes; an earlier one of the same identity goes.
    case join(RoomParticipant)
    /// The participant's media is connected.
    case activate(String)
    case leave(String, DepartureReason)
    case change(String, ParticipantChange, by: ParticipantChange.Origin)

    // MARK: Tracks
    case publish(PublishedTrack, by: String)
    /// The track goes on in another format: its subscribers begin anew.
    case renew(PublishedTrack)
    /// What is known of the track is different; it goes on as it is.
    case describe(PublishedTrack)
    case unpublish(String, UnpublishReason)
    /// The publisher has muted or unmuted a track.
    case mute(String, Bool)
    /// Somebody with the right to do so has: the publisher's client is told to follow.
    case orderMute(String, Bool)

    // MARK: Subscriptions
    /// A subscriber wants tracks, or wants them no more.
    case choose(subscriber: String, tracks: [String], Bool)
    /// A publisher says who may subscribe.
    case allow(publisher: String, SubscriptionRule)
    /// What a subscriber wants of tracks that it gets, by track.
    case prefer(subscriber: String, [String: TrackPreference])
    /// The subscriber's client knows no codec for the track.
    case refuse(subscriber: String, track: String)

    // MARK: What was measured
    /// How loud the audio tracks are, every `SpeakerDetector.interval`.
    case hear([TrackLevel])
    /// How good the connections of those who are active are, 0...100.
    case rate([String: Double])
}

/// How loud one audio track is.
package struct TrackLevel: Sendable, Hashable {
    package var publisher: String
    /// Linear, 0...1.
    package var level: Double

    package init(publisher: String, level: Double) {
        self.publisher = publisher
        self.level = level
    }
}
