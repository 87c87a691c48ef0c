import CallBridge
import LiveKitProtocol
import MediaCore

/// What the server says. A message that we do not know is harmless.
extension SignallingMachine {
    mutating func take(_ message: Livekit_SignalResponse, socket: Int, _ turn: inout SignallingTurn) {
        guard socket == link.socket else { return takeLate(message, &turn) }
        link.heard(now: turn.now)
        if let message = message.message { take(message, &turn) }
    }

    /// What came on a socket before we gave it up. That the server has ended our participation holds all the same; that it
    /// agrees to our own leaving, which makes room for the next session, is no such word.
    private mutating func takeLate(_ message: Livekit_SignalResponse, _ turn: inout SignallingTurn) {
        guard case .leave(let leave) = message.message, leave.isFinal, leave.reason != .clientInitiated else { return }
        left(leave, &turn)
    }

    private mutating func take(_ message: Livekit_SignalResponse.OneOf_Message, _ turn: inout SignallingTurn) {
        switch message {
        case .answer, .offer, .trickle, .mediaSectionsRequirement: takeNegotiation(message, &turn)
        case .trackPublished, .trackUnpublished, .trackSubscribed, .mute, .subscribedQualityUpdate:
            takePublication(message, &turn)
        case .speakersChanged, .connectionQuality, .streamStateUpdate, .subscriptionPermissionUpdate,
            .subscriptionResponse, .roomUpdate:
            report(message, &turn)
        case .update(let update): applyParticipants(update.participants, &turn)
        case .requestResponse(let response): answered(response, &turn)
        case .roomMoved(let move): moved(move, &turn)
        case .refreshToken(let fresh): if !fresh.isEmpty { link.token = fresh }
        case .pongResp(let pong):
            link.answered(pong, now: turn.now)
            turn.queue.confirm(pong)
        case .leave(let leave): left(leave, &turn)
        default: break
        }
    }

    private mutating func left(_ leave: Livekit_LeaveRequest, _ turn: inout SignallingTurn) {
        if leave.hasRegions { link.addresses.adopt(leave.regions) }
        let why = "the server ended the connection: \(leave.reason.explanation)"
        switch leave.action {
        case .resume: lost(.signal, why, &turn)
        case .reconnect: lost(.session, why, &turn)
        case .disconnect where !leave.isFinal: lost(.session, why, &turn)
        case .disconnect, .UNRECOGNIZED:
            if let exclusion = CallExclusion(leave.reason) { turn.report(.excluded(exclusion)) }
            let detail = "the server ended our participation: \(leave.reason.explanation)"
            end(CallEndReason(leave.reason), .init(detail: detail, isOurs: false), &turn)
        }
    }

    /// What a join response says for later.
    mutating func adopt(_ response: Livekit_JoinResponse, _ turn: inout SignallingTurn) {
        profile.replace(response.participant)
        link.adopt(response, now: turn.now)
        repair.lifecycle.mayResume = response.clientConfiguration.resumeConnection != .disabled
        if !response.sifTrailer.isEmpty { turn.perform(.setInjectionTrailer(Array(response.sifTrailer))) }
    }

    /// The server carries us over into another room; the connections stay.
    private mutating func moved(_ move: Livekit_RoomMovedResponse, _ turn: inout SignallingTurn) {
        if !move.token.isEmpty { link.token = move.token }
        if move.hasParticipant { profile.replace(move.participant) }
        turn.report(roster.reconcile(move.otherParticipants))
        turn.report(.roomUpdated(RoomInfo(move.room)))
    }

    private mutating func answered(_ response: Livekit_RequestResponse, _ turn: inout SignallingTurn) {
        if response.reason != .ok, response.reason != .queued, case .addTrack(let request) = response.request {
            refusePublication(request.cid, "the server refused the track: \(response.words)", &turn)
        }
        profile.answered(response, &turn)
    }

    // MARK: Participants

    private mutating func applyParticipants(_ participants: [Livekit_ParticipantInfo], _ turn: inout SignallingTurn) {
        let us = profile.info.sid
        if roster.awaitsList, participants.contains(where: { $0.sid == us }) {
            turn.report(roster.reconcile(participants.filter { $0.sid != us }))
        }
        for participant in participants { applyParticipant(participant, &turn) }
    }

    mutating func applyParticipant(_ info: Livekit_ParticipantInfo, _ turn: inout SignallingTurn) {
        guard info.sid != profile.info.sid else { return applyLocal(info, &turn) }
        let known = roster.identity(of: info.sid)
        for event in roster.apply(info) {
            if case .participantLeft = event, let known { data.left(known, &turn) }
            turn.report(event)
        }
        // Media that was negotiated before its owner was announced can be named now.
        for (track, sid) in roster.claimOrphans() { announce(track, sid: sid, &turn) }
    }

    /// What the server says of ourselves.
    private mutating func applyLocal(_ info: Livekit_ParticipantInfo, _ turn: inout SignallingTurn) {
        let changes = profile.apply(info, &turn)
        if changes.isDescription { turn.report(.participantUpdated(localParticipant)) }
        guard changes.isPermission else { return }
        turn.report(.localPermissions(ParticipantPermissions(info.permission)))
        publications.allow(info.permission, isUp: isUp(turn), &turn)
    }

    /// What only has to be told.
    private mutating func report(_ message: Livekit_SignalResponse.OneOf_Message, _ turn: inout SignallingTurn) {
        switch message {
        case .speakersChanged(let change):
            let speakers = roster.applySpeakers(change.speakers)
            turn.report(.speakersChanged(speakers.map { (profile.publicID(of: $0.participantID), $0.level) }))
        case .connectionQuality(let update):
            turn.report(
                .connectionQuality(
                    update.updates.map {
                        ParticipantQuality(
                            participantID: profile.publicID(of: $0.participantSid), level: .init($0.quality),
                            score: Double($0.score))
                    }))
        case .streamStateUpdate(let update): turn.report(update.streamStates.compactMap { roster.event($0) })
        case .subscriptionPermissionUpdate(let update): if let event = roster.event(update) { turn.report(event) }
        case .subscriptionResponse(let response): if let event = roster.event(response) { turn.report(event) }
        case .roomUpdate(let update): turn.report(.roomUpdated(RoomInfo(update.room)))
        default: break
        }
    }
}

/// What the server says of tracks of others, as the bridge is told it.
extension RemoteRoster {
    fileprivate func event(_ state: Livekit_StreamStateInfo) -> ProviderEvent? {
        owner(of: state.trackSid).map {
            .streamPaused(state.state == .paused, trackID: state.trackSid, participantID: $0)
        }
    }

    fileprivate func event(_ update: Livekit_SubscriptionPermissionUpdate) -> ProviderEvent? {
        owner(of: update.trackSid).map {
            .subscriptionPermission(isAllowed: update.allowed, trackID: update.trackSid, participantID: $0)
        }
    }

    fileprivate func event(_ response: Livekit_SubscriptionResponse) -> ProviderEvent? {
        let why =
            switch response.err {
            case .seCodecUnsupported: "its codec is not supported"
            case .seTrackNotfound: "there is no such track"
            case .seUnknown, .UNRECOGNIZED: "the server gave no reason"
            }
        return owner(of: response.trackSid).map {
            .subscriptionFailed(trackID: response.trackSid, participantID: $0, detail: why)
        }
    }
}
