import CallBridge
import LiveKitProtocol
import MediaCore

/// Losses, and how they are repaired: by a resume, which others don't notice, or by joining afresh.
extension SignallingMachine {
    mutating func lost(_ loss: SessionLifecycle.Loss, _ why: String, _ turn: inout SignallingTurn) {
        guard !hasEnded else { return }
        turn.log(.info, "connection lost", reason: why)
        guard case .begin(let attempt) = repair.lost(loss, why) else { return }
        turn.queue.close()
        turn.report(.reconnecting(attempt.mode))
        begin(attempt, &turn)
    }

    private mutating func begin(_ attempt: SessionLifecycle.Attempt, _ turn: inout SignallingTurn) {
        guard attempt.delay > 0 else { return start(attempt, &turn) }
        repair.step = .pause(attempt, until: turn.now.advanced(seconds: attempt.delay))
    }

    mutating func start(_ attempt: SessionLifecycle.Attempt, _ turn: inout SignallingTurn) {
        repair.start(attempt)
        switch attempt.mode {
        case .quick:
            link.drop(&turn)
            let resumption = ClientIdentity.Request.Resumption(
                participant: profile.info.sid, reason: attempt.reason)
            turn.perform(.resume(link.attempt, resuming: resumption))
        case .full:
            // A goodbye lets the server free the old session at once; a dead socket just does not carry it.
            turn.sendAtOnce(.with { $0.leave = .goodbye })
            link.drop(&turn)
            turn.perform(.join(link.attempt))
        }
    }

    /// The attempt under way has come to its end.
    mutating func attemptEnded(_ outcome: SessionLifecycle.Outcome, _ turn: inout SignallingTurn) {
        let before = repair.lifecycle.attempt
        switch repair.attemptEnded(outcome) {
        case .none: break
        case .connected(let mode): restored(mode, &turn)
        case .end(let reason, let detail): end(reason, .init(detail: detail, isOurs: false), &turn)
        case .retry(let next):
            turn.log(.info, "an attempt to reconnect failed", reason: "\(outcome)")
            turn.queue.close()
            if next.mode != before?.mode { turn.report(.reconnecting(next.mode)) }
            begin(next, &turn)
        }
    }

    private mutating func restored(_ mode: ReconnectMode, _ turn: inout SignallingTurn) {
        turn.openQueue()
        sendPermission(&turn)
        turn.report(.reconnected(mode))
        publications.requests.connected(&turn)
        profile.connected(&turn)
    }

    /// Goes on with the attempt under way: media has to stand, then everything is published again.
    mutating func advanceAttempt(_ turn: inout SignallingTurn) {
        switch repair.step {
        case .none, .pause, .connection: break
        case .media(let attempt, let by):
            if let failure = repair.failure { return attemptEnded(failure, &turn) }
            guard paths.stand, !negotiation.offers.isPending else {
                let limit = Int(settings.timeouts.media)
                if by <= turn.now {
                    attemptEnded(.notResumable(repair.explained("media was not connected within \(limit) s")), &turn)
                }
                return
            }
            repair.silentRelay = nil
            guard attempt.mode == .full else { return attemptEnded(.succeeded, &turn) }
            repair.step = .publications(attempt)
            restoreWishes(&turn)
        case .publications: if let failure = repair.failure { attemptEnded(failure, &turn) }
        }
    }

    private mutating func awaitMedia(_ turn: inout SignallingTurn) {
        guard case .connection(let attempt) = repair.step else { return }
        repair.step = .media(attempt, by: turn.now.advanced(seconds: settings.timeouts.media))
    }

    // MARK: Resume

    mutating func resumed(_ result: Result<Livekit_ReconnectResponse, JoinFailure>, _ turn: inout SignallingTurn) {
        let response: Livekit_ReconnectResponse
        switch result {
        case .failure(let failure): return attemptEnded(SessionLifecycle.Outcome(failure), &turn)
        case .success(let success): response = success
        }
        repair.lifecycle.mayResume = response.clientConfiguration.resumeConnection != .disabled
        let servers = ICESettings(response)
        negotiation.isRelayOnly = negotiation.isRelayOnly || servers.relayOnly
        turn.media(.setServers(servers))
        turn.queue.beginResuming()
        data.resumed(lastSequence: response.lastMessageSeq)
        roster.awaitsList = true
        sendSyncState(&turn)
        link.listen(&turn)
        // Looks for the media paths anew; with two connections the server does so for the one that it offers on.
        if paths.isPublisherUsed { negotiation.offers.restart(&turn) }
        awaitMedia(&turn)
    }

    /// Tells a resumed session's server where we stand, so that it can see whether we still mean the same.
    private func sendSyncState(_ turn: inout SignallingTurn) {
        var state = Livekit_SyncState()
        negotiation.describe(in: &state, isSingle: paths.isSingle)
        state.subscription = subscriptions.exceptions(autoSubscribe: settings.subscribesAutomatically)
        state.trackSidsDisabled = subscriptions.disabledTracks
        state.publishTracks = publications.wire
        state.dataChannels = data.sender.wire
        state.datachannelReceiveStates = data.inbox.receiveStates
        turn.send { $0.syncState = state }
    }

    // MARK: Joining afresh

    mutating func joined(_ result: Result<JoinedSession, JoinFailure>, _ turn: inout SignallingTurn) {
        switch result {
        case .failure(let failure):
            if failure.kind == .retryable { link.addresses.rotate() }
            attemptEnded(SessionLifecycle.Outcome(failure), &turn)
        case .success(let joined):
            replaceSession(with: joined, &turn)
            awaitMedia(&turn)
        }
    }

    private mutating func replaceSession(with joined: JoinedSession, _ turn: inout SignallingTurn) {
        turn.report(roster.retractAll())
        settle(negotiation.offers.abandon(), &turn)
        negotiation = Negotiation(
            connections: negotiation.connections + 1, joined,
            answerBy: turn.now.advanced(seconds: settings.timeouts.answer))
        paths = MediaPaths(joined)
        roster.awaitsList = false
        publications.sessionReplaced(&turn)
        turn.queue.forgetSession()
        // What is said from now on belongs to the new session, also before its media stands.
        adopt(joined.response, &turn)
        turn.openQueue()
        turn.report(roster.reconcile(joined.response.otherParticipants))
        data.beginAnew()
        beginMedia(joined, &turn)
    }

    /// Tells the new session what the old one knew: what we publish, what we want to receive, who we are.
    private mutating func restoreWishes(_ turn: inout SignallingTurn) {
        for request in subscriptions.requests(autoSubscribe: settings.subscribesAutomatically, roster: roster) {
            turn.sendAtOnce(request)
        }
        profile.restore(&turn)
        renewPublications(&turn)
    }
}
