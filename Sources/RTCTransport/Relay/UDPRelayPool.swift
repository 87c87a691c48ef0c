import NIOCore
import RTCSim
import RTCWire
import Synchronization

/// Relays that are ready for the addresses of a server, whichever it names in its candidates.
// The relays are touched on `eventLoop` only; what other threads use stands in a mutex.
package final class UDPRelayPool: @unchecked Sendable {
    package let eventLoop: any EventLoop
    package let relays: [UDPRelay]
    private let assigned = Mutex<[TransportAddress: Int]>([:])

    private init(eventLoop: any EventLoop, relays: [UDPRelay]) {
        self.eventLoop = eventLoop
        self.relays = relays
    }

    /// Binds `count` relays on `host`. Throws `UDPBindError`.
    package static func start(
        on eventLoop: any EventLoop, host: String = "127.0.0.1", count: Int = 8, configuration: RelayConfiguration
    ) -> EventLoopFuture<UDPRelayPool> {
        let relays = (0..<count).map {
            UDPRelay.bind(on: eventLoop, host: host, number: $0, configuration: configuration)
        }
        return EventLoopFuture.whenAllSucceed(relays, on: eventLoop).map {
            UDPRelayPool(eventLoop: eventLoop, relays: $0)
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
        /// Datagrams of unknown origin.
        package var strangers = 0
        /// Datagrams that the kernel dropped because a relay's socket was full.
        package var receiveBufferDrops = 0
    }

    package func statistics() -> EventLoopFuture<Statistics> {
        eventLoop.flatSubmit { [self] in
            var result = Statistics()
            for relay in relays {
                result.up += relay.statistics(.up)
                result.down += relay.statistics(.down)
                result.strangers += relay.strangers
            }
            let counted = result
            return EventLoopFuture.whenAllSucceed(relays.map { $0.receiveBufferDrops() }, on: eventLoop).map { drops in
                var result = counted
                result.receiveBufferDrops = drops.reduce(0, +)
                return result
            }
        }
    }

    /// Changes what happens to datagrams from now on, in both directions and for everybody.
    package func setConditions(_ conditions: NetworkConditions) -> EventLoopFuture<Void> {
        eventLoop.submit { for relay in self.relays { relay.setConditions(conditions) } }
    }

    /// Closes all sockets.
    package func close() -> EventLoopFuture<Void> {
        EventLoopFuture.andAllComplete(relays.map { $0.close() }, on: eventLoop)
    }
}
