import RTCWire

/// Coming, going, changing.
extension RoomMachine {
    mutating func join(_ participant: RoomParticipant, _ now: Instant, _ events: inout [RoomEvent]) {
        guard roster[participant.id] == nil else { return }
        if let earlier = roster.participant(identity: participant.identity) {
            leave(earlier.id, .replaced, now, &events)
        }
        roster.append(participant)
        events.append(.joined(participant))
        for publisher in roster.participants where publisher.id != participant.id {
            for track in publisher.tracks { tellPermission(track.id, of: publisher, to: participant, &events) }
        }
        settle(now, &events)
    }

    mutating func activate(_ id: String, _ events: inout [RoomEvent]) {
        guard let record = roster[id], record.state < .active,
            let active = roster.update(id, { $0.state = .active })
        else { return }
        events.append(.activated(active))
    }

    mutating func leave(_ id: String, _ reason: DepartureReason, _ now: Instant, _ events: inout [RoomEvent]) {
        let wasActive = roster[id]?.state == .active
        guard let gone = roster.remove(id) else { return }
        events.append(.left(gone, reason, wasActive: wasActive))
        for track in gone.tracks { forget(track.id) }
        settle(now, &events)
        // After the settling, by which those who heard it learn that it is silent.
        speakers.remove(id)
        grades[id] = nil
    }

    mutating func change(
        _ id: String, _ change: ParticipantChange, by origin: ParticipantChange.Origin, _ now: Instant,
        _ events: inout [RoomEvent]
    ) {
        guard let before = roster[id] else { return }
        let wasHidden = before.permissions.isHidden
        if change.permissions?.isHidden == true, !wasHidden { events.append(.concealed(before)) }
        guard let after = roster.update(id, { $0 = $0.applying(change) }) else { return }
        events.append(.changed(after, by: origin))
        guard change.permissions != nil else { return }
        if wasHidden { tellPermissions(about: after, &events) }
        for track in after.tracks where !after.permissions.mayPublish(track.source) {
            unpublish(track.id, .notAllowed, now, &events)
        }
        settle(now, &events)
    }
}
