import SFUCore

/// What has happened in a room. Those who are told of an event judge by the records in it whether their client may know:
/// of somebody hidden, others may not.
package enum RoomEvent: Sendable, Hashable {
    package typealias Speaker = SpeakerDetector.Speaker

    // MARK: Presence
    case joined(RoomParticipant)
    case activated(RoomParticipant)
    /// As it is now. Where it has hidden itself, `concealed` came before; where it hides no more, `permission` follows.
    case changed(RoomParticipant, by: ParticipantChange.Origin)
    /// For the others it is as if somebody had gone, who was like this.
    case concealed(RoomParticipant)
    /// The last state of things; its tracks have ended with it.
    case left(RoomParticipant, DepartureReason, wasActive: Bool)

    // MARK: Tracks
    case published(PublishedTrack, by: RoomParticipant)
    case renewed(PublishedTrack, by: RoomParticipant)
    case described(PublishedTrack, by: RoomParticipant)
    case unpublished(PublishedTrack, by: RoomParticipant, UnpublishReason)
    case muted(PublishedTrack, by: RoomParticipant)
    /// The publisher's client is to mute or unmute the track.
    case muteOrdered(PublishedTrack, publisher: String, Bool)

    // MARK: Subscriptions
    /// Whether a subscriber may have a track, which it may or may not want.
    case permission(Subscription, isAllowed: Bool)
    case subscriptionBegan(Subscription)
    /// The track goes on in another format.
    case subscriptionRenewed(Subscription)
    case subscriptionEnded(Subscription)
    case preferred(Subscription, TrackPreference)
    /// For the first time somebody gets the track of whom the publisher may know.
    case heeded(track: String, publisher: String)

    // MARK: What was measured
    /// To a subscriber: what has changed about the levels of those it hears.
    case speakers([Speaker], to: String)
    /// To a participant: how good the connections are, its own and those whose tracks it gets.
    case quality([ConnectionRating], to: String)
    /// The largest layer that anybody wants of a video track, as the publisher is to be told: a rank from 0, or
    /// `LayerDemand.nobody`.
    case demand(track: String, publisher: String, layer: Int)

    /// The one whom it is about and who alone is told; nil where it is for everybody.
    package var addressee: String? {
        switch self {
        case .joined, .activated, .changed, .concealed, .left, .published, .renewed, .described, .unpublished, .muted:
            nil
        case .muteOrdered(_, let publisher, _), .heeded(_, let publisher), .demand(_, let publisher, _): publisher
        case .permission(let subscription, _), .subscriptionBegan(let subscription),
            .subscriptionRenewed(let subscription), .subscriptionEnded(let subscription),
            .preferred(let subscription, _):
            subscription.subscriber
        case .speakers(_, let listener), .quality(_, let listener): listener
        }
    }
}

/// Who gets, or may get, which track of whom.
package struct Subscription: Sendable, Hashable {
    package var subscriber: String
    package var publisher: String
    package var track: String

    package init(subscriber: String, publisher: String, track: String) {
        self.subscriber = subscriber
        self.publisher = publisher
        self.track = track
    }
}

/// How good somebody's connection is.
package struct ConnectionRating: Sendable, Hashable {
    package var participant: String
    /// 0...100.
    package var score: Double

    package init(participant: String, score: Double) {
        self.participant = participant
        self.score = score
    }

    package var grade: ConnectionGrade { ConnectionGrade(score: score) }
}
