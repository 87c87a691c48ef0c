import LiveKitProtocol
import NIOCore
import RTCWire
import RoomModel
import SFUCore

/// Where the exchange of descriptions with one client stands.
struct NegotiationProgress {
    /// We have asked for an offer (single connection), or offered (two connections), and wait.
    var isWaiting = false
    /// Single connection: the lines to receive on that the client has once it has done what we asked for.
    var expected = LineCounts()
    /// Something has changed that the next exchange is to say.
    var isNeeded = false
    var timer: Scheduled<Void>?
    /// Runs while we wait.
    var patience: Scheduled<Void>?
    /// Of our offers; begins at a small random number and grows by one.
    var offerID = UInt32.random(in: 1...127)
    /// The ICE generation whose candidates were sent, per connection.
    var trickled: [ObjectIdentifier: String] = [:]

    /// Stops the clocks.
    mutating func cancel() {
        timer?.cancel()
        timer = nil
        patience?.cancel()
        patience = nil
    }

    /// The client has done what we waited for.
    mutating func settle() {
        isWaiting = false
        patience?.cancel()
        patience = nil
    }
}

extension LiveKitParticipant {
    // MARK: The client offers

    func handleOffer(_ offer: Livekit_SessionDescription, now: Instant) {
        do throws(NegotiationFailure) {
            try publisher.takeOffer(offer.sdp)
            let matches = matchTracks()
            if isSingleConnection {
                negotiation.isNeeded = false
                publisher.placeWaiting()
            }
            let sdp = try publisher.createAnswer(now: now)
            send(.answer(sdp, id: offer.id, trackByMid: isSingleConnection ? publisher.trackByMid : [:]))
            trickle(publisher, target: .publisher)
            unpublishEnded(now: now)
            rebindChanged(now: now)
            publish(matches, now: now)
        } catch {
            return fail(error.description, now: now)
        }
        guard isSingleConnection else { return }
        reportRefusals(now)
        // An offer that was under way when we asked for more lines doesn't bring them: the one that does is coming, and to
        // ask again now would bring them twice.
        guard !negotiation.isWaiting || publisher.receivingLines.include(negotiation.expected) else { return }
        negotiation.settle()
        if negotiation.isNeeded || publisher.hasWaiting { negotiate() }
    }

    // MARK: We offer

    /// The subscriber connection begins with the data channels' line alone.
    func beginSubscriberConnection(now: Instant) {
        openDataChannels()
        offer(now)
    }

    /// Offers a new ICE generation, in place of whatever offer is open.
    func restartSubscriber(now: Instant) {
        guard !isSingleConnection, !subscriber.negotiator.lines.isEmpty else { return }
        subscriber.restartICE()
        offer(now, replacing: true)
    }

    private func offer(_ now: Instant, replacing: Bool = false) {
        negotiation.isNeeded = false
        do throws(NegotiationFailure) {
            guard let sdp = try subscriber.createOffer(replacing: replacing) else {
                negotiation.isNeeded = true
                return
            }
            negotiation.offerID &+= 1
            awaitClient()
            send(.offer(sdp, id: negotiation.offerID, trackByMid: subscriber.trackByMid))
            trickle(subscriber, target: .subscriber)
        } catch {
            fail(error.description, now: now)
        }
    }

    func handleAnswer(_ answer: Livekit_SessionDescription, now: Instant) {
        guard !isSingleConnection else { return fail("an answer, though the client is the one who offers", now: now) }
        // Some clients repeat our number, others say 0. What answers an offer that we have replaced is void.
        guard answer.id == 0 || answer.id == negotiation.offerID else {
            return logger.debug("answer to an older offer", metadata: ["id": "\(answer.id)"])
        }
        do throws(NegotiationFailure) {
            try subscriber.takeAnswer(answer.sdp, now: now)
        } catch {
            return fail(error.description, now: now)
        }
        negotiation.settle()
        reportRefusals(now)
        if negotiation.isNeeded || subscriber.hasWaiting { negotiate() }
    }

    // MARK: Both

    /// Has a change of what is sent to the client negotiated soon; changes that come together share one exchange.
    func negotiate() {
        negotiation.isNeeded = true
        guard negotiation.timer == nil, !negotiation.isWaiting else { return }
        // A client that has not offered yet is going to; our own first offer comes at the end of the join.
        guard !subscriber.negotiator.lines.isEmpty else { return }
        negotiation.timer = eventLoop.scheduleTask(in: .milliseconds(10)) { [weak self] in
            guard let self else { return }
            negotiation.timer = nil
            guard session != nil, negotiation.isNeeded, !negotiation.isWaiting else { return }
            room.timed("negotiation") { _, now in if isSingleConnection { requestOffer() } else { offer(now) } }
        }
    }

    /// Asks a client that is the only one to offer for another offer, with as many more lines as are missing.
    private func requestOffer() {
        negotiation.isNeeded = false
        awaitClient()
        let missing = publisher.missingLines
        negotiation.expected = publisher.receivingLines + missing
        send(.linesWanted(missing))
    }

    /// Waits for the client's answer, or for the offer that we have asked for, and not for ever.
    private func awaitClient() {
        negotiation.isWaiting = true
        negotiation.patience?.cancel()
        negotiation.patience = eventLoop.scheduleTask(in: .milliseconds(Int64(room.timing.negotiation))) {
            [weak self] in
            guard let self else { return }
            negotiation.patience = nil
            // A client that is away negotiates anew when it comes back.
            guard session != nil, negotiation.isWaiting else { return }
            guard isSingleConnection else {
                return room.timed("end of an offer") { _, now in
                    issueFullReconnect(.outOfStep, because: "our offer was not answered", now: now)
                }
            }
            negotiation.isWaiting = false
            negotiate()
        }
    }

    private func reportRefusals(_ now: Instant) {
        for send in subscriber.sends where send.isRefused {
            _ = subscriber.removeSend(track: send.trackID)
            self.send(.subscriptionFailed(send.trackID, .seCodecUnsupported))
            room.perform(.refuse(subscriber: id, track: send.trackID), now: now)
        }
    }

    /// Sends our candidates, once for each ICE generation.
    private func trickle(_ connection: MediaConnection, target: Livekit_SignalTarget) {
        let ufrag = connection.flow.peer.localCredentials.ufrag
        let key = ObjectIdentifier(connection)
        guard negotiation.trickled[key] != ufrag, let line = connection.negotiator.lines.first(where: { !$0.isStopped })
        else { return }
        negotiation.trickled[key] = ufrag
        let candidates = connection.candidates
        for (index, candidate) in candidates.enumerated() {
            let text = JSONText.candidate(candidate, mid: line.mid, line: line.index)
            send(.candidate(text, target, isLast: index == candidates.count - 1))
        }
    }
}
