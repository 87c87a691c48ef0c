import CallBridge
import LiveKitProtocol
import MediaCore

/// Losses, and how they are repaired: by a resume, which others don't notice, or by joining afresh.
extension LiveKitSession {
    /// Something was lost. Returns at once; the repair runs beside.
    func lost(_ loss: SessionLifecycle.Loss, _ why: String) async {
        guard !hasEnded else { return }
        logger.info("connection lost", metadata: ["reason": "\(why)"])
        switch lifecycle.lost(loss) {
        case .none:
            // Whatever it is, the attempt under way has no longer what it stands on.
            if loss != .publisher, loss != .subscriber {
                attemptFailure = loss == .session ? .notResumable(why) : .unreachable(why)
            }
            wake()
        case .begin(let attempt):
            queue.close()
            report.yield(.reconnecting(attempt.mode))
            recovery = Task { [weak self] in await self?.recover(attempt) }
        }
    }

    private func recover(_ first: SessionLifecycle.Attempt) async {
        var attempt = first
        while true {
            if attempt.delay > 0 { try? await clock.wait(seconds: attempt.delay) }
            guard !hasEnded else { return }
            attemptFailure = nil
            let outcome = attempt.mode == .quick ? await resume(attempt) : await rejoin()
            guard !hasEnded else { return }
            switch lifecycle.attemptEnded(attemptFailure ?? outcome) {
            case .none: return
            case .connected(let mode): return restored(mode)
            case .end(let reason, let detail): return await finish(reason, detail: detail)
            case .retry(let next):
                logger.info("attempt \(attempt.number) to reconnect failed", metadata: ["outcome": "\(outcome)"])
                queue.close()
                if next.mode != attempt.mode { report.yield(.reconnecting(next.mode)) }
                attempt = next
            }
        }
    }

    private func restored(_ mode: ReconnectMode) {
        for message in queue.open() { signal.send(message) }
        send { $0.subscriptionPermission = wishes.permission(of: publications) }
        report.yield(.reconnected(mode))
        wake()
    }

    // MARK: Resume

    private func resume(_ attempt: SessionLifecycle.Attempt) async -> SessionLifecycle.Outcome {
        dropSignal()
        let server = addresses.current
        let opener = SignalOpener(timeouts: timeouts, clock: clock)
        let response: Livekit_ReconnectResponse
        let fresh: SignalConnection
        do throws(JoinFailure) {
            fresh = try await opener.open(server, single: isSingle, query: resumeQuery(attempt), token: token)
            response = try await opener.first(on: fresh, of: server, what: "reconnect response") { message in
                if case .reconnect(let response) = message { response } else { nil }
            }
        } catch {
            return SessionLifecycle.Outcome(error)
        }
        guard !hasEnded else {
            fresh.abandon()
            return .unreachable("the call has ended")
        }
        lifecycle.mayResume = response.clientConfiguration.resumeConnection != .disabled
        signal = fresh
        let wishes = ICEWishes(response)
        isRelayOnly = isRelayOnly || wishes.relayOnly
        await wishes.apply(to: publisher.media)
        if let subscriber { await wishes.apply(to: subscriber) }
        queue.beginResuming()
        dataResumed(lastSequence: response.lastMessageSeq)
        awaitsRoster = true
        await sendSyncState()
        listen()
        return await restartPaths()
    }

    private func resumeQuery(_ attempt: SessionLifecycle.Attempt) -> [(String, String)] {
        var request = joiner.request
        request.resuming = .init(participant: local.sid, reason: attempt.reason)
        guard isSingle else { return ClientIdentity.query(request) }
        return (try? ClientIdentity.joinRequest(request, offer: nil)) ?? []
    }

    /// Forgets the old socket. It is not waited for: its path may be dead.
    private func dropSignal() {
        stopListening()
        signal.abandon()
    }

    /// Looks for the media paths anew; with two connections the server does so for the one that it offers on.
    private func restartPaths() async -> SessionLifecycle.Outcome {
        do {
            if paths.isPublisherUsed { sendOffer(try await publisher.restartOffer()) }
        } catch {
            return .notResumable("no offer can be made: \(error)")
        }
        return await mediaStands()
    }

    private func mediaStands() async -> SessionLifecycle.Outcome {
        let outcome = await wait(seconds: timeouts.media) { session -> SessionLifecycle.Outcome? in
            if let failure = session.attemptFailure { return failure }
            if session.hasEnded { return .unreachable("the call has ended") }
            guard session.paths.stand, await session.publisher.pendingOffer == nil else { return nil }
            return .succeeded
        }
        return outcome ?? .notResumable("media was not connected within \(Int(timeouts.media)) s")
    }

    // MARK: Joining afresh

    private func rejoin() async -> SessionLifecycle.Outcome {
        // A goodbye lets the server free the old session at once; a dead socket just does not carry it.
        signal.send(
            .with {
                $0.leave = .with {
                    $0.reason = .clientInitiated; $0.action = .disconnect
                }
            })
        dropSignal()
        let server = addresses.current
        let joined: SessionJoiner.Joined
        do throws(JoinFailure) {
            joined = try await joiner.join(server, token: token, retries: 0)
        } catch {
            if error.kind == .retryable { addresses.rotate() }
            return SessionLifecycle.Outcome(error)
        }
        guard !hasEnded else {
            joined.signal.abandon()
            await joined.publisher.media.close()
            await joined.subscriber?.close()
            return .unreachable("the call has ended")
        }
        await replaceSession(with: joined)
        let outcome = await mediaStands()
        guard outcome == .succeeded else { return outcome }
        return await restoreWishes() ? .succeeded : .unreachable("the new session was lost at once")
    }

    private func replaceSession(with joined: SessionJoiner.Joined) async {
        let counted = await statistics()
        retractAll()
        let old = (publisher.media, subscriber)
        for task in mediaTasks { task.cancel() }
        replacedMedia = Task {
            await old.0.close()
            await old.1?.close()
        }
        replaced = counted
        signal = joined.signal
        publisher = joined.publisher
        subscriber = joined.subscriber
        (subscriberOffer, subscriberAnswer) = (nil, nil)
        paths = MediaPaths(joined)
        awaitsRoster = false
        replacePendingPublications()
        queue.forgetSession()
        // What is said from now on belongs to the new session, also before its media stands.
        let kept = queue.open()
        adopt(joined.response)
        for message in kept { signal.send(message) }
        for event in roster.reconcile(joined.response.otherParticipants) { report.yield(event) }
        if joined.response.hasRoom { report.yield(.roomUpdated(RoomInfo(joined.response.room))) }
        candidates = CandidateGate()
        await openDataChannels(joined.response.serverInfo)
        await beginMedia(joined.response)
    }

    /// Tells the new session what the old one knew: what we publish, what we want to receive, who we are.
    private func restoreWishes() async -> Bool {
        for request in wishes.requests(autoSubscribe: joiner.context.subscribesAutomatically, roster: roster) {
            signal.send(request)
        }
        restoreProfile()
        return await republish()
    }
}
