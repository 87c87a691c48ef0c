import CallBridge
import LiveKitProtocol
import MediaCore

/// Negotiation of the media connections, and what they report.
extension LiveKitSession {
    /// Offers on the connection that we offer on; while an answer is out the offer waits for it.
    func negotiate() async throws {
        guard let offer = try await publisher.nextOffer() else { return }
        sendOffer(offer)
    }

    func sendOffer(_ offer: Livekit_SessionDescription) {
        paths.isPublisherUsed = true
        send { $0.offer = offer }
        described(.publisher, offer)
        watchAnswer()
    }

    /// A description of ours was sent: what has waited for it may follow.
    func described(_ side: MediaPaths.Side, _ description: Livekit_SessionDescription) {
        for candidate in candidates.described(side, sdp: description.sdp) { sendCandidate(candidate, side) }
    }

    private func sendCandidate(_ candidate: SessionCandidate, _ side: MediaPaths.Side) {
        send {
            $0.trickle = .with {
                $0.candidateInit = CandidateJSON.encode(candidate)
                $0.target = side == .publisher ? .publisher : .subscriber
            }
        }
    }

    /// An offer that stays unanswered is the end of the session: the two sides no longer agree on what is open.
    func watchAnswer() {
        let watched = publisher
        let limit = timeouts.answer
        Task { [weak self, clock] in
            guard let offer = await watched.pendingOffer else { return }
            try? await clock.wait(seconds: limit)
            guard await watched.pendingOffer == offer else { return }
            await self?.answerMissing(watched)
        }
    }

    private func answerMissing(_ watched: Negotiation) async {
        guard watched === publisher, lifecycle.isConnected else { return }
        await lost(.session, "the server did not answer an offer within \(Int(timeouts.answer)) s")
    }

    func handleAnswer(_ answer: Livekit_SessionDescription) async {
        let publisher = self.publisher
        guard await publisher.isAwaited(answer) else { return }
        roster.midToTrack.merge(answer.midToTrackID) { $1 }
        do {
            let next = try await publisher.takeAnswer(answer)
            guard publisher === self.publisher else { return }
            if let next { sendOffer(next) }
            wake()
        } catch {
            await lost(.session, "the server's answer can't be used: \(error)")
        }
    }

    /// Only with two connections: the server offers what we receive.
    func handleOffer(_ offer: Livekit_SessionDescription) async {
        guard let subscriber else { return }
        do {
            let answer = try await subscriber.createAnswer(to: SessionDescription(kind: .offer, sdp: offer.sdp))
            guard subscriber === self.subscriber else { return }
            let reply = Livekit_SessionDescription.with {
                $0.type = "answer"
                $0.sdp = answer.sdp
                $0.id = offer.id
            }
            (subscriberOffer, subscriberAnswer) = (offer, reply)
            send { $0.answer = reply }
            described(.subscriber, reply)
        } catch {
            await lost(.session, "the server's offer can't be used: \(error)")
        }
    }

    func handleTrickle(_ trickle: Livekit_TrickleRequest) async {
        guard let candidate = CandidateJSON.decode(trickle.candidateInit) else { return }
        let media = trickle.target == .subscriber ? subscriber ?? publisher.media : publisher.media
        try? await media.addRemoteCandidate(candidate)
    }

    /// The server wants more sections to send to us on; 0 and 0 only asks for another offer.
    func addSections(_ wanted: Livekit_MediaSectionsRequirement) async {
        do {
            try await publisher.media.addReceivers(
                audio: Int(min(wanted.numAudios, 256)), video: Int(min(wanted.numVideos, 256)))
            try await negotiate()
        } catch {
            await lost(.session, "the media connection can't be extended: \(error)")
        }
    }

    // MARK: What the media connections report

