import RTCWire

/// A network of addresses with one `NetworkModel` for each direction between two of them.
package struct SimulatedNetwork {
    /// A datagram at its destination.
    package struct Datagram {
        package var bytes: [UInt8]
        package var source: TransportAddress
        package var destination: TransportAddress
    }

    private struct Path: Hashable {
        var source: TransportAddress
        var destination: TransportAddress
    }

    private let seed: UInt64
    private let standard: NetworkConditions
    private var models: [Path: NetworkModel] = [:]
    private var inFlight = EventQueue<Datagram>()

    /// `conditions` hold for every path that `set` names no others for.
    package init(_ conditions: NetworkConditions = NetworkConditions(), seed: UInt64) {
        standard = conditions
        self.seed = seed
    }

    /// Changes one direction between two addresses; its random weather goes on.
    ///
    /// - Parameter origin: of a direction that is new, what the times of blackouts and traces count from; nil is the origin of time.
    package mutating func set(
        _ conditions: NetworkConditions, from source: TransportAddress, to destination: TransportAddress,
        origin: Instant? = nil
    ) {
        let path = Path(source: source, destination: destination)
        let fresh = model(path, origin: origin)
        models[path, default: fresh].conditions = conditions
    }

    /// What one direction has done so far.
    package func statistics(
        from source: TransportAddress, to destination: TransportAddress
    ) -> NetworkModel.Statistics {
        models[Path(source: source, destination: destination)]?.statistics ?? NetworkModel.Statistics()
    }

    /// How long a datagram that is sent now would wait before the bottleneck of a direction.
    package func queueDelay(
        from source: TransportAddress, to destination: TransportAddress, at now: Instant
    ) -> Interval {
        models[Path(source: source, destination: destination)]?.queueDelay(at: now) ?? .zero
    }

    package mutating func send(
        _ bytes: UnsafeRawBufferPointer, from source: TransportAddress, to destination: TransportAddress,
        at now: Instant
    ) {
        let path = Path(source: source, destination: destination)
        let fresh = model(path)
        let delivery = models[path, default: fresh].transmit(length: bytes.count, at: now)
        guard let first = delivery.first else { return }
        let datagram = Datagram(bytes: Array(bytes), source: source, destination: destination)
        inFlight.add(datagram, at: first)
        if let duplicate = delivery.duplicate { inFlight.add(datagram, at: duplicate) }
    }

    /// When the next datagram arrives.
    package var nextArrival: Instant? { inFlight.next }

    /// The next datagram that has arrived by `now`.
    package mutating func receive(by now: Instant) -> Datagram? { inFlight.pop(by: now)?.element }

    private func model(_ path: Path, origin: Instant? = nil) -> NetworkModel {
        NetworkModel(standard, seed: SeededGenerator.hash(seed, path.source.key, path.destination.key), origin: origin)
    }
}

extension TransportAddress {
    fileprivate var key: UInt64 { high &* 31 &+ low &* 17 &+ UInt64(port) }
}
