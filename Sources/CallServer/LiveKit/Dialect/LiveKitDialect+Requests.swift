import CallModel
import LiveKitProtocol
import RoomModel

/// Clients' messages.
extension LiveKitDialect {
    /// What one message of a client means. Unknown ones, of newer clients, are let be.
    ///
    /// - Parameters:
    ///   - id: who says it.
    ///   - wallClock: milliseconds since 1970.
    mutating func handle(
        _ request: Livekit_SignalRequest, from id: String, in room: RoomMachine, wallClock: Int64,
        into actions: inout [LiveKitRequestAction]
    ) {
        guard let record = room.participant(id), let ticket = tickets[id] else { return }
        let number = ticket.client.protocol
        switch request.message {
        case .offer(let offer): actions.append(.takeOffer(offer))
        case .answer(let answer): actions.append(.takeAnswer(answer))
        case .trickle(let trickle): take(trickle, &actions)
        case .addTrack(let add): actions.append(.send(announce(add, by: record, in: room)))
        case .mute(let mute): self.mute(mute, by: id, in: room, &actions)
        case .subscription(let update): choose(update, id, in: room, &actions)
        case .trackSetting(let settings): prefer(settings, id, in: room, &actions)
        case .subscriptionPermission(let permission):
            actions.append(.command(.allow(publisher: id, rule(permission, in: room))))
        case .updateMetadata(let update): change(record, update, protocol: number, &actions)
        case .leave(let leave): self.leave(leave, protocol: number, &actions)
        case .ping: actions.append(.send(.with { $0.pong = wallClock }))
        case .pingReq(let ping):
            let pong = Livekit_Pong.with {
                $0.lastPingTimestamp = ping.timestamp
                $0.timestamp = wallClock
            }
            actions.append(.send(.with { $0.pongResp = pong }))
        case .syncState(let state): compare(state, of: id, in: room, &actions)
        case .simulate(let scenario): actions.append(.simulate(scenario))
        case .updateAudioTrack(let update): describe(update, by: id, in: room, &actions)
        case .updateVideoTrack(let update): describe(update, by: id, in: room, &actions)
        case .updateLayers, .publishDataTrackRequest, .unpublishDataTrackRequest, .updateDataSubscription,
            .storeDataBlobRequest, .getDataBlobRequest, nil:
            actions.append(.ignore)
        }
    }

    private func leave(
        _ leave: Livekit_LeaveRequest, protocol number: Int32, _ actions: inout [LiveKitRequestAction]
    ) {
        if let answer = Livekit_LeaveRequest(leave.reason, .disconnect, protocol: number) {
            actions.append(.send(.leave(answer)))
        }
        actions.append(.leave(DepartureReason(leaving: leave.reason)))
    }

    /// Candidates must be readable, but nothing is made of them: see `MediaConnection`.
    private func take(_ trickle: Livekit_TrickleRequest, _ actions: inout [LiveKitRequestAction]) {
        guard trickle.candidateInit.isEmpty || JSONText.candidate(trickle.candidateInit) != nil else {
            return actions.append(.fail("unreadable ICE candidate"))
        }
    }

    // MARK: Tracks

    /// Notes a track that the client is going to send, and answers with the track's sid or why it can't be.
    mutating func announce(
        _ request: Livekit_AddTrackRequest, by record: RoomParticipant, in room: RoomMachine
    ) -> Livekit_SignalResponse {
        guard request.isBounded(name: server.limits.text.name) else { return refusal(of: request, .limitExceeded) }
        let announced = tracks.announced(by: record.id)
        if let known = announced.first(where: { $0.cid == request.cid }) { return .published(known) }
        // A second codec for a track that is there already: clients go on without it.
        if !request.sid.isEmpty {
            return refusal(of: request, record.track(request.sid) != nil ? .unsupportedType : .notFound)
        }
        if request.type == .data { return refusal(of: request, .unsupportedType) }
        guard record.permissions.mayPublish(TrackSource(request.source)) else {
            return refusal(of: request, .notAllowed)
        }
        let track = LiveKitTrack(request, publisher: record.id)
        guard announced.count < server.limits.pendingTracks,
            announced.count + record.tracks.count < server.limits.tracks, describes(record, adding: track.info)
        else { return refusal(of: request, .limitExceeded) }
        tracks.announce(track)
        return .published(track)
    }

    private func refusal(
        of request: Livekit_AddTrackRequest, _ reason: Livekit_RequestResponse.Reason
    ) -> Livekit_SignalResponse {
        .refusal(.addTrack(request.brief), reason)
    }

