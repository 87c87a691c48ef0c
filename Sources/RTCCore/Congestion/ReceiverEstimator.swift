import RTCWire

/// How much a path bears as its receiver sees it, from the send times that packets carry (REMB,
/// draft-alvestrand-rmcat-remb-03): the parts of `BandwidthEstimator` that look at delays, at the other end of the path.
///
/// The rhythm is libwebrtc's: an estimate is renewed for a twentieth of its own rate, every 200 ms to a second, and at once
/// where a queue grows; it is told no more often than every 200 ms, but at once where it has fallen by 3 %. It counts payload
/// bytes of packets that say when they left. A value in virtual time.
///
/// Who forwards to a receiver that tells when each packet came (transport-wide feedback) runs the same in its place.
struct ReceiverEstimator: Sendable {
    static let shortestInterval = Interval.milliseconds(200)
    static let longestInterval = Interval.seconds(1)
    /// What is silent for longer isn't counted among the sources, and after such a silence of all delays begin anew.
    static let silence = Interval.seconds(2)
    /// One that has fallen by so much is told at once.
    private static let fall = 1.03
    /// Bits of an estimate's message, and the part of the rate that may go into them.
    private static let messageBits = 640.0
    private static let messageShare = 0.05
    /// The other side's clock has jumped, or ours.
    private static let largestShift = Interval.seconds(3)
    private static let bounds = 10_000.0...100_000_000.0
    private static let mostSources = 64
    /// A queue that is no longer than this is left to the rate control.
    private static let tolerated = Interval.milliseconds(50)
    /// The part of what comes that an estimate is at least where nothing waits, as a cut leaves it.
    private static let caughtUp = 0.85
    /// A queue that is still as high, though a third less comes, is none: while one stands, what comes is what passes.
    private static let longestStand = Interval.seconds(4)
    /// What was late longer ago says nothing of the way any more.
    private static let recent = Interval.milliseconds(500)
    /// Beyond this a sender's clock begins anew: differences of such moments would overflow.
    private static let latestMoment: UInt64 = 1 << 61

    private var clock = SendTimeUnwrapper()
    private var groups = PacketGroups()
    private var trend = TrendDetector()
    private var standing = StandingQueue()
    private var arriving = ReceivedRate()
    private var rate: RateControl
    private var sources: [(ssrc: UInt32, last: Instant)] = []
    private var previous: (sent: Instant, arrival: Instant)?
    /// Since the latest renewal.
    private var leastDelay: Interval?
    private var renewed: Instant?
    /// Nil where the latest packet was in time.
    private var late: LateRun?
    private var onset = QueueOnset()
    /// Since when a queue has stood, how high it was then, and what came.
    private var stood: (since: Instant, excess: Interval, rate: Double)?
    private var told: (bitrate: Int, at: Instant)?
    /// When the estimate is to be told; `distantFuture` where there is nothing to tell.
    private(set) var deadline = Instant.distantFuture

    init() {
        rate = RateControl(start: ReceiverEstimator.bounds.lowerBound, bounds: ReceiverEstimator.bounds)
        rate.isReceiving = true
    }

    /// In bit/s; nil before anything is known.
    var bitrate: Int? {
        guard arriving.bitrate != nil || rate.hasDecreased else { return nil }
        return Int(max(rate.bitrate * (1 - drain), ReceiverEstimator.bounds.lowerBound))
    }

    /// The part of the rate that is held back while a queue stands, so that it drains within some two seconds: a cut alone
    /// drains a seventh of a second each second.
    private var drain: Double { min(max((standing.excess - ReceiverEstimator.tolerated).seconds, 0), 0.5) }

    /// Takes a packet in.
    ///
    /// - Parameters:
    ///   - sendTime: 24 bits of 6.18 fixed-point seconds, on the sender's clock.
    ///   - size: payload bytes, padding included.
    ///   - roundTrip: nil where it isn't known.
    mutating func add(
        sendTime: UInt32, ssrc: UInt32, size: Int, arrival: Instant, roundTrip: Interval?, now: Instant
    ) {
        var sent = clock.unwrap(sendTime)
        if let previous, hasJumped(sent, arrival, since: previous) {
            restart()
            sent = clock.unwrap(sendTime)
        }
        note(ssrc, now)
        take(sent: sent, size: size, arrival: arrival, roundTrip: roundTrip, now: now)
    }

    /// Takes in what a receiver tells of a packet.
    ///
    /// - Parameters:
    ///   - sent: when it left.
    ///   - size: payload bytes, padding included.
    ///   - arrival: on the receiver's clock.
    mutating func add(sent: Instant, size: Int, arrival: Instant, roundTrip: Interval?, now: Instant) {
        if let previous, hasJumped(sent, arrival, since: previous) { restart() }
        take(sent: sent, size: size, arrival: arrival, roundTrip: roundTrip, now: now)
    }

    private mutating func take(sent: Instant, size: Int, arrival: Instant, roundTrip: Interval?, now: Instant) {
        previous = (sent, arrival)
        arriving.add(size, arrival: arrival)
        leastDelay = min(leastDelay ?? arrival - sent, arrival - sent)
        if let delta = groups.add(sent: sent, received: arrival) { trend.update(delta) }
        if noteLate(arrival - sent, size, arrival) {
            guard !adoptLongerWay(arrival - sent, now) else { return }
            _ = standing.update(arrival - sent, isDropping: true, now: now)
            return renew(.over, roundTrip, now)
        }
        guard let since = renewed else { return renewed = now }
        if now - since >= interval {
            var usage = trend.usage
            if let leastDelay {
                if stood != nil, adoptLongerWay(leastDelay, now) { return }
                if standing.update(leastDelay, now: now) { usage = .over }
            }
            if usage != .over { catchUp(now) }
            renew(usage, roundTrip, now)
        } else if trend.usage == .over, arriving.bitrate != nil {
            renew(.over, roundTrip, now)
        }
    }

