import LiveKitProtocol
import RTCTransport
import SFUCore

extension LiveKitParticipant {
    /// Acts on one message of the client. Unknown ones, of newer clients, are let be.
    func handle(_ request: Livekit_SignalRequest) {
        switch request.message {
        case .offer(let offer): handleOffer(offer)
        case .answer(let answer): handleAnswer(answer)
        case .trickle(let trickle): handleTrickle(trickle)
        case .addTrack(let add): addTrack(add)
        case .mute(let mute): setMuted(mute)
        case .subscription(let update): updateSubscription(update)
        case .trackSetting(let settings): updateSettings(settings)
        case .subscriptionPermission(let permission): room.setRule(of: self, permission)
        case .updateMetadata(let update): updateMetadata(update)
        case .leave(let leave): handleLeave(leave)
        case .ping: send(.with { $0.pong = WallClock.milliseconds })
        case .pingReq(let ping):
            send(
                .with {
                    $0.pongResp = .with {
                        $0.lastPingTimestamp = ping.timestamp
                        $0.timestamp = WallClock.milliseconds
                    }
                })
        case .syncState(let state): handleSyncState(state)
        case .simulate(let scenario): simulate(scenario)
        case .updateAudioTrack(let update): updateTrack(update)
        case .updateVideoTrack(let update): updateTrack(update)
        case .updateLayers, .publishDataTrackRequest,
            .unpublishDataTrackRequest, .updateDataSubscription, .storeDataBlobRequest, .getDataBlobRequest, nil:
            logger.debug("signalling message not acted on")
        }
    }

    private func handleLeave(_ leave: Livekit_LeaveRequest) {
        if let answer = leaveRequest(leave.reason, .disconnect) { send(.with { $0.leave = answer }) }
        let reason: Livekit_DisconnectReason =
            switch leave.reason {
            case .userUnavailable, .userRejected, .agentError: leave.reason
            default: .clientInitiated
            }
        room.remove(sid, reason: reason, tell: false)
    }

    private func setMuted(_ mute: Livekit_MuteTrackRequest) {
        if let pending = pendingTracks.first(where: { $0.sid == mute.sid }) {
            pending.info.muted = mute.muted
        } else if room.tracks[mute.sid]?.publisher == sid {
            room.setMuted(mute.muted, track: mute.sid, of: self)
        } else {
            refuse(.mute(mute), .notFound)
        }
    }

    private func updateTrack(_ update: Livekit_UpdateLocalAudioTrack) {
        let isKnown = room.updateTrack(update.trackSid, of: self) { $0.setAudioFeatures(update.features) }
        if !isKnown { refuse(.updateAudioTrack(update), .notFound) }
    }

    private func updateTrack(_ update: Livekit_UpdateLocalVideoTrack) {
        let isKnown = room.updateTrack(update.trackSid, of: self) {
            $0.width = update.width
            $0.height = update.height
        }
        if !isKnown { refuse(.updateVideoTrack(update), .notFound) }
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

    func updateSubscription(_ update: Livekit_UpdateSubscription) {
        let tracks = update.trackSids + update.participantTracks.flatMap(\.trackSids)
        for track in tracks where room.tracks[track] == nil {
            send(
                .with {
                    $0.subscriptionResponse = .with {
                        $0.trackSid = track
                        $0.err = .seTrackNotfound
                    }
                })
        }
        let known = tracks.filter { room.tracks[$0] != nil }
        room.model.adjust(sid) { participant in
            for track in known { participant.choices[track] = update.subscribe }
        }
        room.settleSubscriptions()
    }

    func updateSettings(_ settings: Livekit_UpdateTrackSettings) {
        for track in settings.trackSids {
            guard let outgoing = subscriber.send(track: track), let track = room.tracks[track] else { continue }
            outgoing.set(
                paused: settings.disabled, layerLimit: track.layerLimit(for: settings),
                frameRateLimit: settings.fps > 0 ? Int(settings.fps) : nil, now: MonotonicClock.now())
            if settings.priority > 0 { outgoing.priority = Int(settings.priority) }
        }
        room.updateDemand()
    }

    private func updateMetadata(_ update: Livekit_UpdateParticipantMetadata) {
        var response = Livekit_RequestResponse()
        response.requestID = update.requestID
        response.updateMetadata = update
        (response.reason, response.message) = refusal(of: update)
        if response.reason == .ok {
            room.update(sid) { participant in
                if !update.metadata.isEmpty { participant.metadata = update.metadata }
                if !update.name.isEmpty { participant.name = update.name }
                for (key, value) in update.attributes { participant.attributes[key] = value.isEmpty ? nil : value }
            }
        }
        // Clients of protocol 15 and later wait for the good news too.
        if response.reason != .ok || ticket.client.protocol >= 15 { send(.with { $0.requestResponse = response }) }
    }

    /// `ok` where the change may be made; else why not, in LiveKit's words.
    private func refusal(
        of update: Livekit_UpdateParticipantMetadata
    ) -> (Livekit_RequestResponse.Reason, String) {
        let limits = room.configuration.limits
        guard room.model.participant(sid)?.permissions.canUpdateMetadata == true else {
            return (.notAllowed, "does not have permission to update own metadata")
        }
        guard update.name.count <= limits.name else { return (.limitExceeded, "exceeds name length limit") }
        guard update.metadata.utf8.count <= limits.metadata else {
            return (.limitExceeded, "exceeds metadata size limit")
        }
        let attributes = update.attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard attributes <= limits.attributes else { return (.limitExceeded, "exceeds attributes size limit") }
        return (.ok, "")
    }
}
