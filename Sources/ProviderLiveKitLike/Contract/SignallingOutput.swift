import CallBridge
import LiveKitProtocol
import Logging
import MediaCore

/// What the shell is to do, in order.
enum SignallingOutput: Sendable {
    /// Send this on the present socket.
    case send(Livekit_SignalRequest)
    /// Have the present media connections do this, after what they were asked to do before.
    case media(MediaAction)
    /// Tell the application.
    case report(ProviderEvent)
    /// Answer a command.
    case settle(CommandID, Result<CommandValue, any Error>)
    /// Say how a received track is encrypted.
    case protect(RemoteTrack, RemoteTrack.Protection)
    /// Mute a track of ours where it is encoded.
    case mute(LocalTrack, Bool)
    /// The mark by which media that the server makes up is known.
    case setInjectionTrailer([UInt8])
    /// Read the present socket: what it brings has this number.
    case listen(socket: Int)
    /// Forget the present socket.
    case dropSocket
    /// Close the present socket where it leads from that address of this machine, which is gone; `socketClosed` follows then, before
    /// anything else does.
    case dropSocketFrom(address: String, socket: Int)
    /// Open a socket to go on with the session; `SignallingInput.resumed` answers.
    case resume(Attempt, resuming: ClientIdentity.Request.Resumption)
    /// Join afresh; `SignallingInput.joined` answers.
    case join(Attempt)
    /// Close everything, then tell the application that it is over.
    case end(CallEndReason, detail: String)
    case log(Logger.Level, String, Logger.Metadata)

    /// Where a connection is attempted.
    struct Attempt: Sendable, Hashable {
        var server: SignalTarget
        var token: String
    }
}

/// What media connections are asked to do; each answers with the `MediaInput` that its comment names.
enum MediaAction: Sendable {
    case setServers(ICESettings)
    /// `channelsPrepared`.
    case prepareChannels(isNegotiated: Bool)
    /// `offerMade` or `offerFailed`.
    case createOffer(number: UInt32, restartingICE: Bool)
    /// `answerTaken` or `answerRefused`.
    case setAnswer(Livekit_SessionDescription)
    /// `answerMade` or `offerRefused`.
    case answer(Livekit_SessionDescription)
    case addCandidate(SessionCandidate, MediaSide)
    /// `sectionsRefused`, or nothing.
    case addReceivers(audio: Int, video: Int)
    /// `trackAdded` or `trackRefused`.
    case addTrack(LocalTrack)
    case removeTrack(id: String)
    case setActiveLayers(Set<String>, id: String)
    /// `room`.
    case askRoom(SessionChannel)
    case put([UInt8], SessionChannel)
}
