import LiveKitProtocol
import RoomModel

/// What follows from an event of the room.
enum LiveKitAction {
    case send(Livekit_SignalResponse, to: String)
    /// The same to several.
    case broadcast(Livekit_SignalResponse, to: [String])
    /// Those who follow the server's rooms are to know.
    case observe(Livekit_Room, RoomObservation)
}

/// What follows from a client's message.
enum LiveKitRequestAction {
    /// To the client.
    case send(Livekit_SignalResponse)
    case command(RoomCommand)
    case takeOffer(Livekit_SessionDescription)
    case takeAnswer(Livekit_SessionDescription)
    /// Repeat the data packets that came after these.
    case replay([Livekit_DataChannelReceiveState])
    case simulate(Livekit_SimulateScenario)
    /// The client leaves.
    case leave(DepartureReason)
    /// The client can't go on as it is and is told to join anew.
    case rejoin(String)
    /// The client has broken the rules: its connection ends.
    case fail(String)
    /// Nothing is done about it.
    case ignore
}

/// The room as it is now.
struct LiveKitRoomView {
    var machine: RoomMachine
    var settings: RoomSettings
}

/// What LiveKit's words call a room.
struct LiveKitRoomIdentity {
    var name: String
    var sid: String
    /// Milliseconds since 1970.
    var createdAt: Int64
}

/// What a server's rooms have in common.
struct LiveKitServerFacts {
    var limits: CallServerConfiguration.Limits
    var timing: RoomTiming
    var iceServers: [ICEServer]
    /// Somebody follows what happens.
    var isObserved: Bool
}
