import RTCSim
import RTCWire

/// Which way a datagram goes through a relay.
package enum RelayDirection: Int, Sendable, Hashable, CaseIterable {
    /// From a participant to the server.
    case up
    /// From the server to a participant.
    case down

    package var opposite: RelayDirection { self == .up ? .down : .up }
}

/// Who meets which weather.
package enum RelayWeatherScope: Sendable {
    /// Each participant's is another.
    case own
    /// Everybody's is the same, each from their first datagram on: what two meet can be compared.
    case same
    /// All that passes through a pool is one participant's, over one link: its connections share rate and queue.
    case shared
}

/// How a relay treats what passes through it.
package struct RelayConfiguration: Sendable {
    /// What happens to datagrams on their way to the server.
    package var up = NetworkConditions()
    /// What happens to datagrams on their way to a participant.
    package var down = NetworkConditions()
    /// The same seed gives the same weather, counted from a participant's first datagram.
    package var seed: UInt64 = 1
    package var weather = RelayWeatherScope.own
    /// After so long a participant's next datagram leaves from a new address, again and again, and its old one is forgotten:
    /// as behind a NAT. Nil for never.
    package var rebinding: Interval?
    /// Participants that one relay takes; datagrams of further ones are dropped and counted, unless one has been silent for
    /// longer than `patience` and makes room.
    package var maximumPeers = 64
    package var patience = Interval.seconds(30)
    /// Datagrams that one relay holds at a time, both directions together; what exceeds it is dropped and counted.
    package var maximumHeld = 16_384
    /// SO_RCVBUF and SO_SNDBUF that are asked for, in bytes.
    package var socketBufferSize = 4 * 1024 * 1024

    /// A relay that changes nothing.
    package init() {}

    /// What a profile says.
    package init(_ profile: NetworkProfile) {
        up = profile.up.conditions
        down = profile.down.conditions
        seed = profile.seed
        rebinding = profile.rebind > 0 ? .seconds(profile.rebind / 1000) : nil
    }

    func conditions(_ direction: RelayDirection) -> NetworkConditions { direction == .up ? up : down }
}

/// What a relay did in one direction.
package struct RelayStatistics: Sendable, Hashable {
    /// Datagrams that came in.
    package var received = 0
    /// Datagrams that went out, copies included and injected ones not.
    package var forwarded = 0
    /// Datagrams that the simulated network lost, a full queue at its bottleneck included.
    package var dropped = 0
    /// Of them, dropped because the queue at the bottleneck was full.
    package var queueDropped = 0
    /// Datagrams that went out twice.
    package var duplicated = 0
    /// Datagrams that were held back, so that later ones could overtake them.
    package var reordered = 0
    /// Datagrams that the relay itself lost for want of room: its fault, not the simulated network's.
    package var overflowed = 0
    /// Datagrams that were put in beside the traffic.
    package var injected = 0
    /// Payload of UDP, in bytes.
    package var receivedBytes = 0
    package var forwardedBytes = 0
    /// Times that an address changed.
    package var rebindings = 0

    package init() {}

    package static func += (total: inout RelayStatistics, part: RelayStatistics) {
        total.received += part.received
        total.forwarded += part.forwarded
        total.dropped += part.dropped
        total.duplicated += part.duplicated
        total.reordered += part.reordered
        total.overflowed += part.overflowed
        total.injected += part.injected
        total.queueDropped += part.queueDropped
        total.receivedBytes += part.receivedBytes
        total.forwardedBytes += part.forwardedBytes
        total.rebindings += part.rebindings
    }
}
