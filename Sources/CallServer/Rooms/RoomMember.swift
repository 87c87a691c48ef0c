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
    /// Its videos may be paused where its connection doesn't bear even their smallest layers.
    var allowsPause: Bool { get }

    /// Something has happened that concerns everybody, or this member alone (`RoomEvent.addressee`).
    func tell(_ event: RoomEvent, now: Instant)
    /// Videos that it gets have been paused for want of bandwidth, or go on.
    func tell(_ pauses: [TrackPause], now: Instant)
    /// It is in the room no more, and lets go of everything; with `tells` its client learns why.
    func dismiss(_ reason: DepartureReason, tells: Bool)
}

/// A video that has been paused for want of bandwidth, or goes on.
struct TrackPause: Hashable {
    var track: String
    var publisher: String
    var isPaused: Bool
}

/// Follows what happens in a room as a whole, before its members are told: what a dialect says to all of them, a record of
/// the room. On the room's loop.
protocol RoomListener: AnyObject {
    func opened(_ room: Room)
    func room(_ room: Room, did event: RoomEvent, now: Instant)
    func closed(_ room: Room, because reason: RoomEndReason)
}

/// Why a room is there no more.
enum RoomEndReason {
    /// Nobody was in it for long enough.
    case idle
    /// Somebody with the right to do so ended it.
    case deleted
    case serverStopped
}
