import RTCWire

/// What a probe cluster shows of the path, from when its packets were sent and when they came
/// (libwebrtc's `ProbeBitrateEstimator`).
struct ProbeEstimator: Sendable {
    /// Of a cluster's least packets and bytes, so much has to have come.
    private static let leastShare = 0.8
    /// What came faster than it was sent by more than this was held up together on the way.
    private static let largestRatio = 2.0
    /// What comes at less than this part of the rate at which it was sent has met the end of the path...
    private static let saturation = 0.9
    /// ...of which so much is used.
    private static let utilization = 0.95
    private static let longest = Interval.seconds(1)
    private static let remembered = 8

    private struct Cluster {
        var id: UInt8
        var firstSent: Instant
        var lastSent: Instant
        var firstReceived: Instant
        var lastReceived: Instant
        var bytes = 0
        var packets = 0
        var lastSentSize = 0
        var firstReceivedSize = 0
        var isUsed = false
    }

    private var expected: [ProbeCluster] = []
    private var clusters: [Cluster] = []

    /// A cluster is going to be sent.
    mutating func expect(_ cluster: ProbeCluster) {
        if expected.count == ProbeEstimator.remembered { expected.removeFirst() }
        expected.append(cluster)
        clusters.removeAll { $0.id == cluster.id }
    }

    /// Takes in a packet of a cluster that came; gives what the path bears, in bit/s, where enough of it is known.
    mutating func add(_ result: PacketResult) -> Double? {
        guard let received = result.received else { return nil }
        guard let index = clusters.firstIndex(where: { $0.id == result.probe }) else {
            if clusters.count == ProbeEstimator.remembered { clusters.removeFirst() }
            clusters.append(
                Cluster(
                    id: result.probe, firstSent: result.sent, lastSent: result.sent, firstReceived: received,
                    lastReceived: received, bytes: result.size, packets: 1, lastSentSize: result.size,
                    firstReceivedSize: result.size))
            return nil
        }
        note(result, received, index)
        guard let rate = rate(clusters[index]) else { return nil }
        clusters[index].isUsed = true
        return rate
    }

    private mutating func note(_ result: PacketResult, _ received: Instant, _ index: Int) {
        clusters[index].bytes += result.size
        clusters[index].packets += 1
        clusters[index].firstSent = min(clusters[index].firstSent, result.sent)
        if result.sent >= clusters[index].lastSent {
            clusters[index].lastSent = result.sent
            clusters[index].lastSentSize = result.size
        }
        if received < clusters[index].firstReceived {
            clusters[index].firstReceived = received
            clusters[index].firstReceivedSize = result.size
        }
        clusters[index].lastReceived = max(clusters[index].lastReceived, received)
    }

    private func rate(_ cluster: Cluster) -> Double? {
        guard let wanted = expected.first(where: { $0.id == cluster.id }),
            Double(cluster.packets) >= Double(wanted.leastPackets) * ProbeEstimator.leastShare,
            Double(cluster.bytes) >= Double(wanted.leastBytes) * ProbeEstimator.leastShare
        else { return nil }
        let sending = cluster.lastSent - cluster.firstSent
        let receiving = cluster.lastReceived - cluster.firstReceived
        guard sending > .zero, sending <= ProbeEstimator.longest, receiving > .zero,
            receiving <= ProbeEstimator.longest
        else { return nil }
        let sent = Double((cluster.bytes - cluster.lastSentSize) * 8) / sending.seconds
        let received = Double((cluster.bytes - cluster.firstReceivedSize) * 8) / receiving.seconds
        guard received <= sent * ProbeEstimator.largestRatio else { return nil }
        return received < sent * ProbeEstimator.saturation
            ? received * ProbeEstimator.utilization : min(sent, received)
    }
}
