import NIOCore
import RTCSim
import RTCWire
import Synchronization

/// Relays that are ready for the addresses of a server, whichever it names in its candidates.
// The relays are touched on `loop` only; what other threads use stands in a mutex.
package final class UDPRelayPool: @unchecked Sendable {
    package let loop: DatagramLoop
    package let relays: [UDPRelay]
    private let assigned = Mutex<[TransportAddress: Int]>([:])

    private init(loop: DatagramLoop, relays: [UDPRelay]) {
        self.loop = loop
        self.relays = relays
    }

    /// Binds `count` relays on `host`. Throws `UDPBindError`.
    package static func start(
        on loop: DatagramLoop, host: String = "127.0.0.1", count: Int = 8, configuration: RelayConfiguration
    ) -> EventLoopFuture<UDPRelayPool> {
        let clock = RelayClock()
        let relays = (0..<count).map {
            UDPRelay.bind(on: loop, host: host, number: $0, configuration: configuration, clock: clock)
        }
        return EventLoopFuture.whenAllSucceed(relays, on: loop).map {
            UDPRelayPool(loop: loop, relays: $0)
        }
    }

    /// The address that leads through a relay to `server`. Where there are more addresses than relays, one at which
    /// nobody answers: the direct way must not be found.
    package func address(leadingTo server: TransportAddress) -> TransportAddress {
        assigned.withLock { assigned in
            if let known = assigned[server] { return relays[known].address }
            guard assigned.count < relays.count else { return TransportAddress(ipv4: 0x7f00_0001, port: 9) }
            let relay = relays[assigned.count]
            assigned[server] = assigned.count
            relay.target = server
            return relay.address
        }
    }

    /// What all relays did.
    package struct Statistics: Sendable, Hashable {
        package var up = RelayStatistics()
        package var down = RelayStatistics()
        /// How long a datagram that came now would wait at the bottleneck.
        package var upQueue = Interval.zero
        package var downQueue = Interval.zero
        /// Datagrams of unknown origin.
        package var strangers = 0
        /// Datagrams that the kernel dropped because a relay's socket was full.
        package var receiveBufferDrops = 0

        package init() {}
    }

    package func statistics() -> EventLoopFuture<Statistics> { loop.submit { Statistics(self.relays) } }

    /// Changes what happens to datagrams from now on, in both directions and for everybody.
    package func setConditions(_ conditions: NetworkConditions) -> EventLoopFuture<Void> {
        loop.submit { for relay in self.relays { relay.setConditions(conditions) } }
    }

    /// Changes what happens to datagrams from now on, each direction by itself, and how often addresses change.
    package func setConditions(_ configuration: RelayConfiguration) -> EventLoopFuture<Void> {
        loop.submit {
            for relay in self.relays {
                relay.setConditions(up: configuration.up, down: configuration.down)
                relay.setRebinding(configuration.rebinding)
            }
        }
    }

    /// Gives everybody who has come another address, and forgets the old one, as a NAT does.
    package func changeAddresses() -> EventLoopFuture<Void> {
        loop.submit { for relay in self.relays { relay.changeAddresses() } }
    }

    /// Closes all sockets.
    package func close() -> EventLoopFuture<Void> {
        EventLoopFuture.andAllComplete(relays.map { $0.close() }, on: loop)
    }
}

extension UDPRelayPool.Statistics {
    /// What some relays did. On their loop.
    package init(_ relays: [UDPRelay]) {
        for relay in relays {
            up += relay.statistics(.up)
            down += relay.statistics(.down)
            upQueue = max(upQueue, relay.queueDelay(.up))
            downQueue = max(downQueue, relay.queueDelay(.down))
            strangers += relay.strangers
            receiveBufferDrops += relay.receiveBufferDrops
        }
    }

    package static func += (total: inout Self, part: Self) {
        total.up += part.up
        total.down += part.down
        total.upQueue = max(total.upQueue, part.upQueue)
        total.downQueue = max(total.downQueue, part.downQueue)
        total.strangers += part.strangers
        total.receiveBufferDrops += part.receiveBufferDrops
    }
}
