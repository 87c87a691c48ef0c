import LiveKitProtocol

extension Livekit_SignalRequest {
    /// The name of the message in LiveKit's protocol.
    var kind: String {
        switch message {
        case .offer: "offer"
        case .answer: "answer"
        case .trickle: "trickle"
        case .addTrack: "add_track"
        case .mute: "mute"
        case .subscription: "subscription"
        case .trackSetting: "track_setting"
        case .leave: "leave"
        case .updateLayers: "update_layers"
        case .subscriptionPermission: "subscription_permission"
        case .syncState: "sync_state"
        case .simulate: "simulate"
        case .ping, .pingReq: "ping"
        case .updateMetadata: "update_metadata"
        case .updateAudioTrack: "update_audio_track"
        case .updateVideoTrack: "update_video_track"
        case .publishDataTrackRequest: "publish_data_track_request"
        case .unpublishDataTrackRequest: "unpublish_data_track_request"
        case .updateDataSubscription: "update_data_subscription"
        case .storeDataBlobRequest: "store_data_blob_request"
        case .getDataBlobRequest: "get_data_blob_request"
        case nil: "unknown"
        }
    }
}
