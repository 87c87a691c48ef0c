import RTCCore
import RTCWire

/// How long packets are under way beyond the fastest, and the delay that lets a wanted share of them come in time.
///
/// *Transit* is arrival minus RTP time. Its minimum over some ten seconds is the base line, which thereby follows the
/// drift of the sender's clock and changes of route. What packets need beyond it goes into a histogram that forgets;
/// the target is a high quantile of it. When the base line moves, the histogram moves along.
///
/// Packets that come behind later ones, mostly repetitions, are weighed by themselves: they are waited for where that costs
/// less than their loss (`WaitCost`). Not copyable: it is asked for each packet, in place.
struct PlayoutDelayEstimator: ~Copyable {
    private static let blockLength: Int64 = 1_250_000_000
    /// No packet outruns the fastest by that much, nor falls behind it by the other: the sender's clock was set anew.
    private static let earlyJump: Int64 = 300_000_000
    private static let lateJump: Int64 = 3_000_000_000
    /// Over the quantile: what one bucket's width hides, and the scheduling of both ends.
    private static let margin: Int64 = 4_000_000

    /// For how many packets what came late is remembered, and how many that were in time it begins with.
    private static let lateForgetting = 0.996
    private static let expected = 80
    /// A shorter wait is taken where it saves so many points, a class of ITU-T G.109, or next to nothing is late any more: near
    /// the limit it would come and go, and sound be stretched each time.
    private static let saving = 10.0
    /// What both ends need besides.
    private static let devices = Interval.milliseconds(40)
    /// What is waited for mostly comes together with later packets, at about the same time: a little more lets all of it come in
    /// time where sound may drift below its target. It costs nothing up to that time from mouth to ear (ITU-T G.114).
    private static let spare = (wait: Interval.milliseconds(10), unnoticed: Interval.milliseconds(150))
    /// By so much it gets shorter with a packet, of 20 ms mostly: pictures, which keep with the sound, follow that.
    private static let descent = Interval.milliseconds(2)

    /// For so many packets little is known of a stream's jitter, and pictures begin that fill the way for a moment: a second,
    /// mostly.
    private static let learning = 50
    /// Until so many have come, ten seconds mostly, targets still tell of how it began.
    private static let settling = 500
    /// Before so many have come nothing is unusual.
    private static let first = 10

    /// A stream whose first packet was so much later than the fastest since began in a queue.
    private static let queued: Int64 = 60_000_000
    /// What packets of such a queue that has drained need beyond this was of the queue.
    private static let drained = Interval.milliseconds(20)

    private let configuration: AudioPlayoutConfiguration
    /// Packets of this sender, as far as it is new.
    private var observed = 0
    /// Of packets that came in order.
    private var delays: DelayHistogram
    /// Of those that came behind later ones; the others count as being there at once.
    private var lateDelays: DelayHistogram
    /// The transit that the histograms' first bucket stands for.
    private var origin: Int64 = 0
    /// Minimum transit per block of time, newest last.
    private var minima: [Int64] = []
    private var blockEnd: Int64 = .min

    /// Counts the sender's time lines: rises when its clock jumps.
    private(set) var epoch: Int32 = 0
    /// Minimum transit in ns; nil before the first packet.
    private(set) var base: Int64?
    /// Transit of the first packet.
    private var begin: Int64 = 0
    /// What packets need beyond the fastest, rounded up to the bucket.
    private(set) var spread = Interval.zero
    /// For what comes behind later ones.
    private var wait = Interval.zero
    /// The same with what costs nothing.
    private var late = Interval.zero
    /// What a packet takes there and back; a queue is part of the packets' own delays already.
    private var roundTrip = LeastRoundTrip()
    /// Of the latest packets that came in order, beyond the fastest.
    private var trend = DelayTrend()
    /// Of them, those that stand in a queue.
    private var run = LateRun()
    /// What nearly all of them need.
    private var usual = Interval.zero
    /// What lip sync adds.
    var syncDelay = Interval.zero

    init(_ configuration: AudioPlayoutConfiguration) {
        self.configuration = configuration
        let longest = min(max(configuration.maximumDelay, .zero), .seconds(1))
        delays = DelayHistogram(longest: longest, forgetting: configuration.forgetting)
        lateDelays = DelayHistogram(longest: longest, forgetting: Self.lateForgetting, expected: Self.expected)
    }

    /// The delay to aim at; `allowance` is added for packets that wait for their successor's redundancy.
    func target(allowance: Interval = .zero) -> Interval {
        min(ownTarget(allowance: allowance) + syncDelay, configuration.maximumDelay)
    }

    /// The same without what lip sync adds.
    func ownTarget(allowance: Interval = .zero) -> Interval {
        let wanted = spread + Interval(nanoseconds: Self.margin) + allowance
        let first = isLearned ? .zero : configuration.initialDelay
        return min(max(wanted, first, configuration.minimumDelay), configuration.maximumDelay)
    }

