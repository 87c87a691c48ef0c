import LiveKitProtocol

extension LiveKitSession {
    /// Tells a resumed session's server where we stand, so that it can see whether we still mean the same.
    func sendSyncState() async {
        var state = Livekit_SyncState()
        if isSingle {
            if let offer = await publisher.lastOffer { state.offer = offer }
            if let answer = await publisher.lastAnswer { state.answer = answer }
            // What is on which section is the server's to say.
            state.answer.midToTrackID = [:]
        } else {
            if let subscriberOffer { state.offer = subscriberOffer }
            if let subscriberAnswer { state.answer = subscriberAnswer }
        }
        state.subscription = wishes.exceptions(autoSubscribe: joiner.context.subscribesAutomatically)
        state.trackSidsDisabled = wishes.disabledTracks
        state.publishTracks = publications.map { publication in
            .with {
                $0.cid = publication.media.id
                $0.track = publication.info
            }
        }
        state.dataChannels = channelInfos
        state.datachannelReceiveStates = data.inbox.receiveStates
        send { $0.syncState = state }
    }
}
