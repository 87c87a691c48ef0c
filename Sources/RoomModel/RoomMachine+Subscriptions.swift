import RTCWire

/// Who gets what.
extension RoomMachine {
    mutating func choose(
        _ subscriber: String, _ tracks: [String], _ isWanted: Bool, _ now: Instant, _ events: inout [RoomEvent]
    ) {
        let known = tracks.filter(roster.isPublished)
        roster.adjust(subscriber) { participant in
            for track in known { participant.choices[track] = isWanted }
        }
        guard !known.isEmpty, let record = roster[subscriber] else { return }
        let changes = subscriptions.settle(of: record, among: roster.participants)
        tell(changes, &events)
        if !changes.tracks.isEmpty { updateDemand(of: changes.tracks, now, &events) }
    }

    mutating func allow(
        _ publisher: String, _ rule: SubscriptionRule, _ now: Instant, _ events: inout [RoomEvent]
    ) {
        guard roster[publisher].map({ $0.rule != rule }) == true else { return }
        roster.adjust(publisher) { $0.rule = rule }
        if let record = roster[publisher] { tellPermissions(about: record, &events) }
        settle(now, &events)
    }

    mutating func prefer(
        _ subscriber: String, _ preferences: [String: TrackPreference], _ now: Instant, _ events: inout [RoomEvent]
    ) {
        var changed: Set<String> = []
        for (track, preference) in preferences.sorted(by: { $0.key < $1.key }) {
            guard let subscription = subscription(subscriber, track), subscriptions.prefer(subscription, preference)
            else { continue }
            events.append(.preferred(subscription, preference))
            changed.insert(track)
        }
        if !changed.isEmpty { updateDemand(of: changed, now, &events) }
    }

    mutating func refuse(_ subscriber: String, _ track: String, _ now: Instant, _ events: inout [RoomEvent]) {
        guard let subscription = subscription(subscriber, track), subscriptions.refuse(subscription) else { return }
        updateDemand(of: [track], now, &events)
    }

    private func subscription(_ subscriber: String, _ track: String) -> Subscription? {
        roster.track(track).map { Subscription(subscriber: subscriber, publisher: $0.publisher.id, track: track) }
    }

    // MARK: Settling

    /// Brings what is sent in line with what is wanted and allowed.
    mutating func settle(_ now: Instant, _ events: inout [RoomEvent]) {
        tell(subscriptions.settle(roster.participants), &events)
        updateDemand(of: nil, now, &events)
    }

    private mutating func tell(_ changes: SubscriptionTable.Changes, _ events: inout [RoomEvent]) {
        for subscription in changes.ended where roster[subscription.subscriber] != nil {
            events.append(.subscriptionEnded(subscription))
            tellSilence(subscription, &events)
        }
        for subscription in changes.begun {
            events.append(.subscriptionBegan(subscription))
            heed(subscription, &events)
            tellLevel(subscription, &events)
        }
    }

    /// A publisher learns that somebody gets the track, though not from somebody hidden.
    private mutating func heed(_ subscription: Subscription, _ events: inout [RoomEvent]) {
        guard roster[subscription.subscriber]?.permissions.isHidden == false,
            heeded.insert(subscription.track).inserted
        else { return }
        events.append(.heeded(track: subscription.track, publisher: subscription.publisher))
    }

    // MARK: Permissions

    /// The others learn which of somebody's tracks they may have.
    func tellPermissions(about publisher: RoomParticipant, _ events: inout [RoomEvent]) {
        for track in publisher.tracks {
            for other in roster.participants where other.id != publisher.id {
                tellPermission(track.id, of: publisher, to: other, &events)
            }
        }
    }

    func tellPermission(
        _ track: String, of publisher: RoomParticipant, to other: RoomParticipant, _ events: inout [RoomEvent]
    ) {
        guard !publisher.permissions.isHidden else { return }
        events.append(
            .permission(
                Subscription(subscriber: other.id, publisher: publisher.id, track: track),
                isAllowed: publisher.rule.allows(other.identity, track: track)))
    }
}