    /// How long after its earliest possible arrival `timestamp` stands at `now`.
    func delay(of timestamp: Int64, at now: Instant) -> Interval {
        guard let base else { return .zero }
        return Interval(nanoseconds: Self.transit(timestamp, now) &- base)
    }

    /// Enough packets of this sender have come to know the network's jitter.
    var isLearned: Bool { observed >= Self.learning }

    /// They have lately; what it began with is being given up.
    var isSettling: Bool { isLearned && observed < Self.settling }

    /// How long before their time packets come at present, where sound is played with this delay.
    func lead(at delay: Interval) -> Interval { delay - trend.latest }

    /// Each packet is later than the one before: a queue grows on the way, and the quantile follows only after it has grown.
    var isRising: Bool { trend.isRising }

    /// Takes in a measured round trip, about once a second.
    mutating func note(roundTrip measured: Interval) { roundTrip.note(measured) }

    /// Takes in a packet; true where its time stamp begins a new time line, as the caller says or the delay shows.
    ///
    /// - Parameter isOvertaken: whether a later one was here before it.
    mutating func observe(
        timestamp: Int64, arrival: Instant, isOvertaken: Bool = false, isNewLine: Bool = false
    ) -> Bool {
        observed = min(observed + 1, Self.settling)
        let transit = Self.transit(timestamp, arrival)
        let jumped = isNewLine || isJump(transit)
        if jumped { beginEpoch() }
        updateBase(transit, at: arrival.nanoseconds)
        record(transit, isOvertaken: isOvertaken, at: arrival)
        return jumped
    }

    /// Forgets how late came what was overtaken: it comes in another way from now on.
    mutating func forgetLate() { lateDelays.clear() }

    /// Forgets everything: another sender.
    mutating func reset() {
        observed = 0
        if base != nil { beginEpoch() }
    }

    private static func transit(_ timestamp: Int64, _ time: Instant) -> Int64 {
        time.nanoseconds &- (timestamp &* 62_500) / 3
    }

    private func isJump(_ transit: Int64) -> Bool {
        guard let base else { return false }
        let step = transit &- base
        return step < -Self.earlyJump || step > Self.lateJump
    }

    private mutating func beginEpoch() {
        epoch &+= 1
        base = nil
        minima.removeAll(keepingCapacity: true)
        delays.clear()
        lateDelays.clear()
        (wait, late) = (.zero, .zero)
        spread = .zero
        trend = DelayTrend()
        run = LateRun()
        usual = .zero
    }

    private mutating func updateBase(_ transit: Int64, at time: Int64) {
        if minima.isEmpty || time >= blockEnd {
            // A whole block beyond every permitted delay: the old base line means nothing any more.
            if let last = minima.last, let base, last &- base > configuration.maximumDelay.nanoseconds {
                minima.removeAll(keepingCapacity: true)
            }
            if minima.count == 8 { minima.removeFirst() }
            minima.append(transit)
            blockEnd = time &+ Self.blockLength
        } else {
            minima[minima.count - 1] = min(minima[minima.count - 1], transit)
        }
        let minimum = minima.min() ?? transit
        if base == nil { (origin, begin) = (minimum, transit) }
        base = minimum
        moveOrigin(to: minimum)
    }

    /// Shifts the histograms by whole buckets, so that they keep standing for the same transits.
    private mutating func moveOrigin(to minimum: Int64) {
        let steps = (minimum &- origin) / DelayHistogram.bucket
        guard steps != 0 else { return }
        origin = origin &+ steps &* DelayHistogram.bucket
        delays.shift(by: steps)
        if steps < 0, begin &- minimum >= Self.queued { delays.settle(beyond: Self.drained) }
        lateDelays.shift(by: steps, keepsLeast: true)
    }

    /// Delays that no permitted target could absorb are outages; they don't teach anything about jitter.
    private mutating func record(_ transit: Int64, isOvertaken: Bool, at now: Instant) {
        let delay = Interval(nanoseconds: transit &- origin)
        if !isOvertaken {
            let wasQueue = run.isQueue
            let isUsual = delay > configuration.maximumDelay || run.note(delay, usual: usual, at: now)
            if isUsual || observed < Self.first { delays.record(delay) }
            if run.isQueue, !wasQueue { delays.settle(beyond: run.limit) }
            trend.note(delay)
            usual = delays.delay(beyond: 1 - configuration.quantile)
        }
        lateDelays.record(isOvertaken ? delay : .zero)
        let cost = WaitCost(passage: (roundTrip.value ?? .zero) / 2 + Self.devices)
        let cheapest = lateDelays.cheapestDelay(cost, present: wait, saving: Self.saving)
        wait = max(cheapest, wait - Self.descent)
        let roomy = wait + Self.spare.wait
        let isUnnoticed = wait > .zero && cost.passage + roomy <= Self.spare.unnoticed
        late = max(isUnnoticed ? roomy : wait, late - Self.descent)
        spread = max(usual, late, run.level(at: now))
    }
}
