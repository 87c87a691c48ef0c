/// One video that a subscriber is to get.
package struct VideoDemand: Sendable, Hashable {
    /// A layer that is there to be sent, and what it costs now.
    package struct Layer: Sendable, Hashable {
        /// Of the picture: 0 the smallest.
        package var rank: Int
        /// The highest temporal layer that comes with it.
        package var temporal: Int
        /// In bit/s, with all that it needs.
        package var bitrate: Int

        package init(rank: Int, temporal: Int = LayerPoint.highest.temporal, bitrate: Int) {
            self.rank = rank
            self.temporal = temporal
            self.bitrate = bitrate
        }

        var point: LayerPoint { LayerPoint(spatial: rank, temporal: temporal) }
    }

    package var track: String
    /// The larger, the sooner it gets its share; equals share alike.
    package var priority: Int
    /// The largest picture that the subscriber wants, as a rank.
    package var wanted: Int
    /// Ascending by rank, those of a rank by their temporal layer.
    package var layers: [Layer]
    /// What it was given the last time, where that is to stay while it hardly costs more than there is room for.
    package var current: LayerPoint?

    package init(track: String, priority: Int, wanted: Int, layers: [Layer], current: LayerPoint? = nil) {
        self.track = track
        self.priority = priority
        self.wanted = wanted
        self.layers = layers
        self.current = current
    }

    /// The part of a layer's cost that there has to be room for: one that is sent already stays until there is far too little.
    /// Costs are measured, and the key frame that a layer begins with counts, too.
    private static let kept = 0.75

    /// In bit/s.
    fileprivate func price(of layer: Layer) -> Int {
        guard let current, layer.point.limited(to: current) == layer.point else { return layer.bitrate }
        return Int(VideoDemand.kept * Double(layer.bitrate))
    }

    /// The layers to choose from: those within what is wanted, else the smallest picture there is. Each costs more than the
    /// one before: what is better in one way and cheaper, too, leaves nothing to choose.
    var choices: [Layer] {
        let within = layers.filter { $0.rank <= wanted }
        var result: [Layer] = []
        for layer in within.isEmpty ? layers.filter({ $0.rank == layers[0].rank }) : within {
            while let last = result.last, last.bitrate >= layer.bitrate { result.removeLast() }
            result.append(layer)
        }
        return result
    }
}

/// Which layers a subscriber gets of its videos within a bitrate.
package struct BitrateAllocation: Sendable, Hashable {
    /// What one video gets.
    package enum Share: Sendable, Hashable {
        /// No higher layers than these.
        case upTo(LayerPoint)

        /// All that is wanted.
        package static let everything = Share.upTo(.highest)
        /// Nothing, for want of bandwidth.
        case paused
    }

    /// By track.
    package private(set) var shares: [String: Share] = [:]
    /// What all of it costs, in bit/s.
    package private(set) var cost = 0
    /// What the cheapest thing would cost, with all the rest, that is wanted and had no room; nil where there is none.
    package private(set) var nextCost: Int?
    /// What there has to be room for, in bit/s.
    private var priced = 0

    /// Shares `capacity` (bit/s; nil: no limit is known) among `demands`.
    ///
    /// Everybody gets the smallest layer first, then in rounds one step more, of the picture rate or of the picture, those of
    /// a higher priority before all others. Where `mayPause` isn't set the smallest layers are sent even if there is no room for them.
    package init(_ demands: [VideoDemand], capacity: Int?, mayPause: Bool) {
        let ordered = demands.filter { !$0.layers.isEmpty }.sorted { ($1.priority, $0.track) < ($0.priority, $1.track) }
        guard let capacity else {
            for demand in ordered {
                shares[demand.track] = demand.share(demand.choices.count - 1)
                cost += demand.choices.last?.bitrate ?? 0
            }
            return
        }
        var levels = [Int?](repeating: nil, count: ordered.count)
        for index in ordered.indices {
            let first = ordered[index].choices[0]
            let price = ordered[index].price(of: first)
            if mayPause, priced + price > capacity {
                missed(cost + first.bitrate)
                continue
            }
            levels[index] = 0
            cost += first.bitrate
            priced += price
        }
        for priority in Set(ordered.map(\.priority)).sorted(by: >) {
            raise(ordered, &levels, priority: priority, capacity)
        }
        for (index, demand) in ordered.enumerated() { shares[demand.track] = demand.share(levels[index]) }
    }

    /// Goes round among equals, one layer more for each, until nothing has room any more.
    private mutating func raise(
        _ demands: [VideoDemand], _ levels: inout [Int?], priority: Int, _ capacity: Int
    ) {
        var isRaising = true
        while isRaising {
            isRaising = false
            for index in demands.indices where demands[index].priority == priority {
                let choices = demands[index].choices
                guard let level = levels[index], level + 1 < choices.count else { continue }
                let (less, more) = (choices[level], choices[level + 1])
                let step = max(0, more.bitrate - less.bitrate)
                let price = max(0, demands[index].price(of: more) - demands[index].price(of: less))
                guard priced + price <= capacity else {
                    missed(cost + step)
                    continue
                }
                levels[index] = level + 1
                cost += step
                priced += price
                isRaising = true
            }
        }
    }

    private mutating func missed(_ total: Int) { nextCost = min(nextCost ?? total, total) }
}

extension VideoDemand {
    fileprivate func share(_ level: Int?) -> BitrateAllocation.Share {
        guard let level else { return .paused }
        // With the largest choice there is nothing to hold back: a larger layer may come to life at any time.
        let choices = choices
        guard level == choices.count - 1 else { return .upTo(choices[level].point) }
        return .upTo(LayerPoint(spatial: max(wanted, choices[level].rank), temporal: LayerPoint.highest.temporal))
    }
}
