import RTCWire

/// Sends probe clusters one after the other: says when so many bytes are to leave that the rate of the cluster is kept.
struct ProbeSender: Sendable {
    /// Bytes that leave together: two milliseconds' worth.
    private static let delta = Interval.milliseconds(2)
    /// A cluster that has waited so long is not begun any more.
    private static let patience = Interval.seconds(5)

    private var waiting: [(cluster: ProbeCluster, since: Instant)] = []
    private var began: Instant?
    private var bytes = 0
    private var packets = 0

    var isIdle: Bool { waiting.isEmpty }
    var isActive: Bool { began != nil }

    /// Of the cluster that runs; 0 for none.
    var id: UInt8 { began == nil ? 0 : waiting.first?.cluster.id ?? 0 }

    mutating func add(_ cluster: ProbeCluster, now: Instant) { waiting.append((cluster, now)) }

    mutating func removeAll() {
        waiting.removeAll()
        began = nil
    }

    /// When the next bytes are due; `distantFuture` for never.
    ///
    /// - Parameter canSend: there is something to fill clusters with.
    func deadline(canSend: Bool) -> Instant {
        guard canSend, let next = waiting.first else { return .distantFuture }
        guard let began else { return next.since }
        return began + .seconds(Double(bytes * 8) / next.cluster.rate)
    }

    /// Begins the next cluster, or goes on; gives the bytes that are due now, 0 for none.
    mutating func due(at now: Instant) -> Int {
        while let next = waiting.first, began == nil, now - next.since > ProbeSender.patience { waiting.removeFirst() }
        guard let next = waiting.first else { return 0 }
        guard let began else {
            self.began = now
            bytes = 0
            packets = 0
            return portion(next.cluster)
        }
        let sent = Double(bytes * 8) / next.cluster.rate
        guard began + .seconds(sent) <= now else { return 0 }
        return portion(next.cluster)
    }

    private func portion(_ cluster: ProbeCluster) -> Int {
        max(1, Int(cluster.rate / 8 * ProbeSender.delta.seconds))
    }

    /// Counts a packet that belongs to the cluster.
    mutating func note(bytes: Int) {
        guard began != nil, let cluster = waiting.first?.cluster else { return }
        self.bytes += bytes
        packets += 1
        guard self.bytes >= cluster.leastBytes, packets >= cluster.leastPackets else { return }
        waiting.removeFirst()
        began = nil
    }
}
