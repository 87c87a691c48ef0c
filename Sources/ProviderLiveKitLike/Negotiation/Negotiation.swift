import LiveKitProtocol
import MediaCore

/// Descriptions and candidates of one set of media connections. A value.
struct Negotiation {
    /// Counts the sets: what an older one still reports does not matter.
    let connections: Int
    /// On the connection that we offer on.
    var offers: OfferExchange
    /// The last offer of the server, and our answer to it; only with two connections.
    private(set) var subscriberOffer: KeptDescription?
    private(set) var subscriberAnswer: KeptDescription?
    private var candidates = CandidateGate()
    /// The server allows relayed candidates only.
    var isRelayOnly: Bool

    init(connections: Int, _ joined: JoinedSession, answerBy: MediaTime) {
        self.connections = connections
        offers = joined.offer.map { OfferExchange($0, answerBy: answerBy) } ?? OfferExchange()
        isRelayOnly = ICESettings(joined.response).relayOnly
    }

    /// One of our addresses was found.
    mutating func found(_ candidate: SessionCandidate, _ side: MediaPaths.Side, _ turn: inout SignallingTurn) {
        // Some were found before the server had said so.
        guard !isRelayOnly || candidate.isRelayed, candidates.admits(candidate, side) else { return }
        send(candidate, side, &turn)
    }

    /// A description of ours was sent: what has waited for it may follow.
    mutating func described(_ side: MediaPaths.Side, sdp: String, _ turn: inout SignallingTurn) {
        for candidate in candidates.described(side, sdp: sdp) { send(candidate, side, &turn) }
    }

    private func send(_ candidate: SessionCandidate, _ side: MediaPaths.Side, _ turn: inout SignallingTurn) {
        turn.send {
            $0.trickle = .with {
                $0.candidateInit = CandidateJSON.encode(candidate)
                $0.target = side == .publisher ? .publisher : .subscriber
            }
        }
    }

    /// Our answer to an offer of the server can be sent.
    mutating func answered(_ offer: Livekit_SessionDescription, sdp: String, _ turn: inout SignallingTurn) {
        let reply = Livekit_SessionDescription.with {
            $0.type = "answer"
            $0.sdp = sdp
            $0.id = offer.id
        }
        (subscriberOffer, subscriberAnswer) = (.whole(offer), .whole(reply))
        turn.send { $0.answer = reply }
        described(.subscriber, sdp: sdp, &turn)
    }

    /// Time has gone by, and no description is under way: what is kept of them may take less memory.
    mutating func fold() {
        offers.fold()
        subscriberOffer?.fold()
        subscriberAnswer?.fold()
    }

    /// What a resumed session's server is told: the last offer and answer of the connection that we receive on.
    func describe(in state: inout Livekit_SyncState, isSingle: Bool) {
        if let offer = (isSingle ? offers.lastOffer : subscriberOffer)?.message { state.offer = offer }
        if let answer = (isSingle ? offers.lastAnswer : subscriberAnswer)?.message { state.answer = answer }
        // What is on which section is the server's to say.
        if isSingle { state.answer.midToTrackID = [:] }
    }
}
