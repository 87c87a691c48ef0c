import RTCWire

/// The freshness of the other side's consent to receive, RFC 7675 section 5.1, for one pair.
///
/// A check goes out every five seconds or so; while one is unanswered they follow each other quickly. Time is counted
/// from the first check that stayed unanswered, so that an answer lost at any moment of the interval weighs the same.
struct Consent {
    /// How long the other side has been silent, by what follows from it.
    enum Standing: Comparable {
        case fresh
        /// Silent for so long that other pairs are worth a try.
        case suspect
        case disconnected
        case expired
    }

    private struct Probe {
        var transactionID: STUNTransactionID
        var role: ICERole
        var sentAt: Instant
    }

    /// The checks since the last answer; the oldest give way.
    private var probes: [Probe] = []
    private(set) var lastSent: Instant
    private(set) var firstUnanswered: Instant?
    private(set) var lastAnswered: Instant
    private(set) var nextCheckAt: Instant
    /// The other side has turned up elsewhere: since when, and for how long it may stay silent here.
    private var doubt: (since: Instant, patience: Interval)?

    /// `nextCheckAt`: when the first check is due; the pair itself has just been validated, or long ago.
    init(now: Instant, nextCheckAt: Instant) {
        lastSent = now
        lastAnswered = now
        self.nextCheckAt = nextCheckAt
    }

    /// The role that an unanswered check claimed; nil for a transaction that isn't one of them.
    func role(of transactionID: STUNTransactionID) -> ICERole? {
        probes.first { $0.transactionID == transactionID }?.role
    }

    mutating func sent(_ transactionID: STUNTransactionID, as role: ICERole, now: Instant, retry: Interval) {
        if probes.count == Consent.probeLimit { probes.removeFirst() }
        probes.append(Probe(transactionID: transactionID, role: role, sentAt: now))
        if firstUnanswered == nil { firstUnanswered = now }
        lastSent = now
        nextCheckAt = now + retry
    }

    /// Takes an answer and gives the round-trip time; nil where nothing was asked. The next check follows `interval`
    /// after the last one.
    mutating func answered(_ transactionID: STUNTransactionID, now: Instant, interval: Interval) -> Interval? {
        guard let probe = probes.first(where: { $0.transactionID == transactionID }) else { return nil }
        probes.removeAll(keepingCapacity: true)
        firstUnanswered = nil
        doubt = nil
        lastAnswered = now
        nextCheckAt = max(now, lastSent + interval)
        return now - probe.sentAt
    }

    /// A check is due now, unless one is already unanswered.
    mutating func hasten(now: Instant) {
        if firstUnanswered == nil { nextCheckAt = min(nextCheckAt, now) }
    }

    /// The other side has turned up elsewhere, and may have left this address: it is asked here at once, twice, and suspect
    /// where it doesn't answer within `patience`.
    mutating func turnedUpElsewhere(now: Instant, patience: Interval) {
        guard doubt == nil else { return }
        doubt = (now, patience)
        nextCheckAt = min(nextCheckAt, now)
    }

    /// How soon the next check follows an unanswered one; nil where nothing is in doubt.
    var doubtRetry: Interval? { doubt.map { Interval(nanoseconds: $0.patience.nanoseconds / 2) } }

    /// The socket behind the pair is gone: silent for as long as it takes to be called disconnected.
    mutating func lose(now: Instant, timing: ICETiming) {
        firstUnanswered = min(firstUnanswered ?? now, now - timing.disconnectedAfter)
    }

    func standing(at now: Instant, timing: ICETiming) -> Standing {
        guard let firstUnanswered else { return .fresh }
        let silence = now - firstUnanswered
        if silence >= timing.consentTimeout { return .expired }
        if silence >= timing.disconnectedAfter { return .disconnected }
        return now >= suspectAt(firstUnanswered, timing) ? .suspect : .fresh
    }

    private func suspectAt(_ firstUnanswered: Instant, _ timing: ICETiming) -> Instant {
        let silent = firstUnanswered + timing.suspectAfter
        guard let doubt else { return silent }
        return min(silent, max(firstUnanswered, doubt.since) + doubt.patience)
    }

    /// When the standing changes next, if nothing is answered.
    func nextChange(after now: Instant, timing: ICETiming) -> Instant? {
        guard let firstUnanswered else { return nil }
        return switch standing(at: now, timing: timing) {
        case .fresh: suspectAt(firstUnanswered, timing)
        case .suspect: firstUnanswered + timing.disconnectedAfter
        case .disconnected, .expired: firstUnanswered + timing.consentTimeout
        }
    }

    private static let probeLimit = 16
}
