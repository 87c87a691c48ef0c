import RTCWire
import RoomModel

/// Somebody in a room as the room's shell knows it, whatever dialect its client speaks. On the room's loop.
protocol RoomMember: AnyObject {
    /// As in the room's roster.
    var id: String { get }
    /// All its media connections.
    var connections: [MediaConnection] { get }
    /// Those of them that carry what it gets.
    var receivers: [MediaConnection] { get }
    /// What is done about videos on a connection of its own that doesn't bear even their smallest layers.
    func pausePolicy(on connection: MediaConnection) -> PausePolicy

    /// Something has happened that concerns everybody, or this member alone (`RoomEvent.addressee`).
    func tell(_ event: RoomEvent, now: Instant)
    /// Videos that it gets on that connection have been paused for want of bandwidth, or go on.
    func tell(_ pauses: [TrackPause], on connection: MediaConnection, now: Instant)
    /// A message of somebody whose client speaks another dialect.
    func receive(_ message: RoomMessage, now: Instant)
    /// Bandwidth is shared out next, as some times a second: what it wants may depend on the layers that come now.
    func willShareBandwidth(now: Instant)
    /// It is in the room no more, and lets go of everything; with `tells` its client learns why.
    func dismiss(_ reason: DepartureReason, tells: Bool)
}

extension RoomMember {
    func willShareBandwidth(now: Instant) {}
}

/// What one says to others in a room, in no dialect's words.
struct RoomMessage: Hashable {
    /// Nil where nobody may know, or it is an application's server.
    var sender: RoomParticipant?
    /// What it is about; may be empty.
    var topic: String
    var payload: [UInt8]
}

/// Follows what happens in a room as a whole, before its members are told: what a dialect says to all of them, a record of
/// the room. On the room's loop.
protocol RoomListener: AnyObject {
    func opened(_ room: Room)
    func room(_ room: Room, did event: RoomEvent, now: Instant)
    func closed(_ room: Room, because reason: RoomEndReason)

    /// Whether newcomers can still be told of everybody, with one more; noted where they can.
    ///
    /// - Parameter earlier: who is there and goes for it.
    func room(_ room: Room, admits record: RoomParticipant, replacing earlier: String?) -> Bool
    /// Somebody who was admitted doesn't come.
    func room(_ room: Room, forgets participant: String)
    /// The room is awaited by somebody who is no member yet, and stays open.
    var holdsOpen: Bool { get }
}

extension RoomListener {
    func room(_ room: Room, admits record: RoomParticipant, replacing earlier: String?) -> Bool { true }
    func room(_ room: Room, forgets participant: String) {}
    var holdsOpen: Bool { false }
}

/// Why a room is there no more.
enum RoomEndReason {
    /// Nobody was in it for long enough.
    case idle
    /// Somebody with the right to do so ended it.
    case deleted
    case serverStopped
}