    func handle(_ event: MediaSessionEvent, _ side: MediaPaths.Side, _ number: Int) async {
        guard number == mediaNumber, !hasEnded else { return }
        switch event {
        case .localCandidate(let candidate):
            // Some were found before the server had said so.
            guard !isRelayOnly || candidate.isRelayed, candidates.admits(candidate, side) else { return }
            sendCandidate(candidate, side)
        case .connected(let profile):
            hasHadMedia = true
            // With two connections the one that we receive on is there from the start; it decides.
            if side == paths.primary { report.yield(.mediaConnected(srtpProfile: profile)) }
        case .stateChanged(let state): await stateChanged(side, state)
        case .trackAdded(let track): announce(track, sid: sid(of: track))
        case .trackRemoved(let track): retract(track)
        case .audioLevels(let levels): reportLevels(levels)
        case .dataChannelOpened(let channel): channelOpened(channel)
        case .dataChannelMessage(let channel, let bytes, _): received(bytes, on: channel)
        case .dataChannelClosed(let channel): channelClosed(channel)
        case .noRelay(let why):
            // What never worked is not tried again and again: most likely the credentials are wrong.
            guard hasHadMedia else { return await finish(.systemShutdown, detail: why) }
            await lost(.session, why)
        case .failed where paths.isEnded: break
        case .failed(let why): await lost(.session, "the media connection failed: \(why)")
        }
    }

    private func stateChanged(_ side: MediaPaths.Side, _ state: SessionState) async {
        let now = clock.now
        switch paths.update(side, state, now: now) {
        case .none: break
        case .impaired:
            if lifecycle.isConnected { report.yield(.reconnecting(.quick)) }
            watchImpairment(side, since: now)
        case .recovered:
            if lifecycle.isConnected, !paths.isImpaired { report.yield(.reconnected(.quick)) }
        case .lost:
            await lost(side == .publisher ? .publisher : .subscriber, "no network path to the server answers any more")
        case .ended: awaitReason(side)
        }
        wake()
    }

    /// A server that closes the media says over signalling why, on a way that may be slower: it is waited for.
    private func awaitReason(_ side: MediaPaths.Side) {
        let number = mediaNumber
        let limit = timeouts.reason
        Task { [weak self, clock] in
            try? await clock.wait(seconds: limit)
            await self?.reasonMissing(side, number)
        }
    }

    private func reasonMissing(_ side: MediaPaths.Side, _ number: Int) async {
        guard number == mediaNumber, paths[side] == .closed else { return }
        await lost(side == .publisher ? .publisher : .subscriber, "the server closed the media connection")
    }

    /// A path that stays silent is looked for anew.
    private func watchImpairment(_ side: MediaPaths.Side, since moment: MediaTime) {
        let number = mediaNumber
        let limit = timeouts.impairment
        Task { [weak self, clock] in
            try? await clock.wait(seconds: limit)
            await self?.impairmentLasted(side, since: moment, number)
        }
    }

    private func impairmentLasted(_ side: MediaPaths.Side, since moment: MediaTime, _ number: Int) async {
        guard number == mediaNumber, !paths.isEnded, paths.isSilent(side, since: moment) else { return }
        await lost(side == .publisher ? .publisher : .subscriber, "the media path has been silent for too long")
    }

    private func reportLevels(_ levels: [AudioLevelReport]) {
        let named = levels.compactMap { level in
            roster.owner(of: level.trackID).map {
                ParticipantLevel(participantID: $0, level: level.level, atNanoseconds: level.atNanoseconds)
            }
        }
        report.yield(.audioLevels(named))
    }

    // MARK: Remote tracks

    func announce(_ track: RemoteTrack, sid: String) {
        guard let owner = roster.owner(of: sid) else { return roster.orphans.append((track, sid)) }
        roster.received[ObjectIdentifier(track)] = (track, sid)
        track.protection = roster.protection(of: sid)
        report.yield(.trackSubscribed(track, trackID: sid, participantID: owner))
    }

    private func retract(_ track: RemoteTrack) {
        roster.orphans.removeAll { $0.track === track }
        guard let (_, sid) = roster.received.removeValue(forKey: ObjectIdentifier(track)),
            let owner = roster.owner(of: sid)
        else { return }
        report.yield(.trackUnsubscribed(trackID: sid, participantID: owner))
    }

    /// The media connections are being replaced: nothing arrives on the old ones.
    func retractAll() {
        for (track, _) in Array(roster.received.values) { retract(track) }
        roster.orphans.removeAll()
        roster.midToTrack.removeAll()
    }

    /// The server's id of a negotiated track: by its section in the single mode, else from its stream id `PA_...|TR_...`.
    private func sid(of track: RemoteTrack) -> String {
        if isSingle, let sid = roster.midToTrack[track.mid] { return sid }
        if let bar = track.streamID.firstIndex(of: "|") {
            let rest = String(track.streamID[track.streamID.index(after: bar)...])
            if rest.hasPrefix("TR_") { return rest }
        }
        return track.trackID
    }
}
