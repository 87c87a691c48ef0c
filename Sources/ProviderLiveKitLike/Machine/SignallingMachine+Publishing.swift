import CallBridge
import LiveKitProtocol
import MediaCore

/// What we publish, and the offers that it takes.
extension SignallingMachine {
    mutating func takePublication(_ message: Livekit_SignalResponse.OneOf_Message, _ turn: inout SignallingTurn) {
        switch message {
        case .trackPublished(let published):
            follow(publications.accepted(published.cid, published.track, &turn), &turn)
        case .trackUnpublished(let gone):
            if publications.withdraw(sid: gone.trackSid, allowed: profile.permission, &turn) { negotiate(nil, &turn) }
        case .trackSubscribed(let first): publications.firstSubscriber(sid: first.trackSid, &turn)
        case .mute(let mute): publications.serverMuted(mute, &turn)
        case .subscribedQualityUpdate(let update):
            if settings.streaming.dynacast { publications.applyWantedLayers(update, &turn) }
        default: break
        }
    }

    mutating func refusePublication(_ cid: String, _ why: String, _ turn: inout SignallingTurn) {
        follow(publications.refused(cid, why, allowed: profile.permission, &turn), &turn)
    }

    /// Does what follows from the progress of a track.
    mutating func follow(_ consequence: Publications.Consequence, _ turn: inout SignallingTurn) {
        switch consequence {
        case .none: break
        case .offer(let completion): negotiate(completion, &turn)
        case .renewNext: renewNext(&turn)
        case .renewalFailed: attemptEnded(.unreachable("the new session was lost at once"), &turn)
        }
    }

    // MARK: Offers

    /// Offers on the connection that we offer on; while an answer is out the offer waits for it.
    mutating func negotiate(_ completion: OfferExchange.Completion?, _ turn: inout SignallingTurn) {
        paths.isPublisherUsed = true
        settle(negotiation.offers.want(completion, &turn), &turn)
    }

    /// What was waited for has been offered.
    mutating func settle(_ completions: [OfferExchange.Completion], _ turn: inout SignallingTurn) {
        for completion in completions {
            switch completion {
            case .command(let command, let value): turn.settle(command, value)
            case .renewal: renewNext(&turn)
            }
        }
    }

    private mutating func renewNext(_ turn: inout SignallingTurn) {
        guard case .publications = repair.step, !publications.renewNext(&turn) else { return }
        if let permission = profile.permission { publications.allow(permission, isUp: false, &turn) }
        attemptEnded(.succeeded, &turn)
    }

    /// Everything that we publish is published again in the new session.
    mutating func renewPublications(_ turn: inout SignallingTurn) {
        publications.beginRenewal()
        renewNext(&turn)
    }
}
