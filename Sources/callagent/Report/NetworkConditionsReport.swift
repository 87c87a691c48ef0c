import RTCSim

/// A network as it was asked for; percent, milliseconds, kbit/s.
struct NetworkConditionsReport: Codable {
    /// One direction.
    struct Link: Codable {
        var loss: Double
        var burst: Double
        var burstLoss: Double
        var delay: Double
        var jitter: Double
        var reorder: Double
        var reorderDelay: Double
        var duplicate: Double
        var rate: Double
        var queue: Double
        var blackouts: [Blackout]
        /// A recorded network, or one that is described as such, takes the place of some of these.
        var isTraced: Bool
    }

    struct Blackout: Codable {
        var start: Double
        var length: Double
        var period: Double?
    }

    var up: Link
    var down: Link
    var rebind: Double
    var seed: UInt64
    /// As --network takes it, but for traces.
    var text: String
}

extension NetworkConditionsReport {
    init(_ profile: NetworkProfile) {
        self.init(
            up: Link(profile.up), down: Link(profile.down), rebind: profile.rebind, seed: profile.seed,
            text: profile.description)
    }
}

extension NetworkConditionsReport.Link {
    init(_ link: LinkProfile) {
        self.init(
            loss: link.loss, burst: link.burst, burstLoss: link.burstLoss, delay: link.delay, jitter: link.jitter,
            reorder: link.reorder, reorderDelay: link.reorderDelay, duplicate: link.duplicate, rate: link.rate,
            queue: link.queue,
            blackouts: link.blackouts.map {
                .init(
                    start: $0.start.milliseconds, length: $0.length.milliseconds, period: $0.period?.milliseconds)
            },
            isTraced: link.trace != nil)
    }
}
