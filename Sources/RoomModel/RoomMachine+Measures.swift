import RTCWire
import SFUCore

/// Who speaks, how good connections are, which layers are wanted.
extension RoomMachine {
    // MARK: Speakers

    /// What has changed about who speaks, to those who hear it.
    mutating func hear(_ levels: [TrackLevel], _ events: inout [RoomEvent]) {
        let changes = speakers.update(levels.map { ($0.publisher, $0.level) })
        guard !changes.isEmpty else { return }
        let listeners = Dictionary(
            uniqueKeysWithValues: changes.map { ($0.participant, subscriptions.subscribers(of: $0.participant)) })
        for participant in roster.participants {
            let heard = changes.filter {
                $0.participant == participant.id || listeners[$0.participant]?.contains(participant.id) == true
            }
            if !heard.isEmpty { events.append(.speakers(heard, to: participant.id)) }
        }
    }

    /// A new subscriber learns the present level, once of each publisher; later events are differences.
    func tellLevel(_ subscription: Subscription, _ events: inout [RoomEvent]) {
        let level = speakers.level(of: subscription.publisher)
        guard level > 0 else { return }
        if track(subscription.track)?.kind == .audio || !hears(subscription) { tell(level, subscription, &events) }
    }

    func tellSilence(_ subscription: Subscription, _ events: inout [RoomEvent]) {
        guard speakers.level(of: subscription.publisher) > 0,
            !subscriptions.subscribers(of: subscription.publisher).contains(subscription.subscriber)
        else { return }
        tell(0, subscription, &events)
    }

    private func tell(_ level: Float, _ subscription: Subscription, _ events: inout [RoomEvent]) {
        events.append(
            .speakers([.init(participant: subscription.publisher, level: level)], to: subscription.subscriber))
    }

    /// Whether the subscriber gets sound of the publisher, and so has been told its level with it.
    private func hears(_ subscription: Subscription) -> Bool {
        roster[subscription.publisher]?.tracks.contains { track in
            var other = subscription
            other.track = track.id
            return track.kind == .audio && subscriptions.contains(other)
        } ?? false
    }

    // MARK: Quality

    /// Tells where a connection has become another grade: everybody of itself and of those whose tracks it gets.
    mutating func rate(_ scores: [String: Double], _ events: inout [RoomEvent]) {
        let found = scores.mapValues(ConnectionGrade.init(score:))
        defer { grades = found }
        guard found.contains(where: { grades[$0.key] != $0.value }) else { return }
        let ratings = scores.keys.sorted().map { ConnectionRating(participant: $0, score: scores[$0] ?? 0) }
        let listeners = scores.keys.reduce(into: [:]) { $0[$1] = subscriptions.subscribers(of: $1) }
        for participant in roster.participants where scores[participant.id] != nil {
            let own = ratings.filter {
                $0.participant == participant.id || listeners[$0.participant]?.contains(participant.id) == true
            }
            events.append(.quality(own, to: participant.id))
        }
    }

    // MARK: Demand

    /// Counts anew what is wanted of video tracks, all or some.
    mutating func updateDemand(of changed: Set<String>?, _ now: Instant, _ events: inout [RoomEvent]) {
        let tracks = roster.participants.flatMap(\.tracks)
        demands.keep(Set(tracks.map(\.id)))
        let wanted = subscriptions.largestWanted(of: changed)
        for track in tracks where track.kind == .video && changed?.contains(track.id) ?? true {
            let largest = wanted[track.id] ?? DemandTable.nobody
            if let layer = demands.update(track.id, largest, now: now) { tell(layer, of: track.id, &events) }
        }
    }

    func tell(_ layer: Int, of track: String, _ events: inout [RoomEvent]) {
        guard let publisher = roster.track(track)?.publisher else { return }
        events.append(.demand(track: track, publisher: publisher.id, layer: layer))
    }
}
