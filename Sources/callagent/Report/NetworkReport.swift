import RTCTransport

/// What the relays of a call did to it.
struct NetworkReport: Codable {
    /// One direction, all participants together, in datagrams.
    struct Direction: Codable {
        /// Came in.
        var received = 0
        /// Went out, copies included.
        var forwarded = 0
        /// Lost on purpose.
        var dropped = 0
        /// Sent twice.
        var duplicated = 0
        /// Held back, so that later ones could overtake them.
        var reordered = 0
        /// Lost for want of room in the relay: its fault, not the simulated network's.
        var overflowed = 0
        /// Put in beside the traffic.
        var injected = 0
    }

    /// The attack.
    struct Hostile: Codable {
        /// Datagrams a second that were asked for, on participants' addresses and in the flood each.
        var rate: Int
        var seed: UInt64
        /// On participants' own addresses, by kind.
        var injected: [String: Int]
        /// From unknown addresses to the server's port.
        var flooded: Int
    }

    /// As given with --network.
    var conditions: NetworkConditionsReport?
    /// As given with --network-for, by name.
    var own: [String: NetworkConditionsReport]?
    var toServer = Direction()
    var toParticipants = Direction()
    /// Datagrams that the kernel dropped at the relays' sockets.
    var receiveBufferDrops = 0
    var hostile: Hostile?
}

extension NetworkReport.Direction {
    init(_ counted: RelayStatistics) {
        received = counted.received
        forwarded = counted.forwarded
        dropped = counted.dropped
        duplicated = counted.duplicated
        reordered = counted.reordered
        overflowed = counted.overflowed
        injected = counted.injected
    }
}

extension NetworkReport.Hostile {
    init(_ injector: HostileInjector, _ counted: HostileStatistics) {
        let kinds = HostileKind.allCases.map { ($0.name, counted[kind: $0]) }
        self.init(
            rate: injector.rate, seed: injector.seed, injected: Dictionary(uniqueKeysWithValues: kinds),
            flooded: counted.flooded)
    }
}
