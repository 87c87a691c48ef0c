import RTCWire

/// How many copies of earlier frames a packet of sound carries (RFC 2198): none before reports tell of losses, and none again
/// when there were hardly any for some time. A value.
package struct CopyDemand: Sendable {
    /// Losses above which a packet carries one copy, and two: bursts are longer then.
    private static let some = 0.03
    private static let many = 0.08
    /// Losses below which copies end.
    private static let few = 0.01
    private static let patience = Interval.seconds(10)
    /// More copies of a frame are never worth it.
    package static let most = 2
    /// Copies are worth it where all sound is no more than this part of what the path has for it.
    package static let room = 3

    package let least: Int
    private let most: Int
    private var wanted = 0
    /// The share that has been lost lately, 0...1; follows a rise faster than a fall.
    package private(set) var loss = 0.0
    private var quietSince: Instant?
    /// Nothing is known yet: a single report may say too much, so that there is one copy at most at first.
    private var isFirst = true

    /// - Parameters:
    ///   - least: whatever is lost.
    ///   - most: however much is lost.
    package init(least: Int, most: Int) {
        self.least = least
        self.most = most
    }

    package var copies: Int { max(least, min(wanted, most)) }

    /// So much is lost that bursts are to be expected which are longer than the copies reach back.
    package var isHeavy: Bool { wanted > 1 }

    /// Takes in the share that has been lost since the last time, 0...1.
    package mutating func note(loss lost: Double, now: Instant) {
        loss += (lost - loss) * (isFirst ? 1 : lost > loss ? 0.5 : 0.2)
        if loss > CopyDemand.some { wanted = max(wanted, loss > CopyDemand.many && !isFirst ? 2 : 1) }
        isFirst = false
        guard loss < CopyDemand.few else { return quietSince = nil }
        let since = quietSince ?? now
        quietSince = since
        if now - since >= CopyDemand.patience { wanted = 0 }
    }
}
