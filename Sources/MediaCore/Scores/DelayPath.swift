/// Finds, spectrum by spectrum, how far heard sound is behind its source: the cheapest path through all delays near the
/// last one. A change costs, so that only what lasts is followed: a jitter buffer that stretches, skips or waits.
///
/// Delays are in steps of 5 ms.
struct DelayPath: Sendable {
    /// How far the delay may move within one patch, each way: 200 ms.
    static let reach = 40
    private static let width = 2 * reach + 1
    /// Costs of a change and of each step of it, in decibels of mean difference.
    private static let changeCost: Float = 6
    private static let stepCost: Float = 0.25

    /// The delay of each spectrum of the patch.
    private(set) var delays: [Int] = []
    private var costs = [Float](repeating: 0, count: width)
    /// The cheapest way to each delay by a change: its cost, and its origin.
    private var reached = [Float](repeating: 0, count: width)
    private var origins = [Int](repeating: 0, count: width)
    /// Per spectrum and delay, where the path comes from.
    private var steps: [UInt8] = []

    /// The delays that ``find(_:from:allowed:difference:)`` may ask the difference of.
    static func range(from last: Int, allowed: ClosedRange<Int>) -> ClosedRange<Int> {
        let middle = min(max(last, allowed.lowerBound), allowed.upperBound)
        return (middle - reach)...(middle + reach)
    }

    /// Finds the delays of `count` spectra.
    ///
    /// - Parameters:
    ///   - last: the delay before them; where it isn't allowed, the nearest one that is.
    ///   - allowed: delays that are possible.
    ///   - difference: of a spectrum at a delay, dB.
    mutating func find(
        _ count: Int, from last: Int, allowed: ClosedRange<Int>, difference: (_ spectrum: Int, _ delay: Int) -> Float
    ) {
        let first = Self.range(from: last, allowed: allowed).lowerBound
        steps.removeAll(keepingCapacity: true)
        for index in costs.indices { costs[index] = index == Self.reach ? 0 : .infinity }
        for spectrum in 0..<count {
            spread()
            for index in costs.indices {
                let delay = first + index
                let changed = reached[index] + Self.changeCost
                let isKept = costs[index] <= changed
                steps.append(UInt8(isKept ? index : origins[index]))
                let cost = isKept ? costs[index] : changed
                costs[index] = allowed.contains(delay) ? cost + difference(spectrum, delay) : .infinity
            }
        }
        trace(count, first: first)
    }

    /// For each delay the cheapest other one to come from.
    private mutating func spread() {
        for index in costs.indices { (reached[index], origins[index]) = (costs[index], index) }
        for index in 1..<Self.width where reached[index - 1] + Self.stepCost < reached[index] {
            (reached[index], origins[index]) = (reached[index - 1] + Self.stepCost, origins[index - 1])
        }
        for index in stride(from: Self.width - 2, through: 0, by: -1)
        where reached[index + 1] + Self.stepCost < reached[index] {
            (reached[index], origins[index]) = (reached[index + 1] + Self.stepCost, origins[index + 1])
        }
    }

    private mutating func trace(_ count: Int, first: Int) {
        delays.removeAll(keepingCapacity: true)
        // Of equal ones that nearest to the last delay: silence fits everywhere.
        var best = Self.reach
        for index in costs.indices
        where costs[index] < costs[best]
            || (costs[index] == costs[best] && abs(index - Self.reach) < abs(best - Self.reach))
        { best = index }
        for spectrum in stride(from: count - 1, through: 0, by: -1) {
            delays.append(first + best)
            best = Int(steps[spectrum * Self.width + best])
        }
        delays.reverse()
    }
}
