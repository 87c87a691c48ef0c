import RTCWire

/// What an `ICEAgent` is made from.
package struct ICEConfiguration: Sendable {
    /// The role to begin with; a conflict or a lite remote may change it.
    package var role: ICERole
    /// Decides a role conflict, RFC 8445 section 16.1; drawn at random where nil.
    package var tieBreaker: UInt64?
    /// Our ufrag and password; drawn at random where nil.
    package var credentials: ICECredentials?
    /// Seed of every draw (transactions, intervals, credentials), for repeatable tests; nil takes the system's
    /// generator, which is what RFC 8489 section 6 asks for.
    package var seed: UInt64?
    package var timing = ICETiming()
    package var limits = ICELimits()

    package init(role: ICERole) { self.role = role }
}

/// Intervals of the agent.
package struct ICETiming: Sendable {
    /// Ta: least time between two ordinary checks, RFC 8445 section 14.2. Triggered checks don't wait.
    package var pacing = Interval.milliseconds(20)
    /// How long a generation checks over UDP alone, where both sides have TCP candidates too: a network that lets UDP pass
    /// answers before, and no connection is opened in vain.
    package var tcpHeadStart = Interval.milliseconds(500)
    /// First retransmission of a check, RFC 8445 section 14.3; doubles up to `maximumRetransmission`.
    package var initialRetransmission = Interval.milliseconds(500)
    /// Longest time between two transmissions of one check. Checks go on until the agent fails: there is no early
    /// failure while the other side may still come up (RFC 8863).
    package var maximumRetransmission = Interval.seconds(2)
    /// A generation that has chosen no pair by then has failed.
    package var connectTimeout = Interval.seconds(30)
    /// How long the controlling side waits, after the first valid pair, for a better one that is being checked; the
    /// first pair's round-trip time where that is longer, up to `maximumSettle`.
    package var settle = Interval.milliseconds(40)
    package var maximumSettle = Interval.milliseconds(300)
    /// Mean time between two consent checks; each interval is drawn from 0.8 to 1.2 times it (RFC 7675 section 5.1).
    package var consentInterval = Interval.seconds(5)
    /// Time between two consent checks while the last one is unanswered.
    package var consentRetry = Interval.milliseconds(500)
    /// Media that stops for so long is asked after at once, so that a way that is lost in the middle of a call is found out
    /// long before the next check would be due.
    package var silence = Interval.seconds(1)
    /// Unanswered for so long, other pairs are tried beside the selected one.
    package var suspectAfter = Interval.seconds(2)
    /// The same where the other side has just turned up elsewhere, as who moves to another socket does; twice the round-trip
    /// time where that is longer.
    package var movedAfter = Interval.milliseconds(200)
    /// Unanswered for so long, the state is `disconnected`.
    package var disconnectedAfter = Interval.seconds(5)
    /// Consent ends so long after the first check that stayed unanswered: sending stops (RFC 7675 section 5.1).
    package var consentTimeout = Interval.seconds(30)

    package init() {}
}

/// Bounds: what a peer can make the agent keep.
package struct ICELimits: Sendable {
    package var localCandidates = 16
    package var remoteCandidates = 64
    /// Of the remote candidates, those learnt from authenticated checks alone; the least recently used one gives way.
    package var peerReflexiveCandidates = 16
    /// Of the remote candidates, those that we open connections to.
    package var passiveCandidates = 8
    package var pairs = 128

    package init() {}
}
