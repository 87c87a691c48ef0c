import CallBridge
import LiveKitProtocol
import MediaCore

/// What happens to a session: something comes from the server, from the application, or from what the shell was asked to do.
enum SignallingInput: Sendable {
    /// The server says something on the socket of that number.
    case message(Livekit_SignalResponse, socket: Int)
    /// That socket is gone.
    case socketClosed(Int)
    /// The application wants something; `SignallingOutput.settle` answers it.
    case command(SignallingCommand, CommandID)
    /// The application leaves; nothing but the end follows.
    case leave
    /// The media connections of that number report something.
    case media(MediaInput, connections: Int)
    /// The answer to `SignallingOutput.resume`.
    case resumed(Result<Livekit_ReconnectResponse, JoinFailure>)
    /// The answer to `SignallingOutput.join`.
    case joined(Result<JoinedSession, JoinFailure>)
}

/// Identifies a command, so that its answer finds who has asked.
typealias CommandID = UInt64

/// What the application can ask for.
enum SignallingCommand: Sendable {
    case publish(LocalTrack, Track.Source)
    case unpublish(trackID: String)
    case setMuted(Bool, trackID: String)
    case setSubscribed(Bool, trackID: String)
    case setTrackSettings(TrackSettings, trackID: String)
    case setVideoLayout(VideoLayout, trackID: String)
    case setSubscriptionPermissions(SubscriptionPermissions)
    case changeProfile(LocalMetadata.Change)
    case sendData(Livekit_DataPacket)
    case callRemote(RemoteCall)
}

/// What a command gives.
enum CommandValue: Sendable {
    case done
    case published(Track)
    case answered(String)
}

/// A session that was joined afresh.
struct JoinedSession: Sendable {
    var response: Livekit_JoinResponse
    /// The offer that went with the request to join; only with one connection.
    var offer: Livekit_SessionDescription?

    /// One connection does both.
    var isSingle: Bool { offer != nil }
}

/// Which media connection.
enum MediaSide: Sendable, Hashable {
    /// We offer on it; the only one in the single mode.
    case publisher
    /// The server offers on it.
    case subscriber
}

/// What the media connections report.
enum MediaInput: Sendable {
    /// Of their own accord; what concerns data channels comes in the cases below.
    case event(MediaSessionEvent, MediaSide)
    case channelOpened(SessionChannel)
    case channelClosed(SessionChannel)
    case received([UInt8], SessionChannel)

    // Because of a `MediaAction`.

    /// The channels that could be prepared.
    case channelsPrepared(Set<SessionChannel>)
    case offerMade(number: UInt32, sdp: String)
    case offerFailed(number: UInt32, String)
    case answerTaken(Livekit_SessionDescription)
    case answerRefused(Livekit_SessionDescription, String)
    /// Our answer to an offer of the server.
    case answerMade(to: Livekit_SessionDescription, sdp: String)
    case offerRefused(String)
    /// The connection sends the track, by the id that it has in signalling.
    case trackAdded(String)
    case trackRefused(String, String)
    case sectionsRefused(String)
    /// What waits in a channel, and the longest message that it takes, in bytes.
    case room(SessionChannel, buffered: Int, longest: Int)
}
