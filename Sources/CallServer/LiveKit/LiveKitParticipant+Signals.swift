import CallModel
import LiveKitProtocol
import RTCWire
import RoomModel
import SFUCore

extension LiveKitParticipant {
    /// Acts on one message of the client. Unknown ones, of newer clients, are let be.
    func handle(_ request: Livekit_SignalRequest, now: Instant) {
        switch request.message {
        case .offer(let offer): handleOffer(offer, now: now)
        case .answer(let answer): handleAnswer(answer, now: now)
        case .trickle(let trickle): handleTrickle(trickle, now: now)
        case .addTrack(let add): addTrack(add)
        case .mute(let mute): setMuted(mute, now)
        case .subscription(let update): updateSubscription(update, now: now)
        case .trackSetting(let settings): updateSettings(settings, now: now)
        case .subscriptionPermission(let permission): room.setRule(of: self, permission, now: now)
        case .updateMetadata(let update): updateMetadata(update, now)
        case .leave(let leave): handleLeave(leave, now)
        case .ping: send(.with { $0.pong = WallClock.milliseconds })
        case .pingReq(let ping):
            send(
                .with {
                    $0.pongResp = .with {
                        $0.lastPingTimestamp = ping.timestamp
                        $0.timestamp = WallClock.milliseconds
                    }
                })
        case .syncState(let state): handleSyncState(state, now: now)
        case .simulate(let scenario): simulate(scenario, now: now)
        case .updateAudioTrack(let update): updateTrack(update, now)
        case .updateVideoTrack(let update): updateTrack(update, now)
        case .updateLayers, .publishDataTrackRequest,
            .unpublishDataTrackRequest, .updateDataSubscription, .storeDataBlobRequest, .getDataBlobRequest, nil:
            logger.debug("signalling message not acted on")
        }
    }

    private func handleLeave(_ leave: Livekit_LeaveRequest, _ now: Instant) {
        if let answer = leaveRequest(leave.reason, .disconnect) { send(.with { $0.leave = answer }) }
        let reason: Livekit_DisconnectReason =
            switch leave.reason {
            case .userUnavailable, .userRejected, .agentError: leave.reason
            default: .clientInitiated
            }
        room.remove(sid, reason: reason, tell: false, now: now)
    }

    private func setMuted(_ mute: Livekit_MuteTrackRequest, _ now: Instant) {
        if let pending = pendingTracks.first(where: { $0.sid == mute.sid }) {
            pending.info.muted = mute.muted
        } else if room.tracks[mute.sid]?.publisher == sid {
            room.setMuted(mute.muted, track: mute.sid, of: self, now: now)
        } else {
            refuse(.mute(.with { $0.sid = mute.sid.printable(limit: 64) }), .notFound)
        }
    }

    private func updateTrack(_ update: Livekit_UpdateLocalAudioTrack, _ now: Instant) {
        let features = Array(update.features.prefix(RequestBounds.features))
        let isKnown = room.updateTrack(update.trackSid, of: self, now: now) { $0.setAudioFeatures(features) }
        if !isKnown {
            refuse(.updateAudioTrack(.with { $0.trackSid = update.trackSid.printable(limit: 64) }), .notFound)
        }
    }

    private func updateTrack(_ update: Livekit_UpdateLocalVideoTrack, _ now: Instant) {
        let isKnown = room.updateTrack(update.trackSid, of: self, now: now) {
            $0.width = update.width
            $0.height = update.height
        }
        if !isKnown {
            refuse(.updateVideoTrack(.with { $0.trackSid = update.trackSid.printable(limit: 64) }), .notFound)
        }
    }

    /// Says that a request is not fulfilled, with the request.
    private func refuse(
        _ request: Livekit_RequestResponse.OneOf_Request, _ reason: Livekit_RequestResponse.Reason
    ) {
        send(
            .with {
                $0.requestResponse.reason = reason
                $0.requestResponse.request = request
            })
    }

    func updateSubscription(_ update: Livekit_UpdateSubscription, now: Instant) {
        let names = RequestBounds.names(update.trackSids, update.participantTracks.flatMap(\.trackSids))
        let known = names.filter { room.tracks[$0] != nil }
        for track in names.lazy.filter({ self.room.tracks[$0] == nil }).prefix(RequestBounds.answers) {
            send(
                .with {
                    $0.subscriptionResponse = .with {
                        $0.trackSid = track.printable(limit: 64)
                        $0.err = .seTrackNotfound
                    }
                })
        }
        guard !known.isEmpty else { return }
        room.model.adjust(sid) { participant in
            for track in known { participant.choices[track] = update.subscribe }
        }
        room.settleSubscriptions(of: sid, now: now)
    }

    func updateSettings(_ settings: Livekit_UpdateTrackSettings, now: Instant) {
        var changed: Set<String> = []
        for sid in RequestBounds.names(settings.trackSids) {
            guard let track = room.tracks[sid], let outgoing = subscriber.send(track: sid) else { continue }
            outgoing.set(
                paused: settings.disabled, layerLimit: track.layerLimit(for: settings),
                frameRateLimit: settings.fps > 0 ? Int(settings.fps) : nil, now: now)
            if settings.priority > 0 { outgoing.priority = Int(settings.priority) }
            changed.insert(sid)
        }
        if !changed.isEmpty { room.updateDemand(of: changed, now: now) }
    }

    private func updateMetadata(_ update: Livekit_UpdateParticipantMetadata, _ now: Instant) {
        var response = Livekit_RequestResponse()
        response.requestID = update.requestID
        let changed = room.model.participant(sid).map { $0.changed(update) }
        (response.reason, response.message) = refusal(of: update, changed)
        // Too much is not sent back.
        if response.reason != .limitExceeded { response.updateMetadata = update }
        if response.reason == .ok, let changed { room.update(sid, now: now) { $0 = changed } }
        // Clients of protocol 15 and later wait for the good news too.
        if response.reason != .ok || ticket.client.protocol >= 15 { send(.with { $0.requestResponse = response }) }
    }

    /// `ok` where the change may be made; else why not, in LiveKit's words.
    private func refusal(
        of update: Livekit_UpdateParticipantMetadata, _ changed: RoomParticipant?
    ) -> (Livekit_RequestResponse.Reason, String) {
        let limits = room.configuration.limits
        guard let changed, changed.permissions.canUpdateMetadata else {
            return (.notAllowed, "does not have permission to update own metadata")
        }
        guard update.name.utf8.count <= limits.name else { return (.limitExceeded, "exceeds name length limit") }
        guard update.metadata.utf8.count <= limits.metadata else {
            return (.limitExceeded, "exceeds metadata size limit")
        }
        // All of them, and not those of this update alone.
        guard RequestBounds.attributeBytes(changed.attributes) <= limits.attributes,
            changed.attributes.count <= RequestBounds.attributes
        else { return (.limitExceeded, "exceeds attributes size limit") }
        guard room.describes(changed, self) else {
            return (.limitExceeded, "exceeds what all in a room may say of themselves together")
        }
        return (.ok, "")
    }
}

extension RoomParticipant {
    /// With what an update says: empty strings leave things as they are, an attribute set to nothing is removed.
    fileprivate func changed(_ update: Livekit_UpdateParticipantMetadata) -> RoomParticipant {
        var result = self
        if !update.metadata.isEmpty { result.metadata = update.metadata }
        if !update.name.isEmpty { result.name = update.name }
        for (key, value) in update.attributes { result.attributes[key] = value.isEmpty ? nil : value }
        return result
    }
}
