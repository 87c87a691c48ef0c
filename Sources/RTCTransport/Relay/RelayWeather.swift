import RTCSim
import RTCWire

/// Both directions of one link. Touched on the relay's event loop only.
final class RelayWeather {
    private var models: [NetworkModel]

    /// - Parameters:
    ///   - origin: when it begins, on the relay's time line.
    ///   - place: tells links of one seed apart.
    init(_ configuration: RelayConfiguration, origin: Instant, relay: Int = 0, place: Int = 0) {
        models = RelayDirection.allCases.map { direction in
            let path = UInt64(place * RelayDirection.allCases.count + direction.rawValue)
            let seed = SeededGenerator.hash(configuration.seed, UInt64(relay), path)
            return NetworkModel(configuration.conditions(direction), seed: seed, origin: origin)
        }
    }

    /// Decides when and whether a datagram goes on, and counts why not.
    func offer(
        length: Int, _ direction: RelayDirection, at now: Instant, counting counters: inout RelayStatistics
    ) -> NetworkModel.Delivery {
        let before = models[direction.rawValue].statistics
        let delivery = models[direction.rawValue].transmit(length: length, at: now)
        let after = models[direction.rawValue].statistics
        counters.received += 1
        counters.receivedBytes += length
        counters.queueDropped += after.overflowed - before.overflowed
        counters.dropped += after.lost - before.lost + after.overflowed - before.overflowed
        counters.duplicated += after.duplicated - before.duplicated
        counters.reordered += after.reordered - before.reordered
        return delivery
    }

    /// Changes the weather; its chances go on.
    func setConditions(_ configuration: RelayConfiguration) {
        for direction in RelayDirection.allCases {
            models[direction.rawValue].conditions = configuration.conditions(direction)
        }
    }

    func queueDelay(_ direction: RelayDirection, at now: Instant) -> Interval {
        models[direction.rawValue].queueDelay(at: now)
    }
}

/// The link of a participant who has a pool of relays alone, made by its first datagram. Touched on the pool's loop only.
final class RelayWeatherBox {
    var weather: RelayWeather?
}
