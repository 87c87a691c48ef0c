import LiveKitProtocol
import RTCWire
import RoomModel
import SFUCore

extension LiveKitRoom {
    /// A track has become real: everybody is told, then those who want it get it.
    func publish(_ track: LiveKitTrack, of participant: LiveKitParticipant, now: Instant) {
        tracks[track.sid] = track
        participant.logger.info(
            "track published", metadata: ["track": "\(track.sid)", "codec": "\(track.info.mimeType)"])
        update(participant.sid, now: now) {
            $0.tracks.append(
                PublishedTrack(
                    id: track.sid, kind: track.kind, source: TrackSource(track.info.source), name: track.info.name,
                    isMuted: track.info.muted))
        }
        observe(RoomEvent.trackPublished, track)
        noteRoomChange()
        for other in participants.values where other !== participant { tellPermission(track, to: other) }
        settleSubscriptions(now: now)
    }

    /// A track goes on in another format: everybody is told, and its subscribers begin anew.
    func renew(_ track: LiveKitTrack, of participant: LiveKitParticipant, now: Instant) {
        update(participant.sid, atOnce: true, now: now) { _ in }
        for other in participants.values where other.subscriber.send(track: track.sid) != nil {
            other.unsubscribe(from: track.sid, fills: false)
            other.subscribe(to: track)
        }
    }

    /// A track has ended.
    func unpublish(_ sid: String, of participant: LiveKitParticipant, now: Instant) {
        guard let track = tracks.removeValue(forKey: sid) else { return }
        participant.logger.info("track unpublished", metadata: ["track": "\(sid)"])
        update(participant.sid, atOnce: true, now: now) { $0.tracks.removeAll { $0.id == sid } }
        settleDescription(of: participant.sid)
        // Wishes about a track end with it.
        for other in model.participants where other.choices[sid] != nil {
            model.adjust(other.id) { $0.choices[sid] = nil }
        }
        observe(RoomEvent.trackUnpublished, track)
        noteRoomChange()
        settleSubscriptions(now: now)
    }

    func setMuted(_ muted: Bool, track sid: String, of participant: LiveKitParticipant, now: Instant) {
        guard model.setMuted(muted, track: sid, of: participant.sid), let record = model.participant(participant.sid)
        else { return }
        tracks[sid]?.info.muted = muted
        if let producer = tracks[sid]?.producer {
            media.perform(now: now) { room, outbox, now in room.setMuted(muted, producer, now: now, into: &outbox) }
        }
        announce(info(of: record, participant), of: record, atOnce: true, now: now)
    }

    /// The track whose packets a producer takes.
    func track(fedBy producer: ProducerID) -> LiveKitTrack? { tracks.values.first { $0.producer == producer } }

    // MARK: Subscriptions

    /// Brings what is sent in line with what is wanted and allowed.
    func settleSubscriptions(now: Instant) {
        carryOut(model.settleSubscriptions())
        updateDemand(now: now)
    }

    /// The same where only the wishes of one have changed.
    func settleSubscriptions(of subscriber: String, now: Instant) {
        let changes = model.settleSubscriptions(of: subscriber)
        carryOut(changes)
        if !changes.isEmpty { updateDemand(of: Set(changes.map(\.track)), now: now) }
    }

    private func carryOut(_ changes: [RoomModel.SubscriptionChange]) {
        for change in changes {
            guard let subscriber = participants[change.subscriber] else { continue }
            if change.isSubscribed, let track = tracks[change.track] {
                subscriber.subscribe(to: track)
                noteSubscribed(track, by: change.subscriber)
                guard detector.level(of: change.publisher) > 0 else { continue }
                if track.kind == .audio || !hears(change.subscriber, change.publisher) {
                    tellLevel(of: change.publisher, to: subscriber)
                }
            } else if !change.isSubscribed {
                subscriber.unsubscribe(from: change.track)
                tellSilence(of: change.publisher, to: subscriber)
            }
        }
    }

    /// Whether somebody gets sound of a publisher, and so has been told its level with it.
    private func hears(_ subscriber: String, _ publisher: String) -> Bool {
        model.participant(publisher)?.tracks.contains {
            $0.kind == .audio && model.isSubscribed(subscriber, to: $0.id)
        } ?? false
    }

    /// A publisher learns that somebody gets the track, though not from somebody hidden.
    private func noteSubscribed(_ track: LiveKitTrack, by subscriber: String) {
        guard !track.wasSubscribed, model.participant(subscriber)?.permissions.isHidden == false else { return }
        track.wasSubscribed = true
        participants[track.publisher]?.send(.with { $0.trackSubscribed = .with { $0.trackSid = track.sid } })
    }

    // MARK: Who may subscribe

    func setRule(
        of participant: LiveKitParticipant, _ permission: Livekit_SubscriptionPermission, now: Instant
    ) {
        var entries: [String: SubscriptionRule.Entry] = [:]
        for item in permission.trackPermissions.prefix(RequestBounds.rules) {
            let identity =
                item.participantIdentity.isEmpty
                ? model.participant(item.participantSid)?.identity : item.participantIdentity
            guard let identity, identity.utf8.count <= configuration.limits.name else { continue }
            let own = item.trackSids.prefix(RequestBounds.tracks).filter { $0.utf8.count <= 64 }
            entries[identity] = SubscriptionRule.Entry(allTracks: item.allTracks, tracks: Set(own))
        }
        let rule = SubscriptionRule(everybody: permission.allParticipants, entries: entries)
        guard model.participant(participant.sid)?.rule != rule else { return }
        model.adjust(participant.sid) { $0.rule = rule }
        for track in tracks.values where track.publisher == participant.sid {
            for other in participants.values where other !== participant { tellPermission(track, to: other) }
        }
        settleSubscriptions(now: now)
    }

    /// Tells a newcomer which of the published tracks it may have.
    func tellPermissions(to participant: LiveKitParticipant) {
        for publisher in model.participants where publisher.id != participant.sid {
            for track in publisher.tracks {
                if let track = tracks[track.id] { tellPermission(track, to: participant) }
            }
        }
    }

    /// Somebody may be hidden no more: the others learn what they may have.
    func tellPermissions(about publisher: String) {
        for track in tracks.values where track.publisher == publisher {
            for other in participants.values where other.sid != publisher { tellPermission(track, to: other) }
        }
    }

    private func tellPermission(_ track: LiveKitTrack, to participant: LiveKitParticipant) {
        guard let publisher = model.participant(track.publisher), !publisher.permissions.isHidden else { return }
        participant.send(
            .with {
                $0.subscriptionPermissionUpdate = .with {
                    $0.participantSid = track.publisher
                    $0.trackSid = track.sid
                    $0.allowed = publisher.rule.allows(participant.identity, track: track.sid)
                }
            })
    }
}
