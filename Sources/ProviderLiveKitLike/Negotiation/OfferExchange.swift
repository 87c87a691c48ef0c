import LiveKitProtocol
import MediaCore

/// The connection that we offer on: one offer at a time, the next one after its answer. A value.
struct OfferExchange {
    /// Who waits for an offer to be sent.
    enum Completion: Sendable {
        case command(CommandID, CommandValue)
        /// A track that is published again after a full reconnect.
        case renewal
    }

    private enum State {
        case idle
        /// The media connection makes it.
        case making
        /// The server has it; it answers until then. Nil where that time has passed: the answer may still come.
        case sent(answerBy: MediaTime?)
        /// The media connection takes the answer.
        case answered
    }

    private var state = State.idle
    private var number: UInt32 = 0
    private var isWanted = false
    private var completions: [Completion] = []
    /// The last offer that we made, answered or not.
    private(set) var lastOffer: KeptDescription?
    /// The last answer that was taken.
    private(set) var lastAnswer: KeptDescription?

    init() {}

    /// An offer was sent already, with the request to join.
    init(_ offer: Livekit_SessionDescription, answerBy: MediaTime) {
        lastOffer = .whole(offer)
        number = offer.id
        state = .sent(answerBy: answerBy)
    }

    /// An offer has no answer yet.
    var isPending: Bool { if case .idle = state { false } else { true } }

    /// When the answer has to be there.
    var deadline: MediaTime? { if case .sent(let answerBy) = state { answerBy } else { nil } }

    /// An offer is wanted. While another one is out it waits for the answer to that, and nobody waits for it.
    mutating func want(_ completion: Completion?, _ turn: inout SignallingTurn) -> [Completion] {
        guard isPending else {
            if let completion { completions.append(completion) }
            make(restartingICE: false, &turn)
            return []
        }
        isWanted = true
        return completion.map { [$0] } ?? []
    }

    /// An offer with new ICE credentials; one that was never answered is replaced by it.
    mutating func restart(_ turn: inout SignallingTurn) { make(restartingICE: true, &turn) }

    private mutating func make(restartingICE: Bool, _ turn: inout SignallingTurn) {
        state = .making
        isWanted = false
        number &+= 1
        turn.media(.createOffer(number: number, restartingICE: restartingICE))
    }

    /// The offer to send and who has waited for it; nil where another one has replaced it.
    mutating func made(
        _ number: UInt32, sdp: String, answerBy: MediaTime
    ) -> (offer: Livekit_SessionDescription, completions: [Completion])? {
        guard case .making = state, number == self.number else { return nil }
        let offer = Livekit_SessionDescription.with {
            $0.type = "offer"
            $0.id = number
            $0.sdp = sdp
        }
        lastOffer = .whole(offer)
        state = .sent(answerBy: answerBy)
        return (offer, abandon())
    }

    /// No offer will be made: gives who has waited for it; nil where that does not matter.
    mutating func failed(_ number: UInt32) -> [Completion]? {
        guard case .making = state, number == self.number else { return nil }
        state = .idle
        return abandon()
    }

    /// Whoever waits for an offer waits in vain.
    mutating func abandon() -> [Completion] {
        defer { completions = [] }
        return completions
    }

    /// Whether this answers the offer that is out, and is to be taken. A server that does not number its answers means
    /// the last one.
    mutating func admits(_ answer: Livekit_SessionDescription) -> Bool {
        guard case .sent = state, answer.id == 0 || answer.id == number else { return false }
        state = .answered
        return true
    }

    /// The media connection has taken an answer: makes the offer that has been waiting for it.
    mutating func took(_ answer: Livekit_SessionDescription, _ turn: inout SignallingTurn) {
        lastAnswer = .whole(answer)
        guard case .answered = state else { return }
        state = .idle
        if isWanted { make(restartingICE: false, &turn) }
    }

    /// Nothing asks for the descriptions for a while.
    mutating func fold() {
        guard !isPending else { return }
        lastOffer?.fold()
        lastAnswer?.fold()
    }

    /// Whether an answer that can't be taken was the one to the present offer.
    var isTakingAnswer: Bool { if case .answered = state { true } else { false } }

    /// True once where the answer is overdue.
    mutating func isOverdue(now: MediaTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        state = .sent(answerBy: nil)
        return true
    }
}
