/// How often and how soon a lost connection is tried again, as LiveKit's own clients do it.
struct ReconnectPolicy: Sendable, Hashable {
    /// After so many failed attempts in a row the session is lost.
    var maximumAttempts = 10
    /// The longest wait in seconds before the second attempt; doubled for each further one.
    var firstCeiling = 0.3
    /// No wait is longer.
    var longestCeiling = 7.0

    /// The longest wait in seconds after `failures` failed attempts in a row.
    func ceiling(afterFailures failures: Int) -> Double {
        guard failures > 0 else { return 0 }
        var ceiling = firstCeiling
        for _ in 1..<max(1, min(failures, 32)) { ceiling = min(longestCeiling, ceiling * 2) }
        return min(longestCeiling, ceiling)
    }

    /// The wait itself: uniform up to the ceiling, so that a server that comes back is not stormed.
    func delay(afterFailures failures: Int, using random: inout some RandomNumberGenerator) -> Double {
        let ceiling = ceiling(afterFailures: failures)
        return ceiling > 0 ? Double.random(in: 0...ceiling, using: &random) : 0
    }
}
