/// How long rows measure.
struct BenchSettings: Sendable {
    /// Windows of each contestant.
    var rounds = 5
    /// Seconds of one window in rows that run in real time.
    var window = 1.0
    /// Subscribers and participants of the rows that compare with a C floor.
    var sizes = [50, 200]

    /// Long enough to see that a row runs, and for nothing else.
    static let smoke = BenchSettings(rounds: 1, window: 0.2, sizes: [10])
}

/// Lets the contestants take turns, so that what else the machine does hits all of them alike.
///
/// - Returns: for each contestant its windows' values, in order.
func alternate(rounds: Int, _ contestants: [() throws -> Double]) throws -> [[Double]] {
    var values = contestants.map { _ in [Double]() }
    for _ in 0..<rounds {
        for (index, contestant) in contestants.enumerated() { values[index].append(try contestant()) }
    }
    return values
}