    /// How long packets wait at least in a queue that stands on the way; nil where none does, or nothing has come lately.
    func standingDelay(now: Instant) -> Interval? {
        guard let late, let previous, now - previous.arrival < ReceiverEstimator.recent else { return nil }
        return standing.excess(of: late.leastDelay)
    }

    /// Whether what is late says by itself that more is sent than passes.
    private mutating func noteLate(_ delay: Interval, _ size: Int, _ arrival: Instant) -> Bool {
        let excess = standing.excess(of: delay)
        let hasBegun = noteOnset(excess, size, arrival)
        guard excess > StandingQueue.height else {
            (late, stood) = (nil, nil)
            return hasBegun
        }
        // What the first one waited for came before it.
        guard var run = late else {
            late = LateRun(delay, arrival)
            return hasBegun
        }
        let finding = run.note(delay, size, arrival, rate: arriving.bitrate)
        late = run
        if case .filled(let bytes, let start) = finding { arriving.restart(at: start, bytes) }
        return finding != nil || hasBegun
    }

    /// Whether a queue has just begun: what has come of it is what passes.
    private mutating func noteOnset(_ excess: Interval, _ size: Int, _ arrival: Instant) -> Bool {
        guard let begun = onset.note(excess, size, arrival, rate: arriving.bitrate) else { return false }
        arriving.restart(at: begun.start, begun.bytes + size)
        return true
    }

    /// Where delays stay as they are though far less is sent they are the way's, and no queue, and what came before passes. Gives
    /// whether they are.
    private mutating func adoptLongerWay(_ delay: Interval, _ now: Instant) -> Bool {
        guard let rate = arriving.bitrate else { return false }
        let excess = standing.excess(of: delay)
        guard let stood else {
            self.stood = (now, excess, rate)
            return false
        }
        // What came before the queue, in the second that is measured, may have been of another way.
        if now - stood.since < .seconds(1) { self.stood?.rate = min(stood.rate, rate) }
        guard now - stood.since >= ReceiverEstimator.longestStand, excess > stood.excess * 0.7, rate < stood.rate * 0.7
        else { return false }
        (self.stood, late) = (nil, nil)
        standing.begin(at: delay, now: now)
        self.rate.set(stood.rate, now: now)
        return true
    }

    private func hasJumped(_ sent: Instant, _ arrival: Instant, since last: (sent: Instant, arrival: Instant)) -> Bool {
        let between: Interval = arrival - last.arrival
        let shift: Interval = between - (sent - last.sent)
        return between > ReceiverEstimator.silence || shift > ReceiverEstimator.largestShift
            || shift < .zero - ReceiverEstimator.largestShift
            || sent.nanoseconds.magnitude > ReceiverEstimator.latestMoment
    }

    /// The old delays say nothing any more. What has been shown to pass stays.
    private mutating func restart() {
        clock = SendTimeUnwrapper()
        groups = PacketGroups()
        trend = TrendDetector()
        standing = StandingQueue()
        arriving = ReceivedRate()
        leastDelay = nil
        (late, stood) = (nil, nil)
        onset = QueueOnset()
    }

    private var interval: Interval {
        guard told != nil else { return ReceiverEstimator.shortestInterval }
        let seconds = ReceiverEstimator.messageBits / (ReceiverEstimator.messageShare * rate.bitrate)
        return min(
            max(.seconds(min(seconds, 1)), ReceiverEstimator.shortestInterval), ReceiverEstimator.longestInterval)
    }

    private mutating func renew(_ usage: PathUsage, _ roundTrip: Interval?, _ now: Instant) {
        let before = rate.bitrate
        // Of a receiver that doesn't know better libwebrtc thinks 200 ms.
        rate.update(
            usage, acknowledged: arriving.bitrate, roundTrip: roundTrip ?? .milliseconds(200), now: now)
        // A cut that came too soon after another one changes nothing.
        if usage == .over, rate.bitrate == before, now - (renewed ?? now) < interval { return }
        renewed = now
        leastDelay = nil
        tell(now)
    }

    /// What comes passes, where no queue is left of it: a cut that was made while something else took the way is undone.
    private mutating func catchUp(_ now: Instant) {
        guard standing.excess < ReceiverEstimator.tolerated, let passing = arriving.bitrate else { return }
        let least = passing * ReceiverEstimator.caughtUp
        if rate.bitrate < least { rate.set(least, now: now) }
    }

    private mutating func tell(_ now: Instant) {
        guard let bitrate else { return }
        if let told, Double(bitrate) * ReceiverEstimator.fall > Double(told.bitrate),
            now - told.at < ReceiverEstimator.shortestInterval
        {
            return
        }
        deadline = now
    }

    /// What is to be told now, in bit/s, and the sources that it is about; nil where nothing is.
    mutating func takeEstimate(now: Instant) -> (bitrate: Int, sources: [UInt32])? {
        deadline = .distantFuture
        guard let bitrate else { return nil }
        told = (bitrate, now)
        sources.removeAll { now - $0.last > ReceiverEstimator.silence }
        return (bitrate, sources.map(\.ssrc))
    }

    private mutating func note(_ ssrc: UInt32, _ now: Instant) {
        for index in sources.indices where sources[index].ssrc == ssrc { return sources[index].last = now }
        if sources.count < ReceiverEstimator.mostSources { sources.append((ssrc, now)) }
    }
}

/// The estimate of a path that we forward over: in memory of its own, for most peers are never told what arrives.
final class ForwardEstimator {
    var estimator = ReceiverEstimator()
}
