import OpenTokSignalling

/// What the shell is to do, in order.
package enum ClientOutput: Hashable, Sendable {
    /// Open a socket; what belongs to earlier ones is forgotten.
    case open(RumorSocketRequest, socket: Int)
    /// One binary message on the present socket.
    case send([UInt8])
    /// Close the present socket with that code.
    case close(code: Int)
    case peer(PeerAction, RaptorPeer)
    /// Stop or resume a channel of an own stream where it is encoded.
    case setActive(Bool, stream: String, channel: String)
    case report(ClientEvent)
    /// Answer a command.
    case settle(CommandID, Result<Success, ClientError>)
    /// Nothing follows.
    case end(ClientEnd)

    package struct Success: Hashable, Sendable {
        package init() {}
    }
}

/// What a media connection does, after what it was asked to do before.
package enum PeerAction: Hashable, Sendable {
    /// Make it: it sends that stream of ours.
    case openPublisher(stream: String, [RaptorICEServer])
    /// Make it: it receives, and answers.
    case openSubscriber([RaptorICEServer])
    /// `PeerReport.offerMade` answers.
    case createOffer(restartingICE: Bool)
    /// `PeerReport.answerMade` answers.
    case answer(offer: String)
    case setAnswer(String)
    case addCandidate(RaptorCandidate)
    /// Send what the subscriber at the other end wants of a channel; what is not said stays.
    case prefer(RaptorSubscriberPreferences, channel: String)
    case close
}

/// What the application is told, in the words of the client SDKs.
package enum ClientEvent: Hashable, Sendable {
    /// We are in; the connections and streams that are there already follow, each connection before its streams.
    case sessionConnected(RaptorConnection)
    case connectionCreated(RaptorConnection)
    case connectionDestroyed(RaptorConnection, RaptorReason)
    /// Of others; `Publisher` events are about our own.
    case streamCreated(RaptorStream)
    case streamDestroyed(RaptorStream, RaptorReason)
    /// A channel is sent from now on, or no longer.
    case streamActive(Bool, RaptorStream, channel: String)
    /// Size or frame rate of a channel.
    case streamChanged(RaptorStream, channel: String)
    /// From a connection; nil for the server.
    case signal(SignalContent, from: String?)
    /// The message transport, or media, was lost on our side.
    case reconnecting
    case reconnected
    case muteForced(ForceMute)
    case archive(RaptorArchive)
    case publisher(PublisherEvent, stream: String)
    case subscriber(SubscriberEvent, stream: String)
}

package enum PublisherEvent: Hashable, Sendable {
    case streamCreated
    /// Not by our own wish.
    case streamDestroyed(RaptorReason)
    /// A moderator, or force mute, has stopped this channel.
    case muteForced(channel: String)
    /// Somebody receives it for the first time.
    case subscribed
}

package enum SubscriberEvent: Hashable, Sendable {
    /// Media of a channel arrives by that connection.
    case connected(channel: String, RaptorPeer)
    case disconnected(channel: String)
    case video(VideoChange)
    case failed(ClientError)
}

/// What becomes of a subscriber's video while the link to it is bad.
package enum VideoChange: Hashable, Sendable {
    /// It may be disabled soon.
    case disableWarning
    case disableWarningLifted
    /// The router does not send it any more, for its quality would be too bad.
    case disabled
    case enabled
}
