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
    private let origin: Instant?
    private var weather: SeededGenerator
    private var isBad = false
    private var weatherUntil: Instant?
    private var linkFreeAt: Instant = .zero
    private var deliveries = DeliveryLink()
    private var lastInOrder: Instant = .zero
    private var slot: UInt64 = 0
    private var countInSlot: UInt64 = 0

    private static let slotLength: Int64 = 1_000_000
    private static let jitterSlots: UInt64 = 5

    /// - Parameter origin: when the weather begins; nil is the origin of time, but for bursts, which then begin with the first
    ///   datagram.
    package init(_ conditions: NetworkConditions, seed: UInt64, origin: Instant? = nil) {
        self.conditions = conditions
        self.seed = seed
        self.origin = origin
        weather = SeededGenerator(seed: seed ^ 0xb0a7)
    }

    /// Offers a datagram of `length` bytes to the path.
    package mutating func transmit(length: Int, at now: Instant) -> Delivery {
        statistics.offered += 1
        enterSlot(now)
        let recorded = conditions.trace?.point(at: elapsed(now))
        guard !isLost(now, recorded) else {
            statistics.lost += 1
            return Delivery()
        }
        guard let departure = queue(length, now) else {
            statistics.overflowed += 1
            return Delivery()
        }
        let jitter = recorded?.jitter ?? conditions.jitter
        var arrival = departure + (recorded?.delay ?? conditions.delay)
        arrival += jitter * draw(.jitter, slot / NetworkModel.jitterSlots)
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
        let current = UInt64(max(0, elapsed(now).nanoseconds) / NetworkModel.slotLength)
        countInSlot = current == slot ? countInSlot + 1 : 0
        slot = current
    }

    private mutating func isLost(_ now: Instant, _ recorded: NetworkTrace.Point?) -> Bool {
        if conditions.blackouts.contains(where: { $0.contains(now) }) { return true }
        if conditions.outages.contains(where: { $0.contains(elapsed(now)) }) { return true }
        if let bursts = conditions.bursts, badWeather(bursts, now), chance(.burst, bursts.loss) { return true }
        return chance(.loss, recorded?.loss ?? conditions.loss)
    }

    private func elapsed(_ now: Instant) -> Interval { now - (origin ?? .zero) }

    private mutating func badWeather(_ bursts: NetworkConditions.Bursts, _ now: Instant) -> Bool {
        var until = weatherUntil ?? (origin ?? now) + .seconds(weather.exponential(mean: bursts.meanGood.seconds))
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
        // UDP and IPv4 headers take their share.
        let bytes = length + 28
        if let trace = conditions.deliveries { return deliver(bytes, now, trace) }
        let start = max(now, linkFreeAt)
        if let trace = conditions.trace { return send(bytes, now, start, trace) }
        guard let rate = conditions.rate, rate > 0 else { return now }
        guard start - now <= conditions.queue else { return nil }
        linkFreeAt = start + .seconds(Double(bytes * 8) / Double(rate))
        return linkFreeAt
    }

    private mutating func deliver(_ bytes: Int, _ now: Instant, _ trace: DeliveryTrace) -> Instant? {
        guard let sent = deliveries.send(bytes, at: elapsed(now), trace, queue: conditions.queue) else { return nil }
        linkFreeAt = (origin ?? .zero) + sent
        return linkFreeAt
    }

    private mutating func send(_ bytes: Int, _ now: Instant, _ start: Instant, _ trace: NetworkTrace) -> Instant? {
        guard start - now <= conditions.queue else { return nil }
        // What is being sent when the link pauses may wait for it a while longer than the queue is long.
        let patience = conditions.queue + .seconds(10)
        guard
            let sent = trace.finish(bits: bytes * 8, from: elapsed(start), rate: conditions.rate, patience: patience)
        else { return nil }
        linkFreeAt = (origin ?? .zero) + sent
        return linkFreeAt
    }

    /// How long a datagram that came now would wait at the bottleneck.
    package func queueDelay(at now: Instant) -> Interval { max(.zero, linkFreeAt - now) }

    private func chance(_ kind: Draw, _ probability: Double) -> Bool {
        probability > 0 && draw(kind, slot &* 4096 &+ countInSlot) < probability
    }

    private func draw(_ kind: Draw, _ index: UInt64) -> Double {
        SeededGenerator.unit(SeededGenerator.hash(seed, kind.rawValue, index))
    }
}
