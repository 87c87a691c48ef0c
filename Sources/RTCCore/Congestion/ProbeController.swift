import RTCWire

/// When more than the estimate is tried, and how much (libwebrtc's `ProbeController`): three and six times the rate at the
/// start, twice what each of those has shown while it goes on upwards, and every five seconds afterwards, once after one
/// already, twice the estimate while the encoders want more than that.
///
/// What is wanted bounds all of it: nobody probes for what he has no use for.
struct ProbeController: Sendable {
    private static let firstScales = [3.0, 6.0]
    private static let furtherScale = 2.0
    /// A probe that has shown less than this part of its rate has met the end of the path.
    private static let furtherThreshold = 0.7
    private static let longestWait = Interval.seconds(1)
    private static let spacing = Interval.seconds(5)
    /// A fall below this part, while little was sent, may be a false alarm: after it most of the former rate is tried.
    private static let drop = 0.66
    private static let afterDrop = 0.85
    private static let dropSpacing = Interval.seconds(1)
    /// Beyond what is wanted, for what is wanted is an average.
    private static let margin = 1.5

    /// What the encoders would send, in bit/s.
    private(set) var wanted = 0.0
    private var nextID: UInt8 = 0
    private(set) var hasBegun = false
    /// The estimate from which on another probe follows; nil where none is awaited.
    private var further: Double?
    private var last: Instant?
    /// What the clusters at the start haven't shown within a second is tried again, once, where nothing speaks against it: a cluster is
    /// 15 ms, in which a machine may stand still.
    private var mayRepeat = true
    private var retry: (rate: Double, at: Instant)?
    private var estimate = 0.0

    /// What is wanted has changed; the estimate is `bitrate`.
    mutating func setWanted(_ wanted: Double) { self.wanted = wanted }

    /// The first packet of video has left.
    mutating func begin(_ bitrate: Double, now: Instant) -> [ProbeCluster] {
        guard !hasBegun, wanted > 0 else { return [] }
        hasBegun = true
        estimate = bitrate
        return probe(ProbeController.firstScales.map { $0 * bitrate }, now)
    }

    /// Takes in what the estimate has become.
    ///
    /// - Parameter acknowledged: what the other side gets, in bit/s; nil before it is known.
    mutating func update(
        _ bitrate: Double, acknowledged: Double?, isOverused: Bool, now: Instant
    ) -> [ProbeCluster] {
        defer { estimate = bitrate }
        guard hasBegun else { return [] }
        if bitrate < estimate * ProbeController.drop, (acknowledged ?? estimate) < estimate * 0.65 {
            retry = (estimate * ProbeController.afterDrop, now + ProbeController.dropSpacing)
        }
        if isOverused {
            last = now
            further = nil
            return []
        }
        if let further, bitrate >= further, bitrate < wanted {
            return probe([bitrate * ProbeController.furtherScale], now)
        }
        return advance(to: now, bitrate)
    }

    /// When `advance` may have something; `distantFuture` for never.
    var deadline: Instant {
        guard hasBegun, estimate < wanted else { return .distantFuture }
        return min((last ?? .zero) + spacing, retry?.at ?? .distantFuture)
    }

    /// What is due by time.
    mutating func advance(to now: Instant, _ bitrate: Double) -> [ProbeCluster] {
        estimate = bitrate
        let spacing = spacing
        if let last, now - last >= ProbeController.longestWait { further = nil }
        guard hasBegun, bitrate < wanted else { return [] }
        if let retry, now >= retry.at {
            self.retry = nil
            if retry.rate > bitrate * 1.05 { return probe([retry.rate], now) }
        }
        guard now - (last ?? .zero) >= spacing else { return [] }
        mayRepeat = false
        return probe([bitrate * ProbeController.furtherScale], now)
    }

    /// How long after the latest cluster the next one follows at present.
    private var spacing: Interval {
        mayRepeat && further != nil ? ProbeController.longestWait : ProbeController.spacing
    }

    private mutating func probe(_ rates: [Double], _ now: Instant) -> [ProbeCluster] {
        last = now
        further = nil
        let most = wanted * ProbeController.margin
        var clusters: [ProbeCluster] = []
        for rate in rates where clusters.isEmpty || (clusters.last?.rate ?? 0) < most {
            nextID = nextID == .max ? 1 : nextID + 1
            clusters.append(ProbeCluster(id: nextID, rate: max(min(rate, most), 1)))
        }
        if let rate = clusters.last?.rate, rate < most { further = rate * ProbeController.furtherThreshold }
        return clusters
    }
}
