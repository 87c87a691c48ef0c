/// Who is in a room, what they publish and who is to get it: the facts, in no protocol's words.
package struct RoomModel: Sendable {
    /// A wish that has become true or has ended.
    package struct SubscriptionChange: Sendable, Hashable {
        package var subscriber: String
        package var publisher: String
        package var track: String
        package var isSubscribed: Bool
    }

    /// What one subscriber gets.
    private struct Subscription: Hashable {
        var subscriber: String
        var publisher: String
        var track: String
    }

    /// In the order in which they came.
    package private(set) var participants: [RoomParticipant] = []
    private var subscriptions: Set<Subscription> = []

    package init() {}

    package func participant(_ id: String) -> RoomParticipant? { participants.first { $0.id == id } }

    package func participant(identity: String) -> RoomParticipant? { participants.first { $0.identity == identity } }

    /// The publisher of a track, and the track.
    package func track(_ id: String) -> (publisher: RoomParticipant, track: PublishedTrack)? {
        for participant in participants {
            if let track = participant.tracks.first(where: { $0.id == id }) { return (participant, track) }
        }
        return nil
    }

    /// Adds somebody; the caller has removed an earlier one of the same identity.
    package mutating func join(_ participant: RoomParticipant) { participants.append(participant) }

    /// Removes somebody and gives the last state of things.
    package mutating func leave(_ id: String) -> RoomParticipant? {
        guard let index = participants.firstIndex(where: { $0.id == id }) else { return nil }
        var gone = participants.remove(at: index)
        gone.state = .disconnected
        gone.version += 1
        return gone
    }

    /// Changes a participant in a way that others are told of.
    @discardableResult
    package mutating func update(_ id: String, _ change: (inout RoomParticipant) -> Void) -> RoomParticipant? {
        guard let index = participants.firstIndex(where: { $0.id == id }) else { return nil }
        change(&participants[index])
        participants[index].version += 1
        return participants[index]
    }

    /// Changes what a participant wants or allows; others are not told.
    package mutating func adjust(_ id: String, _ change: (inout RoomParticipant) -> Void) {
        guard let index = participants.firstIndex(where: { $0.id == id }) else { return }
        change(&participants[index])
    }

    /// Mutes or unmutes a track; false where that changes nothing.
    package mutating func setMuted(_ muted: Bool, track: String, of id: String) -> Bool {
        guard let index = participants.firstIndex(where: { $0.id == id }),
            let position = participants[index].tracks.firstIndex(where: { $0.id == track }),
            participants[index].tracks[position].isMuted != muted
        else { return false }
        participants[index].tracks[position].isMuted = muted
        participants[index].version += 1
        return true
    }

    // MARK: Subscriptions

    /// Whether `subscriber` is to get a track of `publisher`. Nobody gets those of somebody hidden, whom a track would show.
    package func wants(_ subscriber: RoomParticipant, _ track: String, of publisher: RoomParticipant) -> Bool {
        subscriber.id != publisher.id && subscriber.state != .disconnected && subscriber.permissions.canSubscribe
            && !publisher.permissions.isHidden
            && publisher.rule.allows(subscriber.identity, track: track)
            && (subscriber.choices[track] ?? subscriber.subscribesToAll)
    }

    /// Who gets tracks of `publisher`, by id.
    package func subscribers(of publisher: String) -> Set<String> {
        Set(subscriptions.lazy.filter { $0.publisher == publisher }.map(\.subscriber))
    }

    package func isSubscribed(_ subscriber: String, to track: String) -> Bool {
        subscriptions.contains { $0.subscriber == subscriber && $0.track == track }
    }

    /// Compares what is wanted with what is, notes it, and gives the difference: what has ended before what begins.
    package mutating func settleSubscriptions() -> [SubscriptionChange] {
        var wanted: [Subscription] = []
        for publisher in participants {
            for track in publisher.tracks {
                for subscriber in participants where wants(subscriber, track.id, of: publisher) {
                    wanted.append(Subscription(subscriber: subscriber.id, publisher: publisher.id, track: track.id))
                }
            }
        }
        let wantedSet = Set(wanted)
        let ended = subscriptions.subtracting(wantedSet).map { change($0, false) }
        let begun = wanted.filter { !subscriptions.contains($0) }.map { change($0, true) }
        subscriptions = wantedSet
        return ended.sorted { ($0.subscriber, $0.track) < ($1.subscriber, $1.track) } + begun
    }

    /// The same for one subscriber alone, whose wishes have changed: in the time that its own tracks take.
    package mutating func settleSubscriptions(of subscriber: String) -> [SubscriptionChange] {
        guard let one = participant(subscriber) else { return [] }
        var wanted: [Subscription] = []
        for publisher in participants {
            for track in publisher.tracks where wants(one, track.id, of: publisher) {
                wanted.append(Subscription(subscriber: subscriber, publisher: publisher.id, track: track.id))
            }
        }
        let present = subscriptions.filter { $0.subscriber == subscriber }
        let ended = present.subtracting(wanted)
        let begun = wanted.filter { !present.contains($0) }
        subscriptions.subtract(ended)
        subscriptions.formUnion(begun)
        return ended.sorted { $0.track < $1.track }.map { change($0, false) } + begun.map { change($0, true) }
    }

    private func change(_ subscription: Subscription, _ isSubscribed: Bool) -> SubscriptionChange {
        SubscriptionChange(
            subscriber: subscription.subscriber, publisher: subscription.publisher, track: subscription.track,
            isSubscribed: isSubscribed)
    }
}
