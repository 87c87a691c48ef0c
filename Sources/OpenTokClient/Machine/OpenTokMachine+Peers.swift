import OpenTokSignalling
import RTCWire

/// Offers, answers and candidates, and what the media connections report.
extension OpenTokMachine {
    mutating func negotiate(_ peer: RaptorPeer, _ step: RaptorNegotiation, _ turn: inout ClientTurn) {
        if case .generateOffer = step { return generateOffer(peer, &turn) }
        guard var state = peers[peer] else { return }
        let isOurs = publishers[peer.stream] != nil
        let actions: [PeerAction]
        switch step {
        case .offer(let sdp): actions = isOurs ? [] : state.take(offer: sdp, own.iceServers)
        case .answer(let sdp): actions = isOurs ? state.take(answer: sdp) : []
        case .candidate(let candidate): actions = state.take(candidate: candidate)
        // The answer itself follows.
        case .provisionalAnswer, .generateOffer: actions = []
        }
        peers[peer] = state
        for action in actions { turn.peer(action, peer) }
    }

    mutating func take(_ report: PeerReport, _ peer: RaptorPeer, _ turn: inout ClientTurn) {
        guard peers[peer] != nil else { return }
        switch report {
        case .offerMade(let sdp): introduce(.offer(sdp: sdp), peer, &turn)
        case .answerMade(let sdp): introduce(.answer(sdp: sdp), peer, &turn)
        case .candidate(let candidate): send(peers[peer]?.found(candidate) ?? [], peer, &turn)
        case .connected: connected(peer, &turn)
        case .disconnected: lost(peer, &turn)
        case .failed(let why): failed(peer, why, isFinal: false, &turn)
        case .broken(let why): failed(peer, why, isFinal: true, &turn)
        case .mediaBegan(let kind): media(true, kind, peer, &turn)
        case .mediaEnded(let kind): media(false, kind, peer, &turn)
        }
    }

    private mutating func introduce(
        _ description: RaptorNegotiation, _ peer: RaptorPeer, _ turn: inout ClientTurn
    ) {
        send(peers[peer]?.introduce(description) ?? [], peer, &turn)
    }

    private mutating func send(_ steps: [RaptorNegotiation], _ peer: RaptorPeer, _ turn: inout ClientTurn) {
        for step in steps where !hasEnded { ask(.negotiate(peer, step), &turn) }
    }

    private mutating func connected(_ peer: RaptorPeer, _ turn: inout ClientTurn) {
        peers[peer]?.standing = .connected
        peers[peer]?.failures = 0
        if publishers[peer.stream] != nil {
            if case .stream = peer { publishers[peer.stream]?.isConnected = true }
            return settleIfReady(peer.stream, &turn)
        }
        guard subscribers.subscriber(of: peer) != nil else { return }
        subscribers[peer.stream]?.deadline = nil
        subscribers[peer.stream]?.attempts = 1
    }

    private mutating func lost(_ peer: RaptorPeer, _ turn: inout ClientTurn) {
        if peers[peer]?.standing == .connected { peers[peer]?.standing = .lost }
    }

    private mutating func failed(_ peer: RaptorPeer, _ why: String, isFinal: Bool, _ turn: inout ClientTurn) {
        lost(peer, &turn)
        guard publishers[peer.stream] == nil else { return publisherFailed(peer, why, isFinal: isFinal, &turn) }
        guard subscribers.subscriber(of: peer) != nil else { return }
        guard !isFinal else { return subscribeAnew(peer.stream, why, &turn) }
        // The side that offers looks for new paths; where it does not in time, another subscriber of ours does.
        subscribers[peer.stream]?.deadline = turn.now + settings.limits.repair
        ask(.negotiate(peer, .generateOffer), &turn)
    }
}
