import CallModel
import LiveKitProtocol
import RoomModel

/// What clients say of what they want, and who may have what is theirs.
extension LiveKitDialect {
    /// Wishes about tracks; those that are not there are answered.
    func choose(
        _ update: Livekit_UpdateSubscription, _ id: String, in room: RoomMachine,
        _ actions: inout [LiveKitRequestAction]
    ) {
        let names = RequestBounds.names(update.trackSids, update.participantTracks.flatMap(\.trackSids))
        for track in names.lazy.filter({ !room.roster.isPublished($0) }).prefix(RequestBounds.answers) {
            actions.append(.send(.subscriptionFailed(track.printable(limit: 64), .seTrackNotfound)))
        }
        let known = names.filter(room.roster.isPublished)
        guard !known.isEmpty else { return }
        actions.append(.command(.choose(subscriber: id, tracks: known, update.subscribe)))
    }

    func prefer(
        _ settings: Livekit_UpdateTrackSettings, _ id: String, in room: RoomMachine,
        _ actions: inout [LiveKitRequestAction]
    ) {
        var preferences: [String: TrackPreference] = [:]
        for sid in RequestBounds.names(settings.trackSids) {
            if let track = room.track(sid) { preferences[sid] = settings.preference(of: track) }
        }
        if !preferences.isEmpty { actions.append(.command(.prefer(subscriber: id, preferences))) }
    }

    /// Who may subscribe; somebody who is not here can only be named by identity.
    func rule(_ permission: Livekit_SubscriptionPermission, in room: RoomMachine) -> SubscriptionRule {
        var entries: [String: SubscriptionRule.Entry] = [:]
        for item in permission.trackPermissions.prefix(RequestBounds.rules) {
            let identity =
                item.participantIdentity.isEmpty
                ? room.participant(item.participantSid)?.identity : item.participantIdentity
            guard let identity, identity.utf8.count <= server.limits.text.name else { continue }
            let own = item.trackSids.prefix(RequestBounds.tracks).filter { $0.utf8.count <= 64 }
            entries[identity] = SubscriptionRule.Entry(allTracks: item.allTracks, tracks: Set(own))
        }
        return SubscriptionRule(everybody: permission.allParticipants, entries: entries)
    }

    /// Compares what the client takes for true with what is.
    func compare(
        _ state: Livekit_SyncState, of id: String, in room: RoomMachine, _ actions: inout [LiveKitRequestAction]
    ) {
        guard publishes(state.publishTracks, id, in: room) else {
            return actions.append(.rejoin("the client publishes a track that is not known here"))
        }
        if !state.trackSidsDisabled.isEmpty {
            let settings = Livekit_UpdateTrackSettings.with {
                $0.trackSids = state.trackSidsDisabled
                $0.disabled = true
            }
            prefer(settings, id, in: room, &actions)
        }
        actions.append(.replay(state.datachannelReceiveStates))
        if state.hasSubscription { choose(state.subscription, id, in: room, &actions) }
    }

    /// Clients need not say all they publish; what they say must be here.
    private func publishes(
        _ published: [Livekit_TrackPublishedResponse], _ id: String, in room: RoomMachine
    ) -> Bool {
        published.allSatisfy { published in
            guard published.hasTrack, !published.track.sid.isEmpty else { return true }
            let sid = published.track.sid
            return room.participant(id)?.track(sid) != nil
                || tracks.announced(by: id).contains { $0.sid == sid }
        }
    }
}