    private mutating func mute(
        _ mute: Livekit_MuteTrackRequest, by id: String, in room: RoomMachine,
        _ actions: inout [LiveKitRequestAction]
    ) {
        if tracks.changeAnnounced(mute.sid, by: id, { $0.info.muted = mute.muted }) { return }
        guard room.participant(id)?.track(mute.sid) != nil else {
            let brief = Livekit_MuteTrackRequest.with { $0.sid = mute.sid.printable(limit: 64) }
            return actions.append(.send(.refusal(.mute(brief), .notFound)))
        }
        actions.append(.command(.mute(mute.sid, mute.muted)))
    }

    private mutating func describe(
        _ update: Livekit_UpdateLocalAudioTrack, by id: String, in room: RoomMachine,
        _ actions: inout [LiveKitRequestAction]
    ) {
        let features = Array(update.features.prefix(RequestBounds.features))
        if !describe(update.trackSid, by: id, in: room, &actions, { $0.info.setAudioFeatures(features) }) {
            let brief = Livekit_UpdateLocalAudioTrack.with { $0.trackSid = update.trackSid.printable(limit: 64) }
            actions.append(.send(.refusal(.updateAudioTrack(brief), .notFound)))
        }
    }

    private mutating func describe(
        _ update: Livekit_UpdateLocalVideoTrack, by id: String, in room: RoomMachine,
        _ actions: inout [LiveKitRequestAction]
    ) {
        let isKnown = describe(update.trackSid, by: id, in: room, &actions) {
            $0.info.width = update.width
            $0.info.height = update.height
        }
        if !isKnown {
            let brief = Livekit_UpdateLocalVideoTrack.with { $0.trackSid = update.trackSid.printable(limit: 64) }
            actions.append(.send(.refusal(.updateVideoTrack(brief), .notFound)))
        }
    }

    /// Changes what is known of a participant's track, published or announced; false where the participant has no such
    /// track.
    private mutating func describe(
        _ sid: String, by id: String, in room: RoomMachine, _ actions: inout [LiveKitRequestAction],
        _ change: (inout LiveKitTrack) -> Void
    ) -> Bool {
        if tracks.changeAnnounced(sid, by: id, change) { return true }
        guard let record = room.participant(id)?.track(sid),
            let (before, after) = tracks.changePublished(sid, by: id, change)
        else { return false }
        if before.info != after.info { actions.append(.command(.describe(record))) }
        return true
    }

    // MARK: Oneself

    private mutating func change(
        _ record: RoomParticipant, _ update: Livekit_UpdateParticipantMetadata, protocol number: Int32,
        _ actions: inout [LiveKitRequestAction]
    ) {
        let change = ParticipantChange(
            name: update.name.isEmpty ? nil : update.name, metadata: update.metadata.isEmpty ? nil : update.metadata,
            attributes: update.attributes)
        var response = Livekit_RequestResponse()
        response.requestID = update.requestID
        (response.reason, response.message) = refusal(of: update, record.applying(change))
        // Too much is not sent back.
        if response.reason != .limitExceeded { response.updateMetadata = update }
        if response.reason == .ok { actions.append(.command(.change(record.id, change, by: .participant))) }
        // Clients of protocol 15 and later wait for the good news too.
        if response.reason != .ok || number >= 15 { actions.append(.send(.with { $0.requestResponse = response })) }
    }

    /// `ok` where the change may be made; else why not, in LiveKit's words.
    private mutating func refusal(
        of update: Livekit_UpdateParticipantMetadata, _ changed: RoomParticipant
    ) -> (Livekit_RequestResponse.Reason, String) {
        let limits = server.limits
        guard changed.permissions.canUpdateMetadata else {
            return (.notAllowed, "does not have permission to update own metadata")
        }
        guard update.name.utf8.count <= limits.text.name else { return (.limitExceeded, "exceeds name length limit") }
        guard update.metadata.utf8.count <= limits.text.metadata else {
            return (.limitExceeded, "exceeds metadata size limit")
        }
        // All of them, and not those of this update alone.
        guard RequestBounds.attributeBytes(changed.attributes) <= limits.text.attributes,
            changed.attributes.count <= RequestBounds.attributes
        else { return (.limitExceeded, "exceeds attributes size limit") }
        guard describes(changed) else {
            return (.limitExceeded, "exceeds what all in a room may say of themselves together")
        }
        return (.ok, "")
    }
}
