import RTCCore

/// The outboxes of a loop's muxes, which need one only while they have something at hand: a socket that wakes up finds
/// memory that another one has just used, in the cache, and a thousand sockets need no more of it than one.
// Every member is touched on its loop only.
final class OutboxPool {
    private var outboxes: [Outbox] = []
    /// Takes turns with the events of the outbox that is in use.
    private var events: [PeerEvent] = []

    func take() -> Outbox { outboxes.popLast() ?? Outbox() }

    /// Takes an empty one back.
    func give(_ outbox: Outbox) { outboxes.append(outbox) }

    /// An empty array, with room.
    func takeEvents() -> [PeerEvent] {
        var taken: [PeerEvent] = []
        swap(&taken, &events)
        return taken
    }

    func give(_ events: consuming [PeerEvent]) {
        events.removeAll(keepingCapacity: true)
        self.events = events
    }
}
