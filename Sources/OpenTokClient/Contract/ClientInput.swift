import OpenTokSignalling

/// What happens to a session.
package enum ClientInput: Hashable, Sendable {
    /// The socket of that number is open.
    case opened(socket: Int)
    /// It has closed, or could not be opened; the code is of RFC 6455 section 7.4, 1006 where there is none.
    case closed(socket: Int, code: Int)
    /// A binary message came on it.
    case message([UInt8], socket: Int)
    /// The application wants something; `ClientOutput.settle` answers.
    case command(ClientCommand, CommandID)
    /// The application leaves.
    case leave
    /// A media connection reports something.
    case peer(PeerReport, RaptorPeer)
}

/// Identifies a command, so that its answer finds who has asked.
package typealias CommandID = UInt64

/// What the application can ask for.
package enum ClientCommand: Hashable, Sendable {
    /// Publish a stream; its id is new. Settled when others can receive it.
    case publish(RaptorStream)
    case unpublish(stream: String)
    /// Sends a channel of an own stream, or no longer.
    case setActive(Bool, stream: String, channel: String)
    case setSubscribed(Bool, stream: String, channel: String)
    /// What is wanted of a subscribed channel.
    case prefer(RaptorSubscriberPreferences, stream: String, channel: String)
    /// To these connections; nil for the whole session.
    case signal(SignalContent, to: [String]?)
    case forceDisconnect(connection: String)
    case forceUnpublish(stream: String)
    case forceMuteStream(String)
    /// All streams but the excluded ones; later ones, too, while it is active.
    case forceMuteAll(ForceMute)
}

/// What a media connection reports.
package enum PeerReport: Hashable, Sendable {
    case offerMade(sdp: String)
    case answerMade(sdp: String)
    case candidate(RaptorCandidate)
    case connected
    /// Nothing arrives any more; it may come back by itself.
    case disconnected
    /// No path is left; an ICE restart may find one.
    case failed(String)
    /// It can't go on, not even with an ICE restart.
    case broken(String)
    case mediaBegan(RaptorChannel.Kind)
    case mediaEnded(RaptorChannel.Kind)
}
