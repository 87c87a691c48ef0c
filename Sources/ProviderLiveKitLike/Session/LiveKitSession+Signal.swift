import CallBridge
import LiveKitProtocol
import MediaCore

/// What the server says. A message that we do not know is harmless.
extension LiveKitSession {
    func handle(_ message: Livekit_SignalResponse) async {
        switch message.message {
        case .answer(let answer): await handleAnswer(answer)
        case .offer(let offer): await handleOffer(offer)
        case .trickle(let trickle): await handleTrickle(trickle)
        case .mediaSectionsRequirement(let wanted): await addSections(wanted)
        case .update(let update): applyParticipants(update.participants)
        case .speakersChanged(let change): applySpeakers(change.speakers)
        case .connectionQuality(let update): applyQuality(update.updates)
        case .streamStateUpdate(let update): applyStreamStates(update.streamStates)
        case .subscribedQualityUpdate(let update): await applyWantedLayers(update)
        case .subscriptionPermissionUpdate(let update): applyPermission(update)
        case .subscriptionResponse(let response): subscriptionFailed(response)
        case .trackPublished(let published): handlePublished(published)
        case .trackUnpublished(let gone): await lostPublication(sid: gone.trackSid)
        case .trackSubscribed(let first): firstSubscriber(sid: first.trackSid)
        case .mute(let mute): serverMuted(mute)
        case .requestResponse(let response): handleResponse(response)
        case .roomUpdate(let update): report.yield(.roomUpdated(RoomInfo(update.room)))
        case .roomMoved(let move): moved(move)
        case .refreshToken(let fresh): if !fresh.isEmpty { token = fresh }
        case .pongResp(let pong): ping.answered(pong, now: clock.now)
        case .leave(let leave): await handleLeave(leave)
        default: break
        }
    }

    private func handleLeave(_ leave: Livekit_LeaveRequest) async {
        if leave.hasRegions { addresses.adopt(leave.regions) }
        let why = "the server ended the connection: \(leave.reason.explanation)"
        switch leave.action {
        case .resume: await lost(.signal, why)
        case .reconnect: await lost(.session, why)
        case .disconnect where !leave.isFinal: await lost(.session, why)
        case .disconnect, .UNRECOGNIZED:
            if let exclusion = CallExclusion(leave.reason) { report.yield(.excluded(exclusion)) }
            await finish(
                CallEndReason(leave.reason), detail: "the server ended our participation: \(leave.reason.explanation)")
        }
    }

    /// The server carries us over into another room; the connections stay.
    private func moved(_ move: Livekit_RoomMovedResponse) {
        if !move.token.isEmpty { token = move.token }
        if move.hasParticipant { local = move.participant }
        for event in roster.reconcile(move.otherParticipants) { report.yield(event) }
        report.yield(.roomUpdated(RoomInfo(move.room)))
    }

    // MARK: Participants

    private func applyParticipants(_ participants: [Livekit_ParticipantInfo]) {
        if awaitsRoster, participants.contains(where: { $0.sid == local.sid }) {
            awaitsRoster = false
            for event in roster.reconcile(participants.filter { $0.sid != local.sid }) { report.yield(event) }
        }
        for participant in participants { applyParticipant(participant) }
    }

    func applyParticipant(_ info: Livekit_ParticipantInfo) {
        guard info.sid != local.sid else { return applyLocal(info) }
        let known = roster.identity(of: info.sid)
        for event in roster.apply(info) {
            if case .participantLeft = event, let known { dataSenderLeft(known) }
            report.yield(event)
        }
        // Media that was negotiated before its owner was announced can be named now.
        for (track, sid) in roster.claimOrphans() { announce(track, sid: sid) }
    }

    /// What the server says of ourselves.
    func applyLocal(_ info: Livekit_ParticipantInfo) {
        guard info.version >= local.version || info.version == 0 else { return }
        let before = local
        local = info
        if before.name != info.name || before.metadata != info.metadata || before.attributes != info.attributes {
            report.yield(.participantUpdated(localParticipant))
        }
        if info.hasPermission, before.permission != info.permission {
            report.yield(.localPermissions(ParticipantPermissions(info.permission)))
            applyPublishPermission()
        }
        settleRequests()
    }

    /// The bridge's id of a participant: ours never changes.
    func publicID(of sid: String) -> String { sid == local.sid ? publicID : sid }

    private func applySpeakers(_ changes: [Livekit_SpeakerInfo]) {
        let speakers = roster.applySpeakers(changes)
        report.yield(.speakersChanged(speakers.map { (publicID(of: $0.participantID), $0.level) }))
    }

    private func applyQuality(_ updates: [Livekit_ConnectionQualityInfo]) {
        report.yield(
            .connectionQuality(
                updates.map {
                    ParticipantQuality(
                        participantID: publicID(of: $0.participantSid), level: .init($0.quality),
                        score: Double($0.score))
                }))
    }

    private func applyStreamStates(_ states: [Livekit_StreamStateInfo]) {
        for state in states {
            guard let owner = roster.owner(of: state.trackSid) else { continue }
            report.yield(
                .streamPaused(state.state == .paused, trackID: state.trackSid, participantID: owner))
        }
    }

    private func applyPermission(_ update: Livekit_SubscriptionPermissionUpdate) {
        guard let owner = roster.owner(of: update.trackSid) else { return }
        report.yield(
            .subscriptionPermission(isAllowed: update.allowed, trackID: update.trackSid, participantID: owner))
    }

    private func subscriptionFailed(_ response: Livekit_SubscriptionResponse) {
        guard let owner = roster.owner(of: response.trackSid) else { return }
        let why =
            switch response.err {
            case .seCodecUnsupported: "its codec is not supported"
            case .seTrackNotfound: "there is no such track"
            case .seUnknown, .UNRECOGNIZED: "the server gave no reason"
            }
        report.yield(.subscriptionFailed(trackID: response.trackSid, participantID: owner, detail: why))
    }
}

extension Livekit_LeaveRequest {
    /// We are not to come back. Servers that know no actions say only where coming back is welcome.
    var isFinal: Bool { action != .resume && action != .reconnect && !canReconnect }
}
