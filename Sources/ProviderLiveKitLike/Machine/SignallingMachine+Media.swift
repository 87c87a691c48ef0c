import CallBridge
import LiveKitProtocol
import MediaCore

/// Descriptions and candidates, and what the media connections report.
extension SignallingMachine {
    mutating func takeNegotiation(_ message: Livekit_SignalResponse.OneOf_Message, _ turn: inout SignallingTurn) {
        switch message {
        case .answer(let answer):
            guard negotiation.offers.admits(answer) else { return }
            roster.midToTrack.merge(answer.midToTrackID) { $1 }
            turn.media(.setAnswer(answer))
        case .offer(let offer): if !paths.isSingle { turn.media(.answer(offer)) }
        case .trickle(let trickle):
            guard let candidate = CandidateJSON.decode(trickle.candidateInit) else { return }
            let isSubscriber = trickle.target == .subscriber && !paths.isSingle
            turn.media(.addCandidate(candidate, isSubscriber ? .subscriber : .publisher))
        case .mediaSectionsRequirement(let wanted):
            // More sections to send to us on; 0 and 0 only asks for another offer.
            turn.media(
                .addReceivers(audio: Int(min(wanted.numAudios, 256)), video: Int(min(wanted.numVideos, 256))))
            negotiate(nil, &turn)
        default: break
        }
    }

    /// Opens the channels of a new set of media connections, listens, and offers what belongs at its beginning.
    mutating func beginMedia(_ joined: JoinedSession, _ turn: inout SignallingTurn) {
        if joined.response.hasRoom { turn.report(.roomUpdated(RoomInfo(joined.response.room))) }
        let isNegotiated = joined.isSingle && joined.response.serverInfo.protocol >= SessionChannel.negotiatedProtocol
        turn.media(.prepareChannels(isNegotiated: isNegotiated))
        // With one connection the offer came with the request to join.
        if let offer = joined.offer { negotiation.described(.publisher, sdp: offer.sdp, &turn) }
        link.listen(&turn)
        // With two connections a server that publishes fast wants our offer before there is anything to send.
        if !joined.isSingle, joined.response.fastPublish { negotiate(nil, &turn) }
    }

    mutating func take(_ input: MediaInput, _ turn: inout SignallingTurn) {
        switch input {
        case .event(let event, let side): take(event, side, &turn)
        case .channelsPrepared(let channels): data.prepared(channels)
        case .channelOpened(let kind): data.opened(kind)
        case .channelClosed(let kind): data.closed(kind)
        case .received(let bytes, let kind):
            data.received(bytes, kind, identity: profile.info.identity, &turn)
        case .room(let kind, let buffered, let longest):
            data.room(kind, buffered: buffered, longest: longest, &turn)
        case .trackAdded(let cid): follow(publications.added(cid, &turn), &turn)
        case .trackRefused(let cid, let why): follow(publications.notAdded(cid, why, &turn), &turn)
        case .offerMade, .offerFailed, .answerTaken, .answerRefused, .answerMade, .offerRefused, .sectionsRefused:
            takeDescription(input, &turn)
        }
    }

    private mutating func takeDescription(_ input: MediaInput, _ turn: inout SignallingTurn) {
        switch input {
        case .offerMade(let number, let sdp): offerMade(number, sdp, &turn)
        case .offerFailed(let number, let why): offerFailed(number, why, &turn)
        case .answerTaken(let answer): negotiation.offers.took(answer, &turn)
        case .answerRefused(_, let why):
            if negotiation.offers.isTakingAnswer { lost(.session, "the server's answer can't be used: \(why)", &turn) }
        case .answerMade(let offer, let sdp): negotiation.answered(offer, sdp: sdp, &turn)
        case .offerRefused(let why): lost(.session, "the server's offer can't be used: \(why)", &turn)
        case .sectionsRefused(let why): lost(.session, "the media connection can't be extended: \(why)", &turn)
        default: break
        }
    }

    private mutating func offerMade(_ number: UInt32, _ sdp: String, _ turn: inout SignallingTurn) {
        let answerBy = turn.now.advanced(seconds: settings.timeouts.answer)
        guard let (offer, completions) = negotiation.offers.made(number, sdp: sdp, answerBy: answerBy) else { return }
        turn.send { $0.offer = offer }
        negotiation.described(.publisher, sdp: sdp, &turn)
        settle(completions, &turn)
    }

    private mutating func offerFailed(_ number: UInt32, _ why: String, _ turn: inout SignallingTurn) {
        guard let completions = negotiation.offers.failed(number) else { return }
        for case .command(let command, _) in completions {
            turn.fail(command, CallError(.environment, .mediaUnavailable, "no offer can be made: \(why)"))
        }
        lost(.session, "no offer can be made: \(why)", &turn)
    }

    // MARK: Events

    private mutating func take(_ event: MediaSessionEvent, _ side: MediaPaths.Side, _ turn: inout SignallingTurn) {
        switch event {
        case .localCandidate(let candidate): negotiation.found(candidate, side, &turn)
        case .connected(let profile):
            repair.hasHadMedia = true
            // With two connections the one that we receive on is there from the start; it decides.
            if side == paths.primary { turn.report(.mediaConnected(srtpProfile: profile)) }
        case .stateChanged(let state): stateChanged(side, state, &turn)
        case .trackAdded(let track): announce(track, sid: roster.sid(of: track, isSingle: paths.isSingle), &turn)
        case .trackRemoved(let track): turn.report(roster.retract(track))
        case .audioLevels(let levels): turn.report(.audioLevels(roster.named(levels)))
        case .noRelay(let why):
            // What never worked is not tried again and again: most likely the credentials are wrong.
            guard repair.hasHadMedia else {
                return end(.systemShutdown, .init(detail: why, isOurs: false), &turn)
            }
            lost(.session, why, &turn)
        case .relaySilent(let why): repair.silentRelay = why
        // Media goes on from another address by itself; a connection from there would be found dead only by its pings.
        case .localAddressLost(let address): link.lost(address, &turn)
        case .failed where paths.isEnded: break
        case .failed(let why): lost(.session, "the media connection failed: \(why)", &turn)
        case .dataChannelOpened, .dataChannelMessage, .dataChannelClosed: break
        }
    }

    private mutating func stateChanged(
        _ side: MediaPaths.Side, _ state: SessionState, _ turn: inout SignallingTurn
    ) {
        let isConnected = repair.lifecycle.isConnected
        switch paths.update(side, state, now: turn.now) {
        // A server that closes the media says over signalling why, on a way that may be slower: it is waited for.
        case .none, .ended: break
        case .impaired: if isConnected { turn.report(.reconnecting(.quick)) }
        case .recovered:
            repair.silentRelay = nil
            if isConnected, !paths.isImpaired { turn.report(.reconnected(.quick)) }
        case .lost:
            lost(
                side == .publisher ? .publisher : .subscriber,
                repair.explained("no network path to the server answers any more"), &turn)
        }
    }

    mutating func announce(_ track: RemoteTrack, sid: String, _ turn: inout SignallingTurn) {
        guard let (event, protection) = roster.announce(track, sid: sid) else { return }
        turn.perform(.protect(track, protection))
        turn.report(event)
    }
}
