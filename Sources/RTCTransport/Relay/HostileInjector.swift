import NIOCore
import RTCSim
import RTCWire

/// Attacks the calls that pass through relays: on the participants' own addresses in both directions, one participant at
/// a time and the next one each second, and as a flood from unknown addresses to the server's port.
// Every member is touched on `pool.loop` only; other threads hold the reference and hop.
package final class HostileInjector: UDPRelayTap, @unchecked Sendable {
    /// Datagrams a second on participants' addresses, and as many again in the flood.
    package let rate: Int
    package let seed: UInt64

    private struct Place: Hashable {
        var relay: ObjectIdentifier
        var leg: Int
    }

    private let pool: UDPRelayPool
    private var generators: [Place: HostileGenerator] = [:]
    private var flood: DatagramFlood?
    private var timer: RepeatedTask?
    private var begun = Instant.zero
    private var accounted = 0
    private var turn = 0
    private var counted = HostileStatistics()

    private static let tickMilliseconds = 2
    private static let floodSockets = 8
    /// The most that one tick sends: after a stall of the machine the rest is forgone, so that no burst overflows the
    /// sockets' buffers, which would be our doing and no attacker's.
    private static let maximumPerTick = 100

    /// Watches the traffic of `pool` from now on; nothing is injected before `start`.
    package static func watch(_ pool: UDPRelayPool, rate: Int, seed: UInt64) -> EventLoopFuture<HostileInjector> {
        pool.loop.submit {
            let injector = HostileInjector(pool: pool, rate: rate, seed: seed)
            for relay in pool.relays { relay.tap = injector }
            return injector
        }
    }

    private init(pool: UDPRelayPool, rate: Int, seed: UInt64) {
        self.pool = pool
        self.rate = rate
        self.seed = seed
    }

    /// Begins the attack. Throws `UDPBindError` where the flood gets no sockets.
    package func start() -> EventLoopFuture<Void> {
        pool.loop.submit { [self] in
            guard timer == nil, let target = pool.relays.first?.target else { return }
            begin(
                try DatagramFlood(
                    on: pool.loop, reaching: target, count: HostileInjector.floodSockets, seed: seed ^ 0xf100d))
        }
    }

    private func begin(_ flood: DatagramFlood) {
        self.flood = flood
        begun = MonotonicClock.now()
        accounted = 0
        let tick = TimeAmount.milliseconds(Int64(HostileInjector.tickMilliseconds))
        timer = pool.loop.scheduleRepeatedTask(initialDelay: tick, delay: tick) { [weak self] _ in self?.tick() }
    }

    /// Ends the attack.
    package func stop() -> EventLoopFuture<Void> {
        pool.loop.submit { [self] in
            timer?.cancel()
            timer = nil
            flood?.close()
            flood = nil
        }
    }

    package func statistics() -> EventLoopFuture<HostileStatistics> { pool.loop.submit { self.counted } }

    // MARK: On the loop

    package func passed(_ bytes: UnsafeRawBufferPointer, relay: UDPRelay, leg: Int, _ direction: RelayDirection) {
        let place = Place(relay: ObjectIdentifier(relay), leg: leg)
        var generator = generators.removeValue(forKey: place) ?? makeGenerator()
        generator.observe(bytes, direction)
        if timer != nil, HostileSTUN.isRequest(bytes), let forged = generator.answer(bytes) {
            relay.inject(forged, leg: leg, direction.opposite)
            counted.count(.forgedResponse)
        }
        generators[place] = generator
    }

    private func makeGenerator() -> HostileGenerator {
        HostileGenerator(seed: SeededGenerator.hash(seed, 0x4057, UInt64(generators.count)))
    }

    private func tick() {
        let elapsed = (MonotonicClock.now() - begun).seconds
        let due = Int(elapsed * Double(rate)) - accounted
        accounted += due
        let count = min(due, HostileInjector.maximumPerTick)
        let places = pool.relays.flatMap { relay in (0..<relay.legCount).map { (relay, $0) } }
        guard count > 0, !places.isEmpty else { return }
        let (relay, leg) = places[Int(elapsed) % places.count]
        attack(relay, leg: leg, count)
        if let target = relay.target { counted.flooded += flood?.send(count, to: target) ?? 0 }
    }

    private func attack(_ relay: UDPRelay, leg: Int, _ count: Int) {
        let place = Place(relay: ObjectIdentifier(relay), leg: leg)
        guard var generator = generators.removeValue(forKey: place) else { return }
        for _ in 0..<count {
            let direction: RelayDirection = turn % 2 == 0 ? .up : .down
            turn &+= 1
            let (kind, bytes) = generator.next(direction)
            relay.inject(bytes, leg: leg, direction)
            counted.count(kind)
        }
        generators[place] = generator
    }
}
