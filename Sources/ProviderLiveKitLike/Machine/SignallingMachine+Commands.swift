import CallBridge
import LiveKitProtocol
import MediaCore

/// What the application wants.
extension SignallingMachine {
    mutating func take(_ command: SignallingCommand, _ id: CommandID, _ turn: inout SignallingTurn) {
        switch command {
        case .publish(let track, let source):
            publications.publish(track, source: source, for: id, isUp: isUp(turn), &turn)
        case .changeProfile(let change): profile.change(change, for: id, isUp: isUp(turn), &turn)
        case .sendData(let packet): data.send(packet, from: profile.info.identity, for: .command(id), &turn)
        case .callRemote(let call):
            guard call.payload.utf8.count <= RemoteCall.longestPayload else {
                return turn.fail(id, RPCError.requestTooLarge)
            }
            guard roster.contains(identity: call.recipient) else { return turn.fail(id, RPCError.recipientNotFound) }
            data.call(call, for: id, from: profile.info.identity, &turn)
        case .unpublish, .setMuted, .setSubscribed, .setTrackSettings, .setVideoLayout, .setSubscriptionPermissions:
            do throws(CallError) {
                if try !takeAtOnce(command, id, &turn) { turn.settle(id, .done) }
            } catch {
                turn.fail(id, error)
            }
        }
    }

    /// What needs nobody's word; true where the command is settled later.
    private mutating func takeAtOnce(
        _ command: SignallingCommand, _ id: CommandID, _ turn: inout SignallingTurn
    ) throws(CallError) -> Bool {
        switch command {
        case .unpublish(let trackID):
            guard try publications.unpublish(trackID, &turn) else { return false }
            negotiate(.command(id, .done), &turn)
            return true
        case .setMuted(let muted, let trackID): try publications.setMuted(muted, trackID, &turn)
        case .setSubscribed(let wanted, let trackID): try subscribe(wanted, trackID, &turn)
        case .setTrackSettings(let settings, let trackID): try set(settings, trackID, &turn)
        case .setVideoLayout(let layout, let trackID): try set(layout, trackID, &turn)
        case .setSubscriptionPermissions(let permissions):
            subscriptions.permissions = permissions
            sendPermission(&turn)
        case .publish, .changeProfile, .sendData, .callRemote: break
        }
        return false
    }

    /// Who may receive what of ours.
    func sendPermission(_ turn: inout SignallingTurn) {
        turn.send { $0.subscriptionPermission = subscriptions.permission(of: publications.published) }
    }

    private mutating func subscribe(
        _ wanted: Bool, _ trackID: String, _ turn: inout SignallingTurn
    ) throws(CallError) {
        guard let owner = roster.owner(of: trackID) else { throw unknown(trackID) }
        subscriptions.subscribe(wanted, track: trackID)
        turn.send { $0.subscription = .init(track: trackID, owner: owner, subscribe: wanted) }
    }

    private mutating func set(
        _ settings: TrackSettings, _ trackID: String, _ turn: inout SignallingTurn
    ) throws(CallError) {
        guard let track = roster.track(trackID) else { throw unknown(trackID) }
        guard track.type == .video || settings.quality == nil && settings.size == nil else {
            throw CallError(.caller, .invalidArgument, "the track \(trackID) is sound: it has no quality and no size")
        }
        if let message = subscriptions.set(settings, track: track) { turn.send { $0.trackSetting = message } }
    }

    private mutating func set(
        _ layout: VideoLayout, _ trackID: String, _ turn: inout SignallingTurn
    ) throws(CallError) {
        guard settings.streaming.adaptiveStream else {
            throw CallError(
                .caller, .invalidArgument,
                "adaptive streaming is off for this call; set StreamingOptions.adaptiveStream before joining")
        }
        guard let track = roster.track(trackID) else { throw unknown(trackID) }
        guard track.type == .video else {
            throw CallError(.caller, .invalidArgument, "the track \(trackID) is sound: it is shown nowhere")
        }
        if let message = subscriptions.set(layout, track: track) { turn.send { $0.trackSetting = message } }
    }

    private func unknown(_ trackID: String) -> CallError {
        CallError(.caller, .invalidArgument, "no track \(trackID) is published by anybody")
    }
}
