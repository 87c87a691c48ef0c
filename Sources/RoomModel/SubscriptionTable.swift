/// Who gets what in a room, and what each wants of it. A value.
package struct SubscriptionTable: Sendable {
    struct State {
        var preference = TrackPreference()
        /// The client knows no codec for it: it is not sent.
        var isRefused = false
    }

    /// What has ended comes before what begins.
    struct Changes {
        var ended: [Subscription] = []
        var begun: [Subscription] = []

        /// The tracks that it is about.
        var tracks: Set<String> { Set((ended + begun).map(\.track)) }
    }

    private var states: [Subscription: State] = [:]

    init() {}

    /// Whether `subscriber` is to get a track of `publisher`. Nobody gets those of somebody hidden, whom a track would show.
    static func isWanted(_ track: String, of publisher: RoomParticipant, by subscriber: RoomParticipant) -> Bool {
        (subscriber.id != publisher.id || subscriber.mayGetOwn) && subscriber.state != .disconnected
            && subscriber.permissions.canSubscribe
            && !publisher.permissions.isHidden
            && publisher.rule.allows(subscriber.identity, track: track)
            && (subscriber.choices[track] ?? subscriber.subscribesToAll)
    }

    /// Who gets tracks of `publisher`, by id.
    package func subscribers(of publisher: String) -> Set<String> {
        Set(states.keys.lazy.filter { $0.publisher == publisher }.map(\.subscriber))
    }

    package func contains(_ subscription: Subscription) -> Bool { states[subscription] != nil }

    /// What the subscriber wants of the track; nil where it doesn't get it.
    package func preference(_ subscription: Subscription) -> TrackPreference? { states[subscription]?.preference }

    // MARK: Settling

    /// Compares what is wanted with what is, takes it over and gives the difference.
    mutating func settle(_ participants: [RoomParticipant]) -> Changes {
        settle(subscribers: participants, participants, present: Set(states.keys))
    }

    /// The same for one subscriber alone, whose wishes have changed: in the time that its own tracks take.
    mutating func settle(of subscriber: RoomParticipant, among participants: [RoomParticipant]) -> Changes {
        settle(
            subscribers: [subscriber], participants, present: Set(states.keys.filter { $0.subscriber == subscriber.id })
        )
    }

    private mutating func settle(
        subscribers: [RoomParticipant], _ publishers: [RoomParticipant], present: Set<Subscription>
    ) -> Changes {
        var wanted: [Subscription] = []
        for publisher in publishers {
            for track in publisher.tracks {
                for subscriber in subscribers where Self.isWanted(track.id, of: publisher, by: subscriber) {
                    wanted.append(Subscription(subscriber: subscriber.id, publisher: publisher.id, track: track.id))
                }
            }
        }
        var changes = Changes()
        changes.ended = present.subtracting(wanted).sorted { ($0.subscriber, $0.track) < ($1.subscriber, $1.track) }
        changes.begun = wanted.filter { !present.contains($0) }
        for subscription in changes.ended { states[subscription] = nil }
        for subscription in changes.begun { states[subscription] = State() }
        return changes
    }

    // MARK: Wishes

    /// False where there is no such subscription.
    mutating func prefer(_ subscription: Subscription, _ preference: TrackPreference) -> Bool {
        guard states[subscription] != nil else { return false }
        states[subscription]?.preference = preference
        return true
    }

    mutating func refuse(_ subscription: Subscription) -> Bool {
        guard states[subscription]?.isRefused == false else { return false }
        states[subscription]?.isRefused = true
        return true
    }

    /// Has those who get a track begin anew, and gives them in order.
    mutating func renew(_ track: String) -> [Subscription] {
        let present = states.filter { $0.key.track == track && !$0.value.isRefused }.keys
            .sorted { $0.subscriber < $1.subscriber }
        for subscription in present { states[subscription] = State() }
        return present
    }

    /// The largest layer that anybody wants of each track that anybody gets. A publisher's own mute doesn't count: who
    /// unmutes is wanted with all layers at once.
    func largestWanted(of tracks: Set<String>?) -> [String: Int] {
        var largest: [String: Int] = [:]
        for (subscription, state) in states where !state.isRefused && tracks?.contains(subscription.track) ?? true {
            let wanted = state.preference.isPaused ? DemandTable.nobody : state.preference.layerLimit
            largest[subscription.track] = max(largest[subscription.track] ?? DemandTable.nobody, wanted)
        }
        return largest
    }
}
