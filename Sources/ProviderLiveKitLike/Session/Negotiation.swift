import LiveKitProtocol
import MediaCore

/// The connection that we offer on: one offer at a time, the next one after its answer.
actor Negotiation {
    nonisolated let media: MediaSession
    /// The last offer that we made, answered or not.
    private(set) var lastOffer: Livekit_SessionDescription?
    /// The last answer that was taken.
    private(set) var lastAnswer: Livekit_SessionDescription?
    private var isAnswerPending = false
    private var isOfferWanted = false
    private var number: UInt32 = 0

    init(_ media: MediaSession) { self.media = media }

    /// The offer that waits for its answer; nil where none does.
    var pendingOffer: UInt32? { isAnswerPending ? number : nil }

    /// An offer to send now, or nil where it has to wait for the answer to the one before.
    func nextOffer() async throws -> Livekit_SessionDescription? {
        guard !isAnswerPending else {
            isOfferWanted = true
            return nil
        }
        return try await makeOffer(restartingICE: false)
    }

    /// An offer with new ICE credentials; one that was never answered is replaced by it.
    func restartOffer() async throws -> Livekit_SessionDescription {
        try await makeOffer(restartingICE: true)
    }

    private func makeOffer(restartingICE: Bool) async throws -> Livekit_SessionDescription {
        isAnswerPending = true
        isOfferWanted = false
        number &+= 1
        var offer = Livekit_SessionDescription()
        offer.type = "offer"
        offer.id = number
        offer.sdp = try await media.createOffer(restartingICE: restartingICE).sdp
        lastOffer = offer
        return offer
    }

    /// Whether this answers the offer that is open. A server that does not number its answers means the last one.
    func isAwaited(_ answer: Livekit_SessionDescription) -> Bool {
        isAnswerPending && (answer.id == 0 || answer.id == number)
    }

    /// Takes an answer; returns the offer that has been waiting for it.
    func takeAnswer(_ answer: Livekit_SessionDescription) async throws -> Livekit_SessionDescription? {
        try await media.setAnswer(SessionDescription(kind: .answer, sdp: answer.sdp))
        lastAnswer = answer
        isAnswerPending = false
        guard isOfferWanted else { return nil }
        return try await makeOffer(restartingICE: false)
    }
}
