import RTCCore
import RTCWire

/// What may be sent to one subscriber, from what it estimates (REMB) and reports.
///
/// A receiver's estimate grows with what it is sent, slowly and to about one and a half times of it. So one below what is
/// sent says nothing by itself: a larger layer may just have begun, and pulls it up if it fits. One that falls does, or that
/// stays where it is: a queue has built up, or stands. And it never tells that a larger layer would fit: after some quiet time
/// as much is sent as repetitions, where there is a stream for them, and if that goes well the next larger thing is tried.
/// Where either proves too much, the next try waits twice as long; a viewer pays for the second alone.
package struct ChannelCapacity: Sendable {
    package static let firstPatience = Interval.seconds(5)
    package static let longestPatience = Interval.seconds(60)
    /// After repetitions that were too much: no picture has paid for them.
    package static let longestProbePatience = Interval.milliseconds(7_500)
    /// How long a try must go well.
    package static let trialLength = Interval.seconds(3)
    /// How long an estimate may stay below what is sent without growing.
    package static let longestLag = Interval.seconds(3)
    /// What waits for the pacer may take so long, and longer for as long as a key frame needs.
    package static let longestBacklog = Interval.milliseconds(200)
    package static let backlogPatience = Interval.milliseconds(750)
    /// For so long after a sign that the way has an end an estimate is taken by its word.
    package static let caution = Interval.seconds(60)
    /// How long repetitions come to all that a larger layer would cost.
    package static let probeLength = Interval.milliseconds(500)
    /// Until then their rate grows by so much a second, from a little above what is sent: slowly up to twice the limit, for there the
    /// way most probably ends, and a way that is too narrow is to show it before its queue is full of them.
    private static let probeCare = 2.0
    private static let probeGrowth = (within: 0.5, beyond: 1.0)
    private static let probeStart = 1.2
    /// What a layer costs strays by less while it is tried.
    private static let costDrift = 1.25
    /// What an estimate is of the highest where it has fallen, in one step or in some. While more is tried it lags behind by much, so
    /// that a cut to 0.85 of what comes may hardly lower it: then it is held against the one before.
    private static let fall = (usual: 0.95, probing: 0.99)
    /// One that is below this part of what is tried grows, as long as nothing is in its way.
    private static let lag = 0.9
    /// What an estimate is of what has left, where it is a limit. Whose pictures grow in the first moments has sent much of them
    /// within the latest round trip; one that has fallen by a tenth is of what passes.
    private static let earlyShare = (missing: 0.65, fallen: 0.8)
    private static let earlyMissing = 3
    /// A queue that is full drains in so long where a little less is sent than the way bears.
    private static let draining = Interval.seconds(3)
    /// Two windows that know of the cut before.
    private static let missingSpacing = Interval.milliseconds(500)
    private static let aftermath = Interval.milliseconds(2500)
    /// An estimate falls to 0.85 of what comes, twice perhaps: one that is below so much of what is sent beside repetitions isn't of
    /// those.
    private static let belowMedia = 0.6
    /// Their losses are asked for again within so long.
    private static let probeDrain = Interval.seconds(1)

    /// In bit/s; nil while nothing shows a limit.
    package private(set) var limit: Int?
    /// A limit that a test asks for; nil for none.
    package var imposed: Int?
    private var estimate: Int?
    /// The highest estimate since one fell.
    private var highest = 0
    /// Since when the estimate has been below what is sent and not grown, and what it was then.
    private var behind: (estimate: Int, since: Instant)?
    /// When an estimate fell, or something else said that the way has an end, last; nil for never.
    private var lastFall: Instant?
    /// Since when too much has waited for the pacer.
    private var backlogSince: Instant?
    private var lastTrouble: Instant = .zero
    private var trialEnd: Instant?
    private var probe: Probe?
    private var lastProbeFailure: Instant?
    /// When so much was missing that the limit fell.
    private var lastMissing: Instant?
    /// When the limit fell last.
    private var lastCut: Instant?
    /// When delays said last that more is sent than the way bears.
    private var lastQueue: Instant?
    /// When they, or what waited here, did.
    private var lastEnd: Instant?

    /// Repetitions beside what is sent.
    private struct Probe {
        /// What all comes to, in bit/s.
        var rate: Double
        /// Of what is to be tried.
        var cost: Int
        var latest: Instant
        /// Once the cost has been reached.
        var end: Instant?
    }
    private var patience = ChannelCapacity.firstPatience

    package init() {}

    /// The receiver has told what its way bears.
    package var isMeasured: Bool { estimate != nil }

    /// What may be allocated.
    package var available: Int? {
        guard let limit else { return imposed }
        return min(limit, imposed ?? limit)
    }

    /// Whether what is allocated may stay though it costs somewhat more than there is room for: for a second after a sign that the
    /// way has an end it may not.
    package func keepsLayers(now: Instant) -> Bool { lastCut.map { now - $0 >= .seconds(1) } ?? true }

    /// Whether a queue that delays have told of may still stand, and whether much is lost besides or was sent to try. Either
    /// alone says little: jitter looks like a queue for a moment, and a way may lose much of itself.
    package func queue(now: Instant) -> (stands: Bool, drops: Bool) {
        func isRecent(_ sign: Instant?) -> Bool { sign.map { now - $0 < ChannelCapacity.draining } ?? false }
        return (isRecent(lastQueue), isRecent(lastMissing) || isRecent(lastProbeFailure))
    }

    /// Whether far more is sent than the way bears: what waits to be sent then is lost or late before anything smaller follows.
    ///
    /// - Parameter sent: in bit/s, at present.
    package func isOverrun(sent: Int) -> Bool { limit.map { Double($0) < 0.7 * Double(sent) } ?? false }

    /// What all that is sent is to come to now, with repetitions beside the media, in bit/s; nil while nothing is probed.
    package var probedBitrate: Int? { probe.map { Int($0.rate) } }

    /// Takes an estimate of the receiver in.
    ///
    /// - Parameter sent: what it is sent at present, in bit/s, of the streams that the estimate is about.
    package mutating func note(estimate: Int, sent: Int, now: Instant) {
        let isBelowMedia = Double(estimate) < ChannelCapacity.belowMedia * Double(sent)
        let sent = max(sent, probedBitrate ?? 0)
        let hasFallen = hasFallen(to: estimate)
        highest = hasFallen ? estimate : max(highest, estimate)
        self.estimate = estimate
        if hasFallen { lastFall = now }
        let isBehind = isBehind(estimate, sent, now)
        if isBehind || hasFallen && Double(estimate) < 0.97 * Double(sent) {
            (lastQueue, lastEnd) = (now, now)
            congested(to: estimate, now, isOfMedia: isBelowMedia)
        } else if let limit, estimate > limit, trialEnd == nil, probe == nil, !hasJustProbed(now), keepsLayers(now: now)
        {
            // Just after a cut it may not have heard of what was lost; and what is far above what is sent is from before, or was
            // repetitions.
            self.limit = max(limit, min(estimate, sent / 2 * 3 + ChannelCapacity.least))
        }
    }

    private func hasFallen(to estimate: Int) -> Bool {
        if Double(estimate) < ChannelCapacity.fall.usual * Double(highest) { return true }
        guard let probe, let before = self.estimate else { return false }
        return Double(estimate) < ChannelCapacity.fall.probing * Double(before)
            || estimate <= before && Double(estimate) < ChannelCapacity.lag * probe.rate
    }

    /// Takes in an estimate of a way on which pictures have just begun, the largest ones, for nothing was known of it. It says at
    /// least what came, where it hasn't seen the way's end: far below what has left, it has, where it has fallen to that or some
    /// of it are missing. By itself it says little: a machine that is busy for a moment looks like a queue.
    ///
    /// - Parameters:
    ///   - sent: what left since then, on average, in bit/s.
    ///   - missing: packets of it that were asked for again.
    ///   - hasFallen: the estimate is far below an earlier one of these pictures.
    /// - Returns: whether it is a limit, so that something smaller should follow at once.
    package mutating func note(
        early estimate: Int, sent: Int, missing: Int, hasFallen: Bool, now: Instant
    ) -> Bool {
        let share = hasFallen ? ChannelCapacity.earlyShare.fallen : ChannelCapacity.earlyShare.missing
        guard limit == nil, hasFallen || missing >= ChannelCapacity.earlyMissing,
            Double(estimate) < share * Double(sent)
        else { return false }
        (self.estimate, highest) = (estimate, estimate)
        // All that left too fast stands in a queue, which is to drain.
        (lastQueue, lastEnd) = (now, now)
        congested(to: estimate / 2, now)
        return true
    }

    /// Whether an estimate has stayed below what is sent for long. Of what fits it grows by 8 % a second (libwebrtc's
    /// `AimdRateControl`).
    private mutating func isBehind(_ estimate: Int, _ sent: Int, _ now: Instant) -> Bool {
        guard Double(estimate) < 0.9 * Double(sent) else {
            behind = nil
            return false
        }
        guard let behind, Double(estimate) < 1.1 * Double(behind.estimate) else {
            behind = (estimate, now)
            return false
        }
        guard now - behind.since >= ChannelCapacity.longestLag else { return false }
        self.behind = nil
        return true
    }

    /// Takes the share of packets in that a receiver reports as lost, 0...1: above a tenth it counts as congestion.
    package mutating func note(loss: Double, sent: Int, now: Instant) {
        guard loss > 0.1, sent > 0, now - lastTrouble >= .seconds(1) else { return }
        congested(to: Int(Double(sent) * (1 - 0.5 * min(loss, 1))), now)
    }

    /// Takes in the share of packets that a receiver asks for again, 0...1 (`MissingShare`), where it is
    /// more than a quarter for half a second: the way bears what is left.
    package mutating func note(missing share: Double, sent: Int, now: Instant) {
        guard share > 0, sent > 0, lastMissing.map({ now - $0 >= ChannelCapacity.missingSpacing }) ?? true
        else { return }
        lastMissing = now
        let isOfMedia = lastProbeFailure.map { now - $0 >= ChannelCapacity.probeDrain } ?? true
        congested(to: Int(Double(min(sent, limit ?? sent)) * max(1 - share, 0.25)), now, isOfMedia: isOfMedia)
    }

    /// How what is sent is to be paced; nil while the receiver tells nothing. An estimate grows slowly with what is sent: a
    /// larger layer that nothing forbids isn't held for it. One that has never fallen says how much is sent, not where the way
    /// ends: pictures of any usual size leave at once then. So they do where packets are lost and no queue has been seen for long:
    /// nothing waits ahead of sound on such a way, and what is repeated comes to more than the limit.
    ///
    /// - Parameters:
    ///   - cost: of what is allocated, in bit/s.
    ///   - beside: what is sent besides, sound, which estimates don't count, in bit/s.
    package func pace(cost: Int, beside: Int = 0, now: Instant) -> SubscriberPace? {
        if let limit {
            let known = max(limit, min(cost, .max / 4), probedBitrate ?? 0)
            // What is tried begins with a key frame, and has been seen to pass as repetitions.
            let rate = trialEnd == nil ? known : min(known, .max / 4) / 2 * 3
            let hasQueued = lastEnd.map { now - $0 < ChannelCapacity.caution } ?? false
            return SubscriberPace(rate: min(rate, .max / 2) + beside, isLimited: hasQueued)
        }
        guard let estimate else { return nil }
        let known = max(estimate, cost)
        let isWide = lastFall.map { now - $0 > ChannelCapacity.caution } ?? true
        let rate = isWide ? max(min(known, .max / 2) * 2, SubscriberPace.joining.rate) : known
        return SubscriberPace(rate: rate, isLimited: false)
    }

    /// Takes in how long what waits for the pacer would take. Where it stays longer than a key frame needs, more is sent than
    /// the way bears, and a layer has to go.
    package mutating func note(backlog: Interval, now: Instant) {
        guard backlog > ChannelCapacity.longestBacklog, let bears = estimate ?? limit else {
            backlogSince = nil
            return
        }
        guard let since = backlogSince else {
            backlogSince = now
            return
        }
        guard now - since >= ChannelCapacity.backlogPatience else { return }
        backlogSince = nil
        lastEnd = now
        congested(to: Int(0.85 * Double(bears)), now)
    }

    /// For so long after repetitions that were too much, what is heard is of them.
    private func hasJustProbed(_ now: Instant) -> Bool {
        lastProbeFailure.map { now - $0 < ChannelCapacity.aftermath } ?? false
    }

    /// - Parameter isOfMedia: whether it is too much without repetitions that were sent to try, too.
    private mutating func congested(to bitrate: Int, _ now: Instant, isOfMedia: Bool = false) {
        let wasProbing = probe != nil
        if trialEnd != nil {
            patience = min(patience * 2, ChannelCapacity.longestPatience)
        } else if wasProbing {
            patience = max(patience, min(patience * 2, ChannelCapacity.longestProbePatience))
        }
        trialEnd = nil
        probe = nil
        lastTrouble = now
        lastFall = now
        // The repetitions were too much: what is sent without them has passed. An estimate goes on falling until they have, too.
        if wasProbing { lastProbeFailure = now }
        if hasJustProbed(now), !isOfMedia { return }
        lastCut = now
        limit = limit.map { min($0, max(bitrate, ChannelCapacity.least)) } ?? max(bitrate, ChannelCapacity.least)
    }

    private static let least = 30_000

    /// Tries more where it is time to; to be called some times a second with the present allocation's `nextCost`.
    ///
    /// - Parameters:
    ///   - sent: in bit/s, at present.
    ///   - canProbe: there is a stream on which repetitions can be sent.
    package mutating func advance(to now: Instant, nextCost: Int?, sent: Int = 0, canProbe: Bool = false) {
        if let end = trialEnd, end <= now {
            trialEnd = nil
            patience = ChannelCapacity.firstPatience
            lastTrouble = now - patience
        }
        guard let limit, trialEnd == nil, now - lastTrouble >= patience else { return }
        guard let nextCost else {
            probe = nil
            // All that is wanted is sent, and well: the limit says nothing any more.
            self.limit = nil
            return
        }
        guard imposed.map({ nextCost <= $0 }) ?? true else { return }
        guard !canProbe || hasProbed(nextCost, limit, sent: sent, now) else { return }
        probe = nil
        self.limit = max(limit, nextCost)
        trialEnd = now + ChannelCapacity.trialLength
    }

    /// Whether repetitions have come to all that it would cost, for long enough.
    private mutating func hasProbed(_ cost: Int, _ limit: Int, sent: Int, _ now: Instant) -> Bool {
        if let probe, Double(cost) > ChannelCapacity.costDrift * Double(probe.cost) {
            // What was being tried is sent by now, for its pictures have become smaller: it is to go well first.
            self.probe = nil
            lastTrouble = now
            return false
        }
        guard var probe else {
            let rate = ChannelCapacity.probeStart * Double(min(max(sent, limit / 2), limit))
            self.probe = Probe(rate: min(rate, Double(cost)), cost: cost, latest: now)
            return false
        }
        let growth = ChannelCapacity.probeGrowth
        let speed = probe.rate < ChannelCapacity.probeCare * Double(limit) ? growth.within : growth.beyond
        probe.rate = min(probe.rate * (1 + speed * (now - probe.latest).seconds), Double(probe.cost))
        probe.latest = now
        if probe.end == nil, probe.rate >= Double(probe.cost) { probe.end = now + ChannelCapacity.probeLength }
        self.probe = probe
        return probe.end.map { now >= $0 } ?? false
    }
}
