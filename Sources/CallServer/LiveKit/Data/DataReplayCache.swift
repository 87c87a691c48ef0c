import RTCWire

/// The latest reliable packets of a room, for those who come back or whose channel has not opened yet. A value.
struct DataReplayCache {
    struct Entry {
        /// The publisher's `PA_` id and its number of the packet.
        var publisher: String
        var sequence: UInt32
        var destinations: DataDestinations
        var bytes: [UInt8]
        fileprivate var arrivedAt: Instant
    }

    /// LiveKit's limits: of each packet, and bytes over all.
    static let lifetime = Interval.seconds(2)
    static let capacity = 100_000

    private var entries: [Entry] = []
    private(set) var byteCount = 0

    /// Keeps a packet.
    mutating func keep(
        _ bytes: [UInt8], from publisher: String, sequence: UInt32, to destinations: DataDestinations, now: Instant
    ) {
        entries.append(
            Entry(
                publisher: publisher, sequence: sequence, destinations: destinations, bytes: bytes, arrivedAt: now))
        byteCount += bytes.count
        trim(now: now)
    }

    /// The packets of a publisher after that number, oldest first.
    mutating func packets(from publisher: String, after sequence: UInt32, now: Instant) -> [Entry] {
        trim(now: now)
        return entries.filter { $0.publisher == publisher && $0.sequence > sequence }
    }

    private mutating func trim(now: Instant) {
        var excess = byteCount - Self.capacity
        let kept = entries.drop { entry in
            guard excess > 0 || now - entry.arrivedAt > Self.lifetime else { return false }
            excess -= entry.bytes.count
            return true
        }
        guard kept.count < entries.count else { return }
        entries = Array(kept)
        byteCount = entries.reduce(0) { $0 + $1.bytes.count }
    }
}

/// Whom a packet is meant for; nobody named means everybody.
struct DataDestinations: Hashable {
    var identities: Set<String>
    var sids: Set<String>

    func include(identity: String, sid: String) -> Bool {
        (identities.isEmpty && sids.isEmpty) || identities.contains(identity) || sids.contains(sid)
    }
}
