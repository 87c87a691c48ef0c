import RTCWire

/// Bounds and intervals of the streams.
package struct StreamLimits: Sendable {
    /// Receive streams kept at once; packets of further SSRCs are counted and dropped.
    package var maximumReceiveStreams = 256
    /// Of those, the ones on one line that no description names: a simulcast has three, and may begin anew.
    package var maximumLearnedStreams = 8
    /// Sequence numbers a stream will ask for at once; beyond it the oldest are given up.
    package var maximumLosses = 512
    /// How often one packet is asked for.
    package var maximumNACKs = 10
    /// Least time between two requests for the same packet.
    package var minimumNACKInterval = Interval.milliseconds(20)
    /// The first request for a packet is said twice where the time between two is at least that; nil for never. A sender that
    /// has had it once takes no notice of the other, where it repeats a packet once a round trip; our server answers each.
    package var leastEchoedNACKInterval: Interval? = .milliseconds(60)
    /// Where more is lost than that share, 0...1, it is said a third time: requests and answers that are lost as often leave one packet in
    /// fifty unanswered that is asked for twice.
    package var heavyLoss = 0.07
    /// Round-trip time assumed before one has been measured.
    package var initialRoundTripTime = Interval.milliseconds(100)
    /// Longest time a gap waits for reordered packets before it is asked for; 0 while nothing arrived out of order.
    package var maximumReorderDelay = Interval.milliseconds(20)
    /// Least time that every gap waits, whether or not anything arrived out of order.
    package var minimumReorderDelay = Interval.zero
    /// Time between two reports (SR, RR).
    package var reportInterval = Interval.seconds(1)
    /// Time between two key-frame requests for one producer.
    package var keyFrameRequestInterval = Interval.milliseconds(500)
    /// Packets older than this are not sent again.
    package var cacheAge = Interval.seconds(3)

    package init() {}

    /// How often the first request for a packet is said again where requests follow each other by `interval`.
    ///
    /// - Parameter loss: the share that is lost, 0...1.
    func echoes(_ interval: Interval, loss: Double) -> Int {
        guard let least = leastEchoedNACKInterval, interval >= least else { return 0 }
        return loss > heavyLoss ? 2 : 1
    }
}
