import RTCCore
import RTCWire

extension MediaConnection {
    /// Takes an offer of the client in. `prepareAnswer` and `createAnswer` follow.
    func takeOffer(_ text: String) throws(NegotiationFailure) {
        let offer = try parse(text)
        let receivers = self.receivers
        do {
            let change = try negotiator.applyOffer(offer)
            if change.restartedICE { restartICE() }
            renewSends(where: receivers)
        } catch {
            throw NegotiationFailure(description: "offer: \(error)")
        }
    }

    /// Answers the open offer.
    func createAnswer(now: Instant) throws(NegotiationFailure) -> String {
        do {
            let answer = try negotiator.createAnswer()
            applyLines(now: now)
            return answer.description
        } catch {
            throw NegotiationFailure(description: "answer: \(error)")
        }
    }

    /// Offers what there is to send; nil while the client has not answered the last offer.
    ///
    /// - Parameter replacing: an offer that the client has not answered is void.
    func createOffer(replacing: Bool = false) throws(NegotiationFailure) -> String? {
        guard negotiator.state == .stable || replacing else { return nil }
        placeWaiting()
        do {
            return try negotiator.createOffer().description
        } catch {
            throw NegotiationFailure(description: "offer: \(error)")
        }
    }

    /// Takes the client's answer to our offer in.
    func takeAnswer(_ text: String, now: Instant) throws(NegotiationFailure) {
        let answer = try parse(text)
        do {
            try negotiator.applyAnswer(answer)
        } catch {
            throw NegotiationFailure(description: "answer: \(error)")
        }
        applyLines(now: now)
    }

    /// Begins a new ICE generation of our own: in answer to the client's, or to be offered next. Media goes on meanwhile.
    func restartICE() {
        flow.perform { peer, outbox, now in _ = peer.restartICE(now: now, into: outbox) }
        flow.mux.registerCredentials(of: flow)
        negotiator.restartICE(flow.peer.localCredentials)
    }

    private func parse(_ text: String) throws(NegotiationFailure) -> SDPSession {
        do {
            return try SDPSession(parsing: text)
        } catch {
            throw NegotiationFailure(description: "session description: \(error)")
        }
    }
}
