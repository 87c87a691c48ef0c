import CallBridge
import LiveKitProtocol
import MediaCore

/// What the server says, and the loops that listen.
extension LiveKitSession {
    /// Starts listening; `join` has just been received.
    func begin(_ join: Livekit_JoinResponse) {
        for participant in join.otherParticipants { applyParticipant(participant) }
        let interval = Double(join.pingInterval > 0 ? join.pingInterval : 5)
        let messages = signal.messages
        let media = publisher.media
        tasks = [
            Task { [weak self] in
                for await message in messages { await self?.handle(message) }
                await self?.signalClosed()
            },
            Task { [weak self] in
                for await event in media.events { await self?.handle(event, fromPublisher: true) }
            },
            Task { [weak self] in
                while !Task.isCancelled {
                    await self?.ping()
                    try? await Task.sleep(for: .seconds(interval))
                }
            },
        ]
        if let subscriber {
            tasks.append(
                Task { [weak self] in
                    for await event in subscriber.events { await self?.handle(event, fromPublisher: false) }
                })
        }
    }

    private func signalClosed() async {
        await finish(.systemShutdown, detail: "the server closed the signalling connection")
    }

    private func ping() async {
        let now = MediaTime.now
        guard Double(now.nanoseconds - lastHeard.nanoseconds) / 1e9 < pingTimeout else {
            return await finish(.systemShutdown, detail: "the server did not answer for \(Int(pingTimeout)) s")
        }
        send { $0.pingReq = .with { $0.timestamp = now.nanoseconds / 1_000_000 } }
    }

    private func handle(_ message: Livekit_SignalResponse) async {
        lastHeard = .now
        switch message.message {
        case .answer(let answer): await handleAnswer(answer)
        case .offer(let offer): await handleOffer(offer)
        case .trickle(let trickle): await handleTrickle(trickle)
        case .update(let update): for participant in update.participants { applyParticipant(participant) }
        case .trackPublished(let published): handlePublished(published)
        case .leave(let leave): await handleLeave(leave)
        case .mute(let mute): serverMuted(mute)
        case .speakersChanged(let change): applySpeakers(change.speakers)
        case .mediaSectionsRequirement(let wanted): await addSections(wanted)
        case .requestResponse(let response): handleRefusal(response)
        case .trackUnpublished(let gone): publications[gone.trackSid] = nil
        default: break
        }
    }

    private func handleLeave(_ leave: Livekit_LeaveRequest) async {
        await finish(CallEndReason(leave.reason), detail: "the server ended our participation: \(leave.reason)")
    }

    private func serverMuted(_ mute: Livekit_MuteTrackRequest) {
        guard let publication = publications[mute.sid] else { return }
        publication.track.isMuted = mute.muted
        send { $0.mute = mute }
        report.yield(.trackMuted(mute.muted, trackID: mute.sid, participantID: local.sid))
    }

    private func applySpeakers(_ changes: [Livekit_SpeakerInfo]) {
        let speakers = roster.applySpeakers(changes)
        report.yield(.speakersChanged(speakers))
    }

    // MARK: Publishing

    func requestPublication(_ track: LocalTrack, source: Track.Source) async throws -> Livekit_TrackInfo {
        guard !hasEnded else { throw CallError(.caller, .invalidArgument, "the call has ended; join again to publish") }
        let request = Livekit_AddTrackRequest(track, source: source)
        let watchdog = Task { [weak self] in
            try await Task.sleep(for: .seconds(10))
            await self?.failPublication(track.id, "the server did not accept the track within 10 s")
        }
        defer { watchdog.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            pendingPublications[track.id] = continuation
            send { $0.addTrack = request }
        }
    }

    private func handlePublished(_ published: Livekit_TrackPublishedResponse) {
        pendingPublications.removeValue(forKey: published.cid)?.resume(returning: published.track)
    }

    private func handleRefusal(_ response: Livekit_RequestResponse) {
        guard case .addTrack(let request) = response.request, response.reason != .ok else { return }
        failPublication(request.cid, "the server refused the track: \(response.reason) \(response.message)")
    }

    private func failPublication(_ id: String, _ why: String) {
        pendingPublications.removeValue(forKey: id)?
            .resume(throwing: CallError(.provider, .providerRefused, "\(why); does the token allow to publish it?"))
    }

    // MARK: Participants

    private func applyParticipant(_ info: Livekit_ParticipantInfo) {
        if info.sid == local.sid {
            if info.version >= local.version { local = info }
            return
        }
        for event in roster.apply(info) { report.yield(event) }
        // Media that was negotiated before its owner was announced can be named now.
        for (track, sid) in roster.claimOrphans() { announce(track, sid: sid) }
    }

    func announce(_ track: RemoteTrack, sid: String) {
        guard let owner = roster.owner(of: sid) else { return roster.orphans.append((track, sid)) }
        report.yield(.trackSubscribed(track, trackID: sid, participantID: owner))
    }
}
