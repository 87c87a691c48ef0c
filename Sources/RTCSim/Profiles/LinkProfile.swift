import RTCWire

/// The conditions of one direction of a simulated network as a person writes them.
///
/// Shares are percent, times milliseconds, the rate kbit/s.
package struct LinkProfile: Sendable, Hashable {
    /// Percent of datagrams lost, 0...100.
    package var loss = 0.0
    /// Mean length of a burst of losses in milliseconds, 0 for independent losses; `loss` stays the average (Gilbert-Elliott).
    package var burst = 0.0
    /// Percent of datagrams lost within a burst, 0...100.
    package var burstLoss = 100.0
    /// One-way delay in milliseconds, 0...10,000.
    package var delay = 0.0
    /// Further delay in milliseconds, uniform in 0...jitter, 0...10,000.
    package var jitter = 0.0
    /// Percent of datagrams held back by `reorderDelay`, 0...100.
    package var reorder = 0.0
    /// Milliseconds, 0...10,000.
    package var reorderDelay = 10.0
    /// Percent of datagrams that come twice, 0...100.
    package var duplicate = 0.0
    /// Bottleneck in kbit/s, 0 for none.
    package var rate = 0.0
    /// Longest wait at the bottleneck in milliseconds, 0...10,000.
    package var queue = 200.0
    package var blackouts: [NetworkOutage] = []
    /// Takes the place of rate, delay, jitter and loss where it says something of them.
    package var trace: NetworkTraceFile.Content?

    /// A link that changes nothing.
    package init() {}

    /// What the network model takes.
    package var conditions: NetworkConditions {
        var result = NetworkConditions(delay: .seconds(delay / 1000), jitter: .seconds(jitter / 1000))
        if burst > 0, loss > 0, loss < burstLoss {
            // In bad times a share of burstLoss is lost; how long good times are makes loss the average.
            let good = burst * (burstLoss - loss) / max(loss, 0.001)
            result.bursts = .init(
                meanGood: .seconds(good / 1000), meanBad: .seconds(burst / 1000), loss: burstLoss / 100)
        } else {
            result.loss = loss / 100
        }
        result.reordering = reorder / 100
        result.reorderDelay = .seconds(reorderDelay / 1000)
        result.duplication = duplicate / 100
        result.rate = rate > 0 ? Int(rate * 1000) : nil
        result.queue = .seconds(queue / 1000)
        result.outages = blackouts
        result.trace = trace?.points
        result.deliveries = trace?.deliveries
        return result
    }

    /// Longest stay of a datagram that is not lost, in milliseconds.
    package var longestDelay: Double {
        let points = trace?.points?.points ?? []
        let delay = points.compactMap(\.delay?.milliseconds).max() ?? delay
        let jitter = points.compactMap(\.jitter?.milliseconds).max() ?? jitter
        let isLimited = rate > 0 || trace?.deliveries != nil || points.contains { $0.rate != nil }
        return delay + jitter + (isLimited ? queue : 0)
    }
}
