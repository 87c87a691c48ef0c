import LiveKitProtocol
import RTCWire
import RoomModel

extension LiveKitParticipant {
    /// Acts on one message of the client.
    func handle(_ request: Livekit_SignalRequest, now: Instant) {
        if case .mute(let mute) = request.message { forgetMute(of: mute.sid) }
        for action in actions(for: request) { perform(action, now: now) }
    }

    /// On its own, so that no copy of the room is held while the actions change it.
    private func actions(for request: Livekit_SignalRequest) -> [LiveKitRequestAction] {
        var actions: [LiveKitRequestAction] = []
        let machine = room.machine
        liveKit.describe {
            $0.handle(request, from: id, in: machine, wallClock: WallClock.milliseconds, into: &actions)
        }
        return actions
    }

    private func perform(_ action: LiveKitRequestAction, now: Instant) {
        switch action {
        case .send(let message): send(message)
        case .command(let command): room.perform(command, now: now)
        case .takeOffer(let offer): handleOffer(offer, now: now)
        case .takeAnswer(let answer): handleAnswer(answer, now: now)
        case .replay(let states): liveKit.replay(states, to: self, now: now)
        case .simulate(let scenario): simulate(scenario, now: now)
        case .leave(let reason): room.remove(id, reason, tells: false, now: now)
        case .rejoin(let reason): issueFullReconnect(.outOfStep, because: reason, now: now)
        case .fail(let reason): fail(reason, now: now)
        case .ignore: logger.debug("signalling message not acted on")
        }
    }

    /// A track that the client has announced with its join.
    func addTrack(_ request: Livekit_AddTrackRequest) {
        guard let record else { return }
        let machine = room.machine
        send(liveKit.describe { $0.announce(request, by: record, in: machine) })
    }

    /// Wishes that the room API makes for the client.
    func updateSubscription(_ update: Livekit_UpdateSubscription, now: Instant) {
        var actions: [LiveKitRequestAction] = []
        liveKit.dialect.choose(update, id, in: room.machine, &actions)
        for action in actions { perform(action, now: now) }
    }
}
