import RTCWire

/// One direction of a path: decides when, and whether, each datagram arrives.
///
/// Everything random is drawn per slot of time, not per datagram: the same seed gives the same weather, whatever traffic
/// meets it, so two algorithms can be compared on one network.
package struct NetworkModel: Sendable {
    /// When a datagram arrives; nothing where it is lost.
    package struct Delivery: Sendable, Hashable {
        package var first: Instant?
        package var duplicate: Instant?
    }

    /// What the path did so far.
    package struct Statistics: Sendable, Hashable {
        package var offered = 0
        package var lost = 0
        package var duplicated = 0
        package var reordered = 0
        /// Dropped for want of room in the queue.
        package var overflowed = 0
    }

    package var conditions: NetworkConditions
    package private(set) var statistics = Statistics()
    private let seed: UInt64
    private var weather: SeededGenerator
    private var isBad = false
    private var weatherUntil: Instant?
    private var linkFreeAt: Instant = .zero
    private var lastInOrder: Instant = .zero
    private var slot: UInt64 = 0
    private var countInSlot: UInt64 = 0

    private static let slotLength: Int64 = 1_000_000
    private static let jitterSlots: UInt64 = 5

    package init(_ conditions: NetworkConditions, seed: UInt64) {
        self.conditions = conditions
        self.seed = seed
        weather = SeededGenerator(seed: seed ^ 0xb0a7)
    }

    /// Offers a datagram of `length` bytes to the path.
    package mutating func transmit(length: Int, at now: Instant) -> Delivery {
        statistics.offered += 1
        enterSlot(now)
        guard !isLost(now) else {
            statistics.lost += 1
            return Delivery()
        }
        guard let departure = queue(length, now) else {
            statistics.overflowed += 1
            return Delivery()
        }
        var arrival = departure + conditions.delay + conditions.jitter * draw(.jitter, slot / NetworkModel.jitterSlots)
        if chance(.reordering, conditions.reordering) {
            arrival += conditions.reorderDelay
            statistics.reordered += 1
        } else {
            arrival = max(arrival, lastInOrder)
            lastInOrder = arrival
        }
        guard chance(.duplication, conditions.duplication) else { return Delivery(first: arrival) }
        statistics.duplicated += 1
        return Delivery(first: arrival, duplicate: arrival + conditions.duplicateDelay)
    }

    private enum Draw: UInt64 { case loss, burst, jitter, reordering, duplication }

    private mutating func enterSlot(_ now: Instant) {
        let current = UInt64(max(0, now.nanoseconds) / NetworkModel.slotLength)
        countInSlot = current == slot ? countInSlot + 1 : 0
        slot = current
    }

    private mutating func isLost(_ now: Instant) -> Bool {
        if conditions.blackouts.contains(where: { $0.contains(now) }) { return true }
        if let bursts = conditions.bursts, badWeather(bursts, now), chance(.burst, bursts.loss) { return true }
        return chance(.loss, conditions.loss)
    }

    private mutating func badWeather(_ bursts: NetworkConditions.Bursts, _ now: Instant) -> Bool {
        var until = weatherUntil ?? now + .seconds(weather.exponential(mean: bursts.meanGood.seconds))
        while until <= now {
            isBad.toggle()
            let mean = isBad ? bursts.meanBad : bursts.meanGood
            until += .seconds(max(weather.exponential(mean: mean.seconds), 0.000_1))
        }
        weatherUntil = until
        return isBad
    }

    /// When the datagram has left the bottleneck; nil where the queue is too long.
    private mutating func queue(_ length: Int, _ now: Instant) -> Instant? {
        guard let rate = conditions.rate, rate > 0 else { return now }
        let start = max(now, linkFreeAt)
        guard start - now <= conditions.queue else { return nil }
        // UDP and IPv4 headers take their share.
        linkFreeAt = start + .seconds(Double((length + 28) * 8) / Double(rate))
        return linkFreeAt
    }

    private func chance(_ kind: Draw, _ probability: Double) -> Bool {
        probability > 0 && draw(kind, slot &* 4096 &+ countInSlot) < probability
    }

    private func draw(_ kind: Draw, _ index: UInt64) -> Double {
        SeededGenerator.unit(SeededGenerator.hash(seed, kind.rawValue, index))
    }
}
