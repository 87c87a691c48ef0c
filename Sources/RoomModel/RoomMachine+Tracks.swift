import RTCWire

/// What is published.
extension RoomMachine {
    mutating func publish(_ track: PublishedTrack, by id: String, _ now: Instant, _ events: inout [RoomEvent]) {
        guard let publisher = roster.publish(track, by: id) else { return }
        events.append(.published(track, by: publisher))
        for other in roster.participants where other.id != id {
            tellPermission(track.id, of: publisher, to: other, &events)
        }
        settle(now, &events)
    }

    mutating func renew(_ track: PublishedTrack, _ events: inout [RoomEvent]) {
        guard let publisher = roster.replace(track) else { return }
        events.append(.renewed(track, by: publisher))
        for subscription in subscriptions.renew(track.id) { events.append(.subscriptionRenewed(subscription)) }
    }

    mutating func describe(_ track: PublishedTrack, _ events: inout [RoomEvent]) {
        guard let publisher = roster.replace(track) else { return }
        events.append(.described(track, by: publisher))
    }

    mutating func unpublish(
        _ id: String, _ reason: UnpublishReason, _ now: Instant, _ events: inout [RoomEvent]
    ) {
        guard let track = track(id), let record = roster.unpublish(id) else { return }
        forget(id)
        events.append(.unpublished(track, by: record, reason))
        settle(now, &events)
    }

    mutating func mute(_ id: String, _ isMuted: Bool, _ events: inout [RoomEvent]) {
        guard var track = track(id), track.isMuted != isMuted else { return }
        track.isMuted = isMuted
        guard let publisher = roster.replace(track) else { return }
        events.append(.muted(track, by: publisher))
    }

    mutating func orderMute(_ id: String, _ isMuted: Bool, _ events: inout [RoomEvent]) {
        guard let (publisher, track) = roster.track(id) else { return }
        events.append(.muteOrdered(track, publisher: publisher.id, isMuted))
        mute(id, isMuted, &events)
    }

    /// What is known of a track beside its record ends with it.
    mutating func forget(_ track: String) { heeded.remove(track) }
}
