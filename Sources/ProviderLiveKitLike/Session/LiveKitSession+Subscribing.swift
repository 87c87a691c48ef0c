import CallBridge
import LiveKitProtocol
import MediaCore

/// What we receive, and who receives ours.
extension LiveKitSession {
    func setSubscribed(_ subscribed: Bool, trackID: String) throws {
        guard let owner = roster.owner(of: trackID) else { throw unknownRemote(trackID) }
        wishes.subscribe(subscribed, track: trackID)
        send { $0.subscription = .init(track: trackID, owner: owner, subscribe: subscribed) }
    }

    func setTrackSettings(_ settings: TrackSettings, trackID: String) throws {
        guard let track = roster.track(trackID) else { throw unknownRemote(trackID) }
        guard track.type == .video || settings.quality == nil && settings.size == nil else {
            throw CallError(.caller, .invalidArgument, "the track \(trackID) is sound: it has no quality and no size")
        }
        if let message = wishes.set(settings, track: track) { send { $0.trackSetting = message } }
    }

    func setVideoLayout(_ layout: VideoLayout, trackID: String) throws {
        guard joiner.context.streaming.adaptiveStream else {
            throw CallError(
                .caller, .invalidArgument,
                "adaptive streaming is off for this call; set StreamingOptions.adaptiveStream before joining")
        }
        guard let track = roster.track(trackID) else { throw unknownRemote(trackID) }
        guard track.type == .video else {
            throw CallError(.caller, .invalidArgument, "the track \(trackID) is sound: it is shown nowhere")
        }
        if let message = wishes.set(layout, track: track) { send { $0.trackSetting = message } }
    }

    func setSubscriptionPermissions(_ permissions: SubscriptionPermissions) {
        wishes.permissions = permissions
        send { $0.subscriptionPermission = wishes.permission(of: publications) }
    }

    private func unknownRemote(_ trackID: String) -> CallError {
        CallError(.caller, .invalidArgument, "no track \(trackID) is published by anybody")
    }

    /// The server tells which layers of a track of ours somebody looks at.
    func applyWantedLayers(_ update: Livekit_SubscribedQualityUpdate) async {
        guard joiner.context.streaming.dynacast,
            let publication = publications.first(where: { $0.sid == update.trackSid })
        else { return }
        guard let sender = publication.sender,
            let rids = Dynacast.wanted(update, of: publication.layers, codec: "vp8")
        else { return }
        await publisher.media.setActiveLayers(rids, of: sender)
    }
}
